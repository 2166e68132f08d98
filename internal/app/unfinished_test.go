package app

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/journal"
	"belay/internal/turn"
)

// A change of files that a crash cut off is told by doctor, and finished when a
// server starts; what nobody needs any more goes with gc.
func TestUnfinishedChanges(t *testing.T) {
	t.Parallel()
	a, project, root := openedIn(t)
	unfinishedCheck := func() Check { return unfinished(t.Context(), a.Config) }
	if c := unfinishedCheck(); c.Level != OK {
		t.Errorf("before: %+v", c)
	}
	cutOff(t, a, project, root)
	if c := unfinishedCheck(); c.Level != Notice || !strings.Contains(c.Detail, "write, begun ") || !strings.Contains(c.Detail, project) || c.Next == "" {
		t.Errorf("after a crash: %+v", c)
	}
	resume(t.Context(), a)
	if c := unfinishedCheck(); c.Level != OK {
		t.Errorf("after a server has started: %+v", c)
	}
	if data, err := os.ReadFile(filepath.Join(project, "f")); err != nil || string(data) != "a" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	if left := names(t, filepath.Join(project, ".belay/journal")); len(left) > 0 {
		t.Errorf("there is still %v", left)
	}
	must(t, a.Sweep(t.Context())) // the session is not known
	if a.journal.Left(project, "nobody") {
		t.Error("what was settled for a session that is gone stays")
	}
}

// A reader of the running server sees no half of a change that another process was cut off in.
func TestUnfinishedChangesAreNotRead(t *testing.T) {
	t.Parallel()
	a, project, root := openedIn(t)
	for range 2 { // an index that begins, and one that follows
		cutOff(t, a, project, root)
		_, err := a.index.Current(t.Context(), project)
		must(t, err)
		if c := unfinished(t.Context(), a.Config); c.Level != OK {
			t.Errorf("after a look into the project: %+v", c)
		}
		must(t, os.Remove(filepath.Join(project, "f")))
	}
}

// openedIn opens an app and an empty project.
func openedIn(t *testing.T) (a *App, project string, root *os.Root) {
	t.Helper()
	a, home := opened(t, "")
	project = filepath.Join(home, "project")
	must(t, os.Mkdir(project, 0o700))
	root, err := os.OpenRoot(project)
	must(t, err)
	t.Cleanup(func() { must(t, root.Close()) })
	return a, project, root
}

// cutOff leaves a change of the project as a process that died after all was done.
func cutOff(t *testing.T, a *App, project string, root *os.Root) {
	t.Helper()
	p, err := newJournal(a.Config).Open(t.Context(), project, root)
	must(t, err)
	const sum = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
	tx, err := p.Begin(journal.Plan{Owner: journal.Owner{What: "write", Session: "nobody"}, Changes: []journal.Change{{
		Op: journal.Create, Path: "f", After: journal.State{Type: journal.File, SHA256: sum},
		Content: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a")), nil },
	}}})
	must(t, err)
	must(t, tx.Prepare())
	must(t, tx.Apply(t.Context()))
	must(t, p.Close())
}

// gc removes what the journal kept because of a conflict when that is old.
func TestKeptContentsAreSwept(t *testing.T) {
	t.Parallel()
	a, home := opened(t, "blobs: {retention: 1h}")
	project := filepath.Join(home, "project")
	kept := filepath.Join(project, ".belay/journal")
	must(t, os.MkdirAll(filepath.Join(kept, "kept-new"), 0o700))
	must(t, os.MkdirAll(filepath.Join(kept, "kept-old"), 0o700))
	old := time.Now().Add(-2 * time.Hour)
	must(t, os.Chtimes(filepath.Join(kept, "kept-old"), old, old))
	_, err := a.Engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: project})
	must(t, err)
	_, err = a.GC(t.Context(), false)
	must(t, err)
	if left := names(t, kept); len(left) != 1 || left[0] != "kept-new" {
		t.Errorf("there is %v", left)
	}
}
