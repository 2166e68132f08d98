package permit

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parts shows what a text was taken apart into: the words of each command, w:
// before one that only runs another, d: before one that is not known in full.
func parts(t testing.TB, text string) []string {
	t.Helper()
	cmds, opaque, err := ParseCommand(text)
	if err != nil {
		return []string{"ERROR"}
	}
	var all []string
	for _, c := range cmds {
		s := strings.Join(c.Words, " ")
		if c.Dynamic {
			s = "d:" + s
		}
		if c.Wraps {
			s = "w:" + s
		}
		all = append(all, s)
	}
	if opaque {
		all = append(all, "OPAQUE")
	}
	return all
}

// texts are commands with what they come to. [TestBashRunsWhatWasSaid] runs them.
var texts = map[string][]string{
	"git status":                         {"git status"},
	"git status; rm -rf x":               {"git status", "rm -rf x"},
	"git status\nrm x":                   {"git status", "rm x"},
	"git status & rm x":                  {"git status", "rm x"},
	"git status && rm x || echo no":      {"git status", "rm x", "echo no"},
	"git status | tee x":                 {"git status", "tee x"},
	"git status |& tee x":                {"git status", "tee x"},
	"git status $(rm x)":                 {"d:git status $(rm x)", "rm x"},
	"git status `rm x`":                  {"d:git status `rm x`", "rm x"},
	`git status "$(rm x)"`:               {`d:git status "$(rm x)"`, "rm x"},
	`git status '$(rm x)'`:               {"git status $(rm x)"},
	`git status \$\(rm x\)`:              {"git status $(rm x)"},
	"git status # ; rm x":                {"git status"},
	"git status \\\n; rm x":              {"git status", "rm x"},
	"git status <(rm x)":                 {"d:git status <(rm x)", "rm x"},
	"git status > >(rm x)":               {"git status", "d:> >(rm x)", "rm x", "OPAQUE"},
	"FOO=bar git status":                 {"FOO=bar", "git status"},
	"foo=bar git status":                 {"foo=bar", "git status"},
	"foo=bar; git status":                {"git status"},
	"FOO=bar; git status":                {"FOO=bar", "git status"},
	"http_proxy=x; git status":           {"http_proxy=x", "git status"},
	"PATH=$(pwd) ls":                     {"d:PATH=$(pwd)", "ls", "pwd"},
	"export PATH=/x; ls":                 {"export PATH=/x", "ls"},
	`"export" PATH=/x; ls`:               {"export PATH=/x", "ls"},
	"declare -x A=$(rm x)":               {"d:declare -x A=$(rm x)", "rm x"},
	"for PATH in /x; do ls; done":        {"d:PATH=", "ls"},
	"for f in *; do rm $f; done":         {"d:rm $f"},
	"${X:=y}":                            {"d:X=", "d:${X:=y}", "OPAQUE"},
	"env git status":                     {"w:env git status", "git status"},
	"env -i FOO=1 git status":            {"w:env -i FOO=1 git status", "FOO=1", "git status"},
	"env -S 'rm x'":                      {"env -S rm x", "OPAQUE"},
	"env":                                {"env"},
	"/usr/bin/env rm x":                  {"w:/usr/bin/env rm x", "rm x"},
	"command git status":                 {"w:command git status", "git status"},
	"command -v git":                     {"command -v git"},
	"builtin cd x":                       {"w:builtin cd x", "cd x"},
	"exec rm x":                          {"w:exec rm x", "rm x"},
	"exec > log":                         {"exec", "> log"},
	"nohup rm x &":                       {"w:nohup rm x", "rm x"},
	"timeout -k 1 5 rm x":                {"w:timeout -k 1 5 rm x", "rm x"},
	"timeout --signal=KILL 5 rm x":       {"w:timeout --signal=KILL 5 rm x", "rm x"},
	"timeout $X rm x":                    {"d:timeout $X rm x", "OPAQUE"},
	"nice -n 5 env nohup rm x":           {"w:nice -n 5 env nohup rm x", "w:env nohup rm x", "w:nohup rm x", "rm x"},
	"time rm x":                          {"rm x"},
	`\time -p rm x`:                      {"w:time -p rm x", "rm x"},
	"sudo -u root rm x":                  {"sudo -u root rm x", "rm x"},
	"sudo -s":                            {"sudo -s", "OPAQUE"},
	"busybox rm x":                       {"w:busybox rm x", "rm x"},
	`g\it status`:                        {"git status"},
	`\rm x`:                              {"rm x"},
	`'rm' x`:                             {"rm x"},
	`r"m" x`:                             {"rm x"},
	`$'rm' x`:                            {"rm x"},
	`$'\x72m' x`:                         {`d:$'\x72m' x`, "OPAQUE"},
	`$"rm" x`:                            {`d:$"rm" x`, "OPAQUE"},
	"{rm,-rf,x}":                         {"d:{rm,-rf,x}", "OPAQUE"},
	"ls {a,b}":                           {"d:ls {a,b}"},
	"/bin/r* x":                          {"d:/bin/r* x", "OPAQUE"},
	"$CMD x":                             {"d:$CMD x", "OPAQUE"},
	"$(echo rm) x":                       {"d:$(echo rm) x", "echo rm", "OPAQUE"},
	"r${x}m x":                           {"d:r${x}m x", "OPAQUE"},
	"ls=rm; $ls x":                       {"d:$ls x", "OPAQUE"},
	"alias ls=rm; ls x":                  {"alias ls=rm", "ls x", "OPAQUE"},
	"hash -p /evil git; git status":      {"hash -p /evil git", "git status", "OPAQUE"},
	"shopt -s expand_aliases":            {"shopt -s expand_aliases", "OPAQUE"},
	"git() { rm x; }; git status":        {"rm x", "git status"},
	"function git { rm x; }; git status": {"rm x", "git status"},
	"(git() { :; }); git push":           {":", "git push"},
	"bash -c 'rm x; ls'":                 {"w:bash -c rm x; ls", "rm x", "ls"},
	"bash -euxc 'rm x'":                  {"w:bash -euxc rm x", "rm x"},
	"bash -eo pipefail -c 'rm x'":        {"w:bash -eo pipefail -c rm x", "rm x"},
	`bash -c "$X"`:                       {`d:bash -c "$X"`, "OPAQUE"},
	"bash -c 'rm'\"$X\"":                 {"d:bash -c 'rm'\"$X\"", "OPAQUE"},
	"bash -lc 'rm x'":                    {"bash -lc rm x", "OPAQUE"},
	"bash -c 'if'":                       {"w:bash -c if", "OPAQUE"},
	"sh -c 'sh -c \"sh -c rm\"'":         {`w:sh -c sh -c "sh -c rm"`, "w:sh -c sh -c rm", "w:sh -c rm", "rm"},
	"bash script.sh":                     {"bash script.sh"},
	"curl x | bash":                      {"curl x", "bash", "OPAQUE"},
	"bash <<< 'rm x'":                    {"bash", "OPAQUE"},
	"bash <<'E'\nrm x\nE\n":              {"bash", "OPAQUE"},
	"cat <<'E'\n$(rm x)\nE\n":            {"cat"},
	"cat <<E\n$(rm x)\nE\n":              {"cat", "rm x"},
	"cat <<-E\n\t`rm x`\n\tE\n":          {"cat", "rm x"},
	"cat <<< $(rm x)":                    {"cat", "rm x"},
	"eval rm x":                          {"w:eval rm x", "rm x"},
	`eval "r""m x; ls"`:                  {"w:eval rm x; ls", "rm x", "ls"},
	`eval "$X"`:                          {`d:eval "$X"`, "OPAQUE"},
	"trap 'rm x' EXIT":                   {"trap rm x EXIT", "rm x"},
	"trap \"$X\" EXIT":                   {`d:trap "$X" EXIT`, "OPAQUE"},
	"source ./x":                         {"source ./x"},
	"xargs rm":                           {"d:w:xargs rm", "d:rm …"},
	"ls | xargs -0 -n 1 rm -f":           {"ls", "w:xargs -0 -n 1 rm -f", "d:rm -f …"},
	"xargs -I {} {} x":                   {"w:xargs -I {} {} x", "d:{} x …", "OPAQUE"},
	"xargs -I X X y":                     {"xargs -I X X y", "OPAQUE"},
	"xargs":                              {"w:xargs", "d:echo …"},
	"xargs -P4 sh -c 'rm \"$@\"'":        {"w:xargs -P4 sh -c rm \"$@\"", "d:w:sh -c rm \"$@\" …", `d:rm "$@"`},
	"find . -exec rm {} \\;":             {"find . -exec rm {} ;", "d:rm {}"},
	"find . -exec rm {} + -ok ls ';'":    {"find . -exec rm {} + -ok ls ;", "d:rm {}", "ls"},
	"find . -execdir sh -c 'rm {}' \\;":  {"find . -execdir sh -c rm {} ;", "d:sh -c rm {}", "OPAQUE"},
	"find . -exec {} \\;":                {"find . -exec {} ;", "d:{}", "OPAQUE"},
	"echo x > f":                         {"echo x", "> f"},
	"echo x >> f":                        {"echo x", "> f"},
	"echo x >| f":                        {"echo x", "> f"},
	"echo x &> f":                        {"echo x", "> f"},
	"echo x >& f":                        {"echo x", "> f"},
	"> f":                                {"> f"},
	"echo x 2>&1 >/dev/null":             {"echo x"},
	"echo x > $F":                        {"echo x", "d:> $F", "OPAQUE"},
	"{ ls; rm x; } > f":                  {"ls", "rm x", "> f"},
	"for i in 1; do ls; done > f":        {"ls", "> f"},
	"cat < f":                            {"cat", "< f"},
	"cat < /dev/tcp/h/80":                {"cat", "> /dev/tcp/h/80"},
	"cat <> f":                           {"cat", "> f"},
	"if rm x; then ls; else rm y; fi":    {"rm x", "ls", "rm y"},
	"while rm x; do ls; break; done":     {"rm x", "ls", "break"},
	"case x in $(rm x)) ls;; esac":       {"rm x", "ls"},
	"! rm x":                             {"rm x"},
	"coproc rm x":                        {"rm x", "OPAQUE"},
	"echo $((1+2))":                      {"d:echo $((1+2))"},
	"echo $((x+2))":                      {"d:echo $((x+2))", "d:(( $((x+2))"},
	"((PATH=1)); ls":                     {"d:(( ((PATH=1))", "ls"},
	"let x=y":                            {"d:(( let x=y"},
	"echo ${a[x]}":                       {"d:echo ${a[x]}", "d:(( x"},
	"echo ${x@P}":                        {"d:echo ${x@P}", "OPAQUE"},
	"echo ${!x}":                         {"d:echo ${!x}", "OPAQUE"},
	"[[ $x -eq 1 ]]":                     {"d:(( [[ $x -eq 1 ]]"},
	"[[ -v x ]]":                         {"d:(( [[ -v x ]]"},
	"[[ $(rm x) == y ]]":                 {"rm x"},
	"./git status":                       {"./git status"},
	"'a b' c":                            {"d:a b c", "OPAQUE"},
	"'>' f":                              {"d:> f", "OPAQUE"},
	"mapfile -C 'rm x' -c 1 a":           {"mapfile -C rm x -c 1 a", "OPAQUE"},
	"":                                   nil,
	"if":                                 {"ERROR"},
	"echo 'x":                            {"ERROR"},
	"a\x00b":                             {"ERROR"},
	"rm x;;":                             {"ERROR"},
	"ls " + strings.Repeat("x", 33<<10):  {"OPAQUE"},
	strings.Repeat("(", 4<<10):           {"ERROR"},
	"x=1 y=2 {fd}> f":                    {"> f"},
	"{PATH}> f":                          {"d:PATH=", "> f"},
}

