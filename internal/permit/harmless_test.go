package permit

import (
	"strings"
	"testing"
)

// A rule covers what is harmless beside the command that it names, and an answer for the
// session does not mention it. Nothing is allowed for being harmless alone.
//
// Covers: turn-api REQ-04
func TestHarmlessBesideARule(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"cd src && make", "(cd src; make)", "make 2>&1 | tail -20", "make | grep -v x | wc -l", "make; cat out/* /etc/hosts", "ls && make",
		`echo "$HOME" $(pwd); make`, "make < a", `for f in a b; do make "$f" || exit 1; done`, "true && make || false", "env ls; bash -c 'make; cat a'", "/bin/ls; make",
	} {
		e := bash(t, text)
		if got := (Policy{Allowed: rules(t, "bash(make *)")}).Judge(e); got.Outcome != Allow {
			t.Errorf("%s: %+v, want it allowed", text, got)
		}
		if got := (Policy{}).Judge(e); got.Outcome != Ask {
			t.Errorf("%s, without a rule: %+v", text, got)
		}
		if strings.Contains(text, "$f") {
			continue // what is made is not known
		}
		if got := strings.Join(e.Classes(), "|"); got != "bash make" {
			t.Errorf("%s: classes %q", text, got)
		}
	}
	for _, text := range []string{"ls", "cat a | head", "cd src"} {
		if got := (Policy{Allowed: rules(t, "bash(make *)")}).Judge(bash(t, text)); got.Outcome != Ask {
			t.Errorf("%s alone: %+v", text, got)
		}
	}
}

// What comes with a command that a rule names, and may do more than print, is not covered
// by the rule, nor by an answer for the session that is about the command.
//
// Covers: turn-api REQ-04
func TestWhatRulesDoNotCover(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"ls > x", "ls >> x", "ls | tee x", "cat a > b", ": > a", "ls; curl example.com", "cat <(rm x)", "cat $(rm x)",
		"./ls", "/tmp/ls", "bin/ls", "LS", "ls() { rm x; }; ls", "alias ls=rm", "source x", ". ./x",
		"sort -o x a", "sort --outp x a", "sort --compress-program=./x a", "uniq a b", "tree -o x", "diff -l a b", "file -C -m x",
		"rg --pre ./x a", "rg -z a", "sed -i s/a/b/ x", "sed -n 'w x' a", "sed -n '1e rm x' a", "awk 1 a", `awk 'BEGIN{system("x")}'`,
		"find . -delete", "find . -fprint x", `find . -exec rm {} \;`, `find . -exec ./ls \;`, `find . -okdir rm {} \;`,
		"git push", "git status", "git -c core.pager=x log", "git diff --output x", "git grep -O./x a", "git config alias.x '!rm x'",
		"GIT_PAGER=x cat a", "PATH=. ls", "LD_PRELOAD=x ls", "LC_ALL=../../x ls", "export LANG=C", "IFS=x; ls",
		"date -s x", "hostname x", "printf -v PATH x", "printf %n PATH", `printf "$x" PATH`, "read PATH", "wait -p PATH", "test $x", "[ -v 'a[$(rm x)]' ]",
		"((x=1))", "echo $((x))", `x='a[$(rm x)]'; echo $((x))`, "echo ${a['$(rm x)']}", "[[ 'a[$(rm x)]' -eq 1 ]]", "let 'a[$(rm x)]'",
		"unset 'a[$(rm x)]'", "read 'a[$(rm x)]'", "printf -v 'a[$(rm x)]' 1", "PS4='$(rm x)'; set -x; ls",
		"less a", "vim a", "env", `eval "$x"`, "bash x", `bash -c "$x"`, "xargs rm", "go env -w A=b", "python3 -c 1", "node x --version",
		"mkfifo x", "rm x", "touch x", "sudo ls", "jobs", "kill 1", "ulimit -n 5", "cat < /dev/tcp/h/80", "ls > /dev/tcp/h/80", "trap 'rm x' EXIT",
	} {
		e := bash(t, "make\n"+text)
		if got := (Policy{Allowed: rules(t, "bash(make *)")}).Judge(e); got.Outcome != Ask {
			t.Errorf("%s: %+v, want it asked about", text, got)
		}
		if got := strings.Join(e.Classes(), "|"); got == "bash make" {
			t.Errorf("%s: an answer for the session about make covers it", text)
		}
	}
}

// A rule of permit.outside names all that runs as the person: what only prints could
// print a key.
//
// Covers: turn-api REQ-04
func TestNothingIsHarmlessOutside(t *testing.T) {
	t.Parallel()
	p := Policy{Outside: rules(t, "bash(git push *)")}
	for text, want := range map[string]Outcome{
		"git push origin main": Allow, "env git push": Allow,
		"git push; cat ~/.ssh/id_rsa": Ask, "git push; echo $GITHUB_TOKEN": Ask, "cd vendor && git push": Ask, "git push < ~/.netrc": Ask,
	} {
		e := bash(t, text)
		e.Outside, e.Network = true, true
		if got := p.Judge(e); got.Outcome != want {
			t.Errorf("%s: %+v, want %s", text, got, want)
		}
	}
}

// A command that may reach other machines is asked about whatever its text says, until a
// rule or an answer for the session covers it.
//
// Covers: turn-api REQ-04
func TestCommandsWithANetwork(t *testing.T) {
	t.Parallel()
	e := bash(t, "ls")
	e.Deferred, e.Network = true, true
	if got := (Policy{}).Judge(e); got.Outcome != Ask || !strings.Contains(got.Reason, "other machines") {
		t.Errorf("%+v", got)
	}
	if got := (Policy{Allowed: rules(t, "bash(ls *)")}).Judge(e); got.Outcome != Allow {
		t.Errorf("with a rule: %+v", got)
	}
}

func TestClassesOfEffects(t *testing.T) {
	t.Parallel()
	unconfined := bash(t, "make")
	unconfined.Unconfined = true
	for _, c := range []struct {
		e    Effect
		want string
	}{
		{bash(t, "make; rm x; ls; make"), "bash make|bash rm"},
		{bash(t, "ls -l"), "bash ls"},
		{bash(t, "cd src; ls | head"), "bash cd|bash head|bash ls"},
		{bash(t, "env rm x"), "bash rm"},
		{bash(t, "rm $x"), "bash rm"},
		{bash(t, "make $x"), ""},
		{bash(t, "$x"), ""},
		{unconfined, ""},
		{Effect{Tool: "fetch", Kind: Network, Hosts: []string{"B.com", "a.com"}}, "fetch a.com|fetch b.com"},
		{Effect{Tool: "write", Kind: Write, Paths: []string{"x"}}, "write"},
	} {
		if got := strings.Join(c.e.Classes(), "|"); got != c.want {
			t.Errorf("%s %s: classes %q, want %q", c.e.Tool, c.e.Command, got, c.want)
		}
	}
}
