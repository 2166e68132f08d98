package review_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"belay/internal/permit/review"
)

const cloned = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
# a remark
[remote "origin"]
	url = https://example.com/x.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
`

// A configuration is plain only where nothing in it can make git run a program, however
// it is written.
func TestPlainGitConfig(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config string
		plain  bool
	}{
		"empty":                      {"", true},
		"cloned":                     {cloned, true},
		"a monitor":                  {cloned + "[core]\n\tfsmonitor = ./evil\n", false},
		"on the section's line":      {"[core] fsmonitor = ./evil\n", false},
		"in capitals":                {"[CORE]\n FSMonitor=./evil\n", false},
		"a differ":                   {cloned + "[diff]\n\texternal = ./evil\n", false},
		"a filter":                   {"[filter \"x\"]\n\tclean = ./evil\n", false},
		"another file":               {"[include]\n\tpath = ../evil\n", false},
		"a continued line":           {"[remote \"x\"]\n\turl = a\\\n[core]\n", false},
		"a quoted section":           {"[remote \"x\\\"]\n[core]\nfsmonitor=x\n#\"]\n", false},
		"a promisor":                 {"[remote \"x\"]\n\tpromisor = true\n\tuploadpack = ./evil\n", false},
		"a program for an address":   {"[remote \"x\"]\n\turl = ext::evil\n", false},
		"a key before every section": {"fsmonitor = x\n", false},
	} {
		if got := review.PlainGitConfig(tt.config); got != tt.plain {
			t.Errorf("%s: plain is %v", name, got)
		}
	}
}

// What git itself writes is plain.
func TestGitWritesPlainConfigs(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("skipped: there is no git here")
	}
	dir := t.TempDir()
	for _, args := range [][]string{
		{"init", "-q"}, {"remote", "add", "origin", "https://example.com/x.git"}, {"config", "branch.main.remote", "origin"},
	} {
		cmd := exec.CommandContext(t.Context(), git, append([]string{"-C", dir}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, ".git", "config"))
	if err != nil || !review.PlainGitConfig(string(text)) {
		t.Errorf("%v:\n%s", err, text)
	}
}