// Covers: turn-api REQ-04
func TestParseCommand(t *testing.T) {
	t.Parallel()
	for text, want := range texts {
		if diff := cmp.Diff(sorted(want), sorted(parts(t, text))); diff != "" {
			t.Errorf("%.80q (-want +got)\n%s", text, diff)
		}
	}
}

// What a text could make the analysis do is bounded: it says that it did not see
// everything.
func TestParseCommandIsBounded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"many commands": strings.Repeat("ls;", maxCommands+1),
		"many scripts":  strings.Repeat("sh -c ls;", maxCommands),
		"deep scripts":  strings.Repeat("eval ", maxScripts+1) + "rm x",
		"a long text":   strings.Repeat("x", maxCommandBytes+1),
	} {
		cmds, opaque, err := ParseCommand(text)
		if err != nil || !opaque || len(cmds) > maxCommands {
			t.Errorf("%s: %d commands, opaque %v, error %v", name, len(cmds), opaque, err)
		}
	}
}

func TestClassesOfCommands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"ls -la x":                  {"ls"},
		"git push --force origin":   {"git push"},
		"git --no-pager log -p":     {"git log"},
		"git -c core.pager=x log":   {"git -c core.pager=x log"},
		"git -c user.name=a status": {"git status"},
		"git -c color.ui=never -c user.email=a@b --no-pager log -3": {"git log"},
		"git -c user.name=a stash pop":                              {"git stash pop"},
		"git -c user.name=a -c core.pager=x log":                    {"git -c user.name=a -c core.pager=x log"},
		"git -c core.hooksPath=x commit":                            {"git -c core.hooksPath=x commit"},
		"git -c alias.log=!x log":                                   {"git -c alias.log=!x log"},
		"git -c core.pager=cat log":                                 {"git log"},
		"git -C x push":                                             {"git -C x push"},
		"git stash pop":                                             {"git stash pop"},
		"git $X":                                                    {""},
		"git":                                                       {"git"},
		"go test ./...":                                             {"go test"},
		"go mod tidy":                                               {"go mod tidy"},
		"npm run build -- --x":                                      {"npm run build"},
		"npx -y evil":                                               {"npx -y evil"},
		"npx tsc --noEmit":                                          {"npx tsc"},
		"python3 -m pytest -q":                                      {"python3 -m pytest"},
		"python3 -c 'print(1)'":                                     {"python3 -c"},
		"python3 build.py x":                                        {"python3 build.py"},
		"python3 -W error x.py":                                     {"python3 -W error x.py"},
		"python3 $X":                                                {""},
		"make test -j4":                                             {"make test -j4"},
		"make $X":                                                   {""},
		"rm -rf x":                                                  {"rm"},
		"./run.sh x":                                                {"./run.sh"},
		"/usr/bin/git push":                                         {"git push"},
		"/tmp/git push":                                             {"/tmp/git"},
		"docker compose up -d":                                      {"docker compose up"},
		"gh pr create":                                              {"gh pr create"},
		"curl https://example.com":                                  {"curl"},
		"FOO=1 make":                                                {"FOO=", "make"},
		"sed -i s/a/b/ x > y":                                       {"sed", "> y"},
		"make " + strings.Repeat("x", 300):                          {""},
	} {
		cmds, _, err := ParseCommand(text)
		var classes []string
		for _, c := range cmds {
			if !c.Wraps {
				classes = append(classes, c.Class)
			}
		}
		if err != nil || !slices.Equal(classes, want) {
			t.Errorf("%.60q: classes %q, error %v; want %q", text, classes, err, want)
		}
	}
}

