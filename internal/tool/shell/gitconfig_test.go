package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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

// A repository of somebody else's does not run its programs because an agent looks at
// it: git status is asked about where its configuration may name some.
func TestGitOfAHostileRepository(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config string
		files  map[string]string
		runs   bool
	}{
		"cloned":                      {config: cloned},
		"a monitor":                   {config: cloned + "[core]\n\tfsmonitor = ./evil\n", runs: true},
		"on the section's line":       {config: "[core] fsmonitor = ./evil\n", runs: true},
		"in capitals":                 {config: "[CORE]\n FSMonitor=./evil\n", runs: true},
		"a differ":                    {config: cloned + "[diff]\n\texternal = ./evil\n", runs: true},
		"a filter":                    {config: "[filter \"x\"]\n\tclean = ./evil\n", runs: true},
		"another file":                {config: "[include]\n\tpath = ../evil\n", runs: true},
		"a continued line":            {config: "[remote \"x\"]\n\turl = a\\\n[core]\n", runs: true},
		"a quoted section":            {config: "[remote \"x\\\"]\n[core]\nfsmonitor=x\n#\"]\n", runs: true},
		"a promisor":                  {config: "[remote \"x\"]\n\tpromisor = true\n\tuploadpack = ./evil\n", runs: true},
		"a key before every section":  {config: "fsmonitor = x\n", runs: true},
		"a hook":                      {config: cloned, files: map[string]string{".git/hooks/post-index-change": "#!/bin/sh\n"}, runs: true},
		"a hook that looks never run": {config: cloned, files: map[string]string{".git/hooks/pre-commit": "#!/bin/sh\n"}},
		"a configuration elsewhere":   {config: cloned, files: map[string]string{".git/commondir": "../evil"}, runs: true},
		"the project is one itself":   {config: cloned, files: map[string]string{"HEAD": "ref: refs/heads/main\n"}, runs: true},
		"a repository in the index":   {config: cloned, files: map[string]string{".git/index": "DIRC\x00\x00\x00\x02\x00\x00\xe0\x00"}, runs: true},
	} {
		dir := t.TempDir()
		tt.files = merged(tt.files, ".git/config", tt.config)
		for path, text := range tt.files {
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700))
			must(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
		}
		root, err := os.OpenRoot(dir)
		must(t, err)
		if got := gitRuns(root); got != tt.runs {
			t.Errorf("%s: %v", name, got)
		}
		must(t, root.Close())
	}
}

func merged(files map[string]string, path, text string) map[string]string {
	all := map[string]string{path: text}
	for p, s := range files {
		all[p] = s
	}
	return all
}

// What git itself makes is harmless; a submodule, and a link for .git, are not known
// to be.
func TestGitOfAnOwnRepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	must(t, err)
	t.Cleanup(func() { must(t, root.Close()) })
	if gitRuns(root) {
		t.Error("a project without a repository")
	}
	git, err := exec.LookPath("git")
	must(t, err)
	in := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), git, append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e"}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	in("init", "-q")
	must(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
	in("add", "a")
	in("commit", "-qm", "first")
	if gitRuns(root) {
		t.Error("what git init made is asked about")
	}
	in("init", "-q", "sub")
	in("-C", "sub", "commit", "-q", "--allow-empty", "-m", "first")
	in("add", "sub")
	if !gitRuns(root) {
		t.Error("a repository in the repository is not")
	}
	must(t, os.Rename(filepath.Join(dir, ".git"), filepath.Join(dir, "other")))
	must(t, os.Symlink("other", filepath.Join(dir, ".git")))
	if !gitRuns(root) {
		t.Error("a link is taken for the repository")
	}
}
