package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// script runs commands in a folder as a person does.
func script(t *testing.T, dir, text string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", text)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", text, err, out)
	}
}

const (
	someHook = "mkdir -p tools/hooks; printf '#!/bin/sh\\ntrue\\n' >tools/hooks/pre-commit; chmod +x tools/hooks/pre-commit; "
	newHook  = "printf '#!/bin/sh\\ntouch found\\n' >tools/hooks/pre-commit"
	commit   = "echo a >f; git add -A; git commit -qm x; "
)

// TestNamedByGit: what a configuration of Git names is asked about, wherever the configuration is.
func TestNamedByGit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ around, setup, command, want string }{
		"a worktree": {
			"mkdir main; cd main; git init -q; " + someHook + commit + "git config core.hooksPath tools/hooks; git worktree add -q ../project", "", newHook, "tools/hooks/pre-commit is run or read by git",
		},
		"a subfolder":         {"git init -q; git config core.hooksPath project/tools/hooks", someHook, newHook, "tools/hooks/pre-commit is run"},
		"a repository in it":  {"", "git init -q sub; cd sub; " + someHook + commit + "git config core.hooksPath tools/hooks", "cd sub; " + newHook, "sub/tools/hooks/pre-commit is run"},
		"an included file":    {"", "git init -q; " + someHook + "printf '[core]\\nhooksPath = tools/hooks\\n' >settings; git config include.path ../settings", newHook, "tools/hooks/pre-commit is run"},
		"the included file":   {"", "git init -q; echo >settings; git config include.path ../settings", "echo '[core]' >settings", "settings is run or read by git"},
		"a comment":           {"", "git init -q; " + someHook + "printf '[core] hooksPath = tools/hooks # ours\\n' >>.git/config", newHook, "tools/hooks/pre-commit is run"},
		"a filter":            {"", "git init -q; mkdir tools; echo cat >tools/clean.sh; git config filter.x.clean './tools/clean.sh %f'", "echo echo >tools/clean.sh", "tools/clean.sh is run"},
		"an argument":         {"", "git init -q; echo cat >mon.sh; git config core.fsmonitor 'sh mon.sh'", "echo echo >mon.sh", "mon.sh is run"},
		"a new file":          {"", "git init -q; git config diff.x.textconv tools/text", "mkdir tools; echo echo >tools/text", "tools/text is run"},
		"one that is no file": {"", "git init -q; mkfifo settings; git config include.path ../settings", "echo >f", "f may be run by git"},
		"a circle":            {"", "git init -q; git config include.path config", "echo >f", "f may be run by git"},
		"no name of it":       {"", "git init -q; mkdir status; git config alias.st status; git config remote.origin.url ./f", "echo >f; echo >status/x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := tempDir(t)
			script(t, base, test.around+"\n:")
			w := newPlace(t, base)
			script(t, w.Project, test.setup+"\n:")
			r, err := runShell(t, shared, w, input{Command: test.command})
			must(t, err)
			if got := strings.Join(r.Changes.Effect().Automatic, "\n"); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
				t.Errorf("it says %q, want %q", got, test.want)
			}
			_, err = r.Changes.Discard(t.Context(), "")
			must(t, err)
		})
	}
}

// TestNamedByOwnGit: what the person's own configuration names counts as well.
func TestNamedByOwnGit(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w := newPlace(t, base)
	script(t, w.Project, "git init -q; "+someHook)
	w.Person.Home = base
	w.Person.GitConfigs = []string{filepath.Join(base, "missing"), filepath.Join(base, ".gitconfig"), os.DevNull}
	must(t, os.WriteFile(filepath.Join(base, ".gitconfig"), []byte("[includeIf \"gitdir:~/\"]\npath = ~/more\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(base, "more"), []byte("[core]\nhooksPath = tools/hooks\n"), 0o600))
	r, err := runShell(t, shared, w, input{Command: newHook})
	must(t, err)
	if got := r.Changes.Effect().Automatic; len(got) != 1 || !strings.HasPrefix(got[0], "tools/hooks/pre-commit is run") {
		t.Errorf("it says %q", got)
	}
	_, err = r.Changes.Discard(t.Context(), "")
	must(t, err)
}

// TestRiskComesLater: two commands make a git directory, each a half of it. The second one that
// is applied is not, as nobody was asked whether it may run something.
func TestRiskComesLater(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	first, err := runShell(t, shared, w, input{Command: "mkdir -p x/objects; echo ref: refs/heads/main >x/HEAD; printf '[core]\\nfsmonitor=touch found\\n' >x/config"})
	must(t, err)
	second, err := runShell(t, shared, w, input{Command: "mkdir -p x/refs"})
	must(t, err)
	if a, b := first.Changes.Effect().Automatic, second.Changes.Effect().Automatic; len(a)+len(b) > 0 {
		t.Fatalf("a half runs: %q, %q", a, b)
	}
	r, err := second.Changes.Apply(t.Context(), nil)
	must(t, err)
	if r.Kept != "" {
		t.Fatalf("the first half is kept: %s", r.Kept)
	}
	r, err = first.Changes.Apply(t.Context(), nil)
	must(t, err)
	if _, err := os.Stat(filepath.Join(w.Project, "x", "HEAD")); err == nil || !strings.Contains(r.Kept, "the project has changed since it was reviewed, and now x/objects makes the folder a git directory") {
		t.Errorf("kept: %q, %v", r.Kept, err)
	}
}

// TestRepositoryUnmade: taking away what makes a repository one is asked about, and what goes
// with it is said.
func TestRepositoryUnmade(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	script(t, w.Project, "git init -q; "+commit+"for i in 1 2 3; do echo $i >f; git stash -q; done; git branch old; git pack-refs --all")
	for command, want := range map[string]struct{ automatic, does string }{
		"rm -rf .git/refs": {".git/refs makes git pass over this git directory", "git passes over it then, as it has no refs"},
		"rm -rf .git/refs .git/logs .git/packed-refs": {".git/refs makes git pass over this git directory", "branch old is deleted"},
		"rm -rf .git":      {".git is removed with its history, and nobody can take that back", "it is removed, with its history"},
		"rm -rf .git/logs": {"", "3 changes of the stash dropped"},
		"tail -n 1 .git/logs/refs/stash >.git/x; mv .git/x .git/logs/refs/stash": {"", "2 changes of the stash dropped"},
		"rm -f .git/logs/HEAD": {"", "1 reflog is removed"},
		"echo >.git/logs/HEAD": {"", "1 reflog gets shorter"},
	} {
		r, err := runShell(t, shared, w, input{Command: command})
		must(t, err)
		e := r.Changes.Effect()
		does := ""
		for _, repo := range e.Repositories {
			does += strings.Join(repo.Does, "\n")
		}
		if got := strings.Join(e.Automatic, "\n"); !strings.Contains(got, want.automatic) || (want.automatic == "") != (got == "") || !strings.Contains(does, want.does) ||
			strings.Contains(does, "no branch, tag") {
			t.Errorf("%s: it says %q and %q, want %q and %q", command, got, does, want.automatic, want.does)
		}
		_, err = r.Changes.Discard(t.Context(), "")
		must(t, err)
	}
}
