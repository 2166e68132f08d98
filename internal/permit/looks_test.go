package permit

import (
	"strings"
	"testing"
)

// Covers: turn-api REQ-04
func TestCommandsThatOnlyLook(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"ls", "ls -la src", "ls *", "/bin/ls -l", "env ls", "timeout 5 ls", "bash -c 'ls; cat a'", "ls & wait",
		"cat a b", "cat src/*.go", "cat < a", "head -n 5 a | tail -1", "grep -rn 'a b' . | wc -l",
		"git status", "git --no-pager log --oneline -5", "git log -p main..dev", "git diff HEAD~1 -- a", "git show HEAD:a",
		"git branch -a", "git stash list", "git log | head",
		"LC_ALL=C sort -u a", "LANG=C sort -k2,3 -t: a", "uniq -c a", "diff -u a b", "rg --files -g '*.go'", "file a", "jq .a b.json",
		"find . -name '*.go' -type f", "find . -mtime -1 -size +10k", `find src -exec pwd \;`,
		"sed -n 1,20p a", "sed -n '1,$p' a", "cd src && ls", "cd src; cat a",
		`echo $HOME "$x" > /dev/null`, "echo a 2>&1", `printf '%s\n' "$x"`, "test -f a && [ -d b ] || echo no",
		`for f in a b; do echo "$f"; done`, "command -v git", "date +%F", "date -u", "go version", "node --version",
		`while read -r line; do echo "$line"; done < a`, "IFS= read -r x", "true", "xargs",
	} {
		e := bash(t, text)
		if got := (Policy{}).Judge(e); got.Outcome != Allow {
			t.Errorf("%s: %+v, want it allowed", text, got)
		}
		e.Unconfined = true
		if got := (Policy{}).Judge(e); got.Outcome != Ask {
			t.Errorf("%s, unconfined: %+v, want it asked about", text, got)
		}
	}
}

// Covers: turn-api REQ-04
func TestCommandsThatDoMore(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"ls > x", "ls >> x", "ls | tee x", "cat a > b", ": > a", "ls; curl example.com",
		"cat /etc/passwd", "cat ~/.ssh/id_rsa", "cat ../x", "cat a/../../x", "cat < /etc/passwd", `cat "$x"`, "cat $(ls)", `cat ..\\x`,
		"grep x -f/etc/passwd", "grep --file=/etc/passwd a", "grep x C:/x", "cat <(echo a)",
		"./ls", "/tmp/ls", "bin/ls", "LS", "ls() { rm x; }; ls", "alias ls=rm", "source x",
		"sort -o x a", "sort -no x a", "sort --output=x a", "sort --outp x a", "sort --o=x a", "sort a*.txt *",
		"sort --compress-program=./x a", "sort -T x a", "uniq a b", "uniq a*", "tree -o x",
		"rg --pre ./x a", "rg --pr=./x a", "rg -z a", "file -C -m x", "diff -l a b",
		"sed -i s/a/b/ x", "sed -n 'w x' a", "sed -n '1e rm x' a", "sed s/a/b/e x", "sed -n 1p -i a", "sed -n '1p;w x' a",
		"find . -delete", "find . -fprint x", "find . -fls x", `find . -exec rm {} \;`, `find . -exec ./ls \;`,
		`find . -okdir rm {} \;`, "find -files0-from x", "find *", "find . -name *", "find / -name x",
		"git push", "git -c core.pager=x log", "git -C x status", "git --git-dir=x log", "git --exec-path=x status",
		"git --paginate log", "git log --output=x", "git log --outp=x", "git diff --output x", "git diff --ext-diff",
		"git show --textconv", "git log --format=%G?", "git grep -O./x a", "git branch x", "git branch -D x", "git tag x",
		"git stash", "git stash pop", "git remote add x y", "git config alias.x '!rm x'", "git checkout x", "git worktree",
		"cd x && git status", "cd .. && ls", "cd /",
		"GIT_PAGER=x git log", "PATH=. ls", "LD_PRELOAD=x ls", "LC_ALL=../../x ls", "LANG=$x ls", "export LANG=C",
		"date -s x", "date 01010000", "hostname x", "printf -v PATH x", `printf "$x" PATH`, "read PATH",
		"[ -v 'a[$(rm x)]' ]", "test $x", "((x=1))", "echo $((x))", "awk 1 a", `awk 'BEGIN{system("x")}'`,
		"less a", "vim a", "env", "printenv", `eval "$x"`, "bash x", `bash -c "$x"`, "bash -c ''", "xargs cat",
		"go env -w A=b", "go version -m x y", "go list", "python3 -c 1", "node x --version", "curl --version", "curl example.com",
		"mkfifo x", "rm x", "touch x", "sudo ls", "make", "jobs", "kill 1", "wait -np PATH",
		"PS4='$(rm x)'; set -x; ls", `x='a[$(rm x)]'; echo $((x))`, "echo ${a['$(rm x)']}", "[[ 'a[$(rm x)]' -eq 1 ]]", "let 'a[$(rm x)]'",
		"unset 'a[$(rm x)]'", "read 'a[$(rm x)]'", "printf -v 'a[$(rm x)]' 1", ". ./x", "ulimit -n 5", "", "if",
	} {
		if got := (Policy{}).Judge(bash(t, text)); got.Outcome != Ask {
			t.Errorf("%s: %+v, want it asked about", text, got)
		}
	}
	planted := bash(t, "git status")
	planted.Planted = true
	if got := (Policy{}).Judge(planted); got.Outcome != Ask {
		t.Errorf("git where the project says what it runs: %+v, want it asked about", got)
	}
	sub := bash(t, "git status")
	sub.Dir = "vendor/x"
	if got := (Policy{}).Judge(sub); got.Outcome != Ask {
		t.Errorf("git in a folder of the project: %+v, want it asked about", got)
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
		{bash(t, "ls -l"), ""},
		{bash(t, "ls /etc"), "bash ls"},
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
