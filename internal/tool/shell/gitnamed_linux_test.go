package shell

import (
	"os"
	"os/exec"
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