// sorted ignores the order, and which mark comes first.
func sorted(s []string) []string {
	var all []string
	for _, x := range s {
		all = append(all, strings.Replace(x, "d:w:", "w:d:", 1))
	}
	for i, x := range all {
		if strings.HasPrefix(x, "w:d:") {
			all[i] = "w:" + x[4:]
		}
	}
	slices.Sort(all)
	return all
}

// A text of which the parser and bash make different words is opaque: no rule that
// allows its words, and no answer for the session, covers what it does.
func TestWhereShellsDisagree(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"touch a # x \\\nrm b":                             true,
		"touch a #\\\n\\\nrm b":                            true,
		"touch a <<EOF\nEO\\\nF\nrm b\nEOF":                true,
		"touch a <<\"E\\\"OF\"\nE\"OF\nrm b\nE\\\"OF":      true,
		"touch a <<$'EOF'\nx\nEOF":                         true,
		"sh -c \"echo \\$'\\\\'; touch b #'\"":             true,
		"sh -c '[[ a > b ]]; touch c'":                     true,
		"dash -c 'touch a &> b'":                           true,
		"busybox ash -c 'cat <(touch b)'":                  true,
		"sh -c 'sh -c \"[[ a > b ]]\"'":                    true,
		"sh -c 'touch a; for i in 1; do touch b >c; done'": false,
		"bash -c '[[ a < b ]]; touch c &> d'":              false,
		"bash -c 'touch a # x \\\nrm b'":                   true,
		"touch a \\\n  b":                                  false,
		"touch a # x\ntouch b":                             false,
		"cat >a <<'EOF'\nx\nEOF\ncat >>a <<-E_1\n\tx\nE_1": false,
	} {
		_, opaque, err := ParseCommand(text)
		if err != nil || opaque != want {
			t.Errorf("%q: opaque is %v (%v), not %v", text, opaque, err, want)
		}
	}
}

// Where there is no bash a text is read as sh reads it, too.
func TestParsePlainCommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"touch a; for i in 1; do touch b >c; done": false,
		"git status | head":                        false,
		"touch a &> b":                             true,
		"[[ a > b ]]; ls":                          true,
		"cat <(touch b)":                           true,
		"echo $'\\'; touch b #'":                   true,
		"sh -c '[[ a > b ]]'":                      true,
	} {
		cmds, opaque, err := ParsePlainCommand(text)
		if err != nil || opaque != want || len(cmds) == 0 {
			t.Errorf("%q: opaque is %v (%v, %v), not %v", text, opaque, cmds, err, want)
		}
	}
	if _, opaque, err := ParsePlainCommand("("); !opaque || err == nil {
		t.Errorf("what is no command: opaque is %v, %v", opaque, err)
	}
}
