package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/journal"
)

// What a name refers to comes before the name, and what goes is last.
func TestGitOrder(t *testing.T) {
	t.Parallel()
	file, gone := journal.State{Type: journal.File}, journal.State{}
	var names []string
	for _, c := range gitOrder([]journal.Change{
		{Op: journal.Remove, Path: "a", After: gone},
		{Op: journal.Remove, Path: ".git/objects/01/2", After: gone},
		{Op: journal.Remove, Path: ".git/refs/old", After: gone},
		{Op: journal.Mkdir, Path: "b", After: journal.State{Type: journal.Folder}},
		{Op: journal.Mkdir, Path: ".git/refs/old", After: journal.State{Type: journal.Folder}},
		{Op: journal.Replace, Path: ".git/HEAD", After: file},
		{Op: journal.Replace, Path: ".git/index", After: file},
		{Op: journal.Create, Path: ".git/logs/HEAD", After: file},
		{Op: journal.Create, Path: ".git/objects/pack/p", After: file},
		{Op: journal.Replace, Path: ".git/refs/heads/main", After: file},
		{Op: journal.Create, Path: "b/c", After: file},
	}) {
		names = append(names, string(c.Path))
	}
	const want = "a .git/refs/old b .git/refs/old b/c .git/objects/pack/p .git/logs/HEAD .git/refs/heads/main .git/HEAD .git/index .git/objects/01/2"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the order is\n%s\nwant\n%s", got, want)
	}
}

// While git holds the lock of the index, nothing of a repository is applied, and the
// changes are kept.
func TestGitAtWork(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	s, w := newShell(t, base, Options{}), newPlace(t, base)
	if r, err := callShell(t, s, w, input{Command: "git init -q . && echo > a && git add a"}); err != nil || r.Failed {
		t.Fatalf("git made no repository: %+v, %v", r, err)
	}
	lock := filepath.Join(w.Project, ".git", "index.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := callShell(t, s, w, input{Command: "rm .git/index.lock; echo > b && git add b && touch .git/index.lock"})
	if err != nil || !strings.Contains(r.Text, "nothing of what it changed is real: git is at work in the repository (.git/index.lock is there)") {
		t.Errorf("the command is told %q, %v", r.Text, err)
	}
	if _, err := os.Stat(filepath.Join(w.Project, "b")); err == nil {
		t.Error("the change was made")
	}
}
