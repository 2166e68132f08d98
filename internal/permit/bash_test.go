package permit

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/processgroup"
)

// stubs are the programs of the world in which bash runs the texts: they only
// note that they ran. What runs other programs is real.
var (
	stubs = []string{"rm", "ls", "git", "cat", "tee", "echo", "curl", "y", "x", "X", "st", "sudo", "evil"}
	reals = []string{"env", "timeout", "nice", "nohup", "xargs", "find", "sh", "bash", "dash"}
)

// variants are further ways to run a program, and to seem to.
var variants = []string{
	"r\\\nm x", "rm\\\n x", "git status;# rm x\nrm x", "# rm x", "echo '#' ; rm x", "echo a#b; rm x", "echo ok\\;rm x", "echo ok \\\nrm x",
	"ls;rm x", "ls&rm x", "ls|rm x", "ls||rm x", "ls &&rm x", "ls 'a;rm x'", "ls \"a\nrm x\"", "ls $'\\n'rm", `"r"'m' x`, "'' rm x",
	"X=1 Y=2 rm x", "X= rm x", "X=$(rm x)", "a[$(rm x)]=1", "a=(a $(rm x))", ": ${z:=$(rm x)}", "export A=$(rm x)", "local A=`rm x`",
	"<<E rm x\nE", "cat <<'E' | rm\nhello\nE", "cat <<\"E\"\n$(rm x)\nE", "cat <<\\E\n$(rm x)\nE", "cat <<E\n\\$(rm x)\nE", "cat <<E\n${z:-$(rm x)}\nE",
	"echo \"a `rm x` b\"", "echo \"${z:-`rm x`}\"", "echo $((`rm x`))", "echo ${z:$(rm x)}", "echo \"$(echo \"$(rm x)\")\"", "echo `echo \\`rm x\\``",
	"{ rm x; }", "( rm x )", "if true; then rm x; fi > f", "until rm x; do break; done", "for i in $(rm x); do :; done", "for ((i=0;i<1;i++)); do rm x; done",
	"case $(rm x) in *) ;; esac", "[ \"$(rm x)\" ]", "[[ a =~ $(rm x) ]]", "[[ -f z ]] || rm x", "((1)) && rm x", "test -f z || { rm x; }",
	"function f() (rm x); f", "f() { rm x; }; trap f EXIT", "f() { \"$@\"; }; f rm x", "f() { $1; }; f rm", "time rm x", "time -p rm x", "time -- rm x", "! rm x",
	"command command rm x", "builtin command rm x", "builtin eval rm x", "command eval 'rm x'", "eval -- 'rm x'", "eval 'ev''al rm x'", "exec sh -c 'rm x'",
	"exec -a ls rm x", "env -- rm x", "env -u FOO rm x", "env -uFOO rm x", "env - PATH=\"$PATH\" rm x", "env FOO=$(rm x) git", "env env env rm x", "env -S'rm x'",
	"nice rm x", "nice -n5 rm x", "nice -5 rm x", "timeout 5s rm x", "timeout --kill-after 5 5 rm x", "timeout -s KILL 5 rm x", "nohup -- rm x",
	"sh -c rm\\ x", "sh -c \"rm\" x", "bash -c -e 'rm x'", "bash -c -- 'rm x'", "bash -ec 'rm x'", "bash -x -c 'rm x'", "bash +e -c 'rm x'", "bash -c 'rm x' -e",
	"bash --norc -c 'rm x'", "bash <(echo rm x)", "bash -O extglob -c 'rm x'", "echo rm x | sh", "sh - <<< 'rm x'", "bash -s <<< 'rm x'", "bash -c '$0' rm", "bash -c 'eval \"$1\"' a 'rm x'",
	"xargs -n1 rm <<< x", "xargs -d '\\n' rm <<< x", "xargs -i rm {} <<< x", "xargs --max-args=1 rm <<< x", "xargs -I % % x <<< rm", "xargs <<< x", "xargs -a f -E z rm",
	"find . -maxdepth 0 -exec rm x ';'", "find . \\( -maxdepth 0 -exec rm {} + \\)", "find . -maxdepth 0 -exec env rm x \\; -quit", "find . -maxdepth 0 -exec sh -c 'rm x' \\;",
	"trap 'rm x' EXIT", "trap -- 'rm x' EXIT", "trap 'rm x' DEBUG; :", "coproc rm x", "cat <(rm x)", "ls > >(rm x)", "ls 2> >(rm x)", "alias ls=rm\nls x",
	"shopt -s expand_aliases\nalias ls='rm x;'\nls", "hash -p \"$(command -v rm)\" zz; zz", "z=rm; $z x", "z=(rm x); \"${z[@]}\"", "z=rm; y=z; ${!y}", "printf -v z rm; $z",
	"echo $'\\'; rm x #'", "[[ a > b ]]; rm x", "echo $'a'; rm x", "ls &> f; rm x", "ls |& rm x", "ls <(rm x)", "[[ -z $(rm x) ]]", "echo {a,b}; rm x",
	"{rm,x}", "/bin/tr[u]e; rm x", "${0#*} rm x", "$(printf rm) x", "set -- rm x; \"$@\"", "read z <<< rm; $z", "mapfile -C 'rm x' -c 1 z <<< 1",
}

// The analysis is compared with the shell itself: of a text that it says it has
// taken apart in full, bash runs no program that it did not name, and neither does the
// plain shell that it is given to.
func TestBashRunsWhatWasSaid(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no bash here")
	}
	bin := stubbed(t)
	ran := 0
	all := slices.AppendSeq(slices.Clone(variants), maps.Keys(texts))
	for _, plain := range []string{"sh", "dash"} {
		for _, text := range all[:len(variants)+len(texts)] {
			all = append(all, plain+" -c '"+strings.ReplaceAll(text, "'", `'\''`)+"'")
		}
	}
	for _, text := range all {
		cmds, opaque, err := ParseCommand(text)
		if err != nil || opaque || strings.Contains(text, "/dev/tcp") {
			continue
		}
		for _, name := range runs(t, shell, bin, text) {
			ran++
			if !slices.ContainsFunc(cmds, func(c Command) bool { return c.Name == name }) {
				t.Errorf("%q runs %s, which is none of %v", text, name, cmds)
			}
		}
	}
	if ran < 50 {
		t.Errorf("bash ran only %d programs: the test does not do what it should", ran)
	}
}

// stubbed is a folder with the programs of the world.
func stubbed(t testing.TB) string {
	t.Helper()
	bin := t.TempDir()
	for _, name := range stubs {
		script := fmt.Sprintf("#!/bin/sh\necho %s >> \"$PERMIT_TEST_LOG\"\n", name)
		must(t, os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700))
	}
	for _, name := range reals {
		if at, err := exec.LookPath(name); err == nil {
			must(t, os.Symlink(at, filepath.Join(bin, name)))
		}
	}
	return bin
}

// runs returns the programs that a shell ran for a text, in a folder of its own
// with nothing but the test's programs to be found.
func runs(t *testing.T, shell, bin, text string) []string {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, ".log")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	// What runs in the background is waited for.
	cmd := exec.CommandContext(ctx, shell, "-c", text+"\nwait")
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, []string{"PATH=" + bin, "PERMIT_TEST_LOG=" + log, "HOME=" + dir}, time.Second
	processgroup.Set(cmd)
	cmd.Cancel = func() error { return processgroup.Kill(cmd) }
	_ = cmd.Run() // many of the texts fail: what matters is what ran
	_ = processgroup.Kill(cmd)
	if ctx.Err() != nil {
		t.Errorf("%q did not end", text)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}
