package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/fault"
)

// An index is disposable: the sessions of the caller's own project are found by
// their ids, and by beginnings of them, without one.
func TestLostIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	w.o.StateDir, w.o.HomeProject = t.TempDir(), w.project
	if rec, err := w.store().Get(t.Context(), id); err != nil || rec.ProjectRoot != w.project {
		t.Errorf("by its id: %+v, %v", rec, err)
	}
	w.o.StateDir = t.TempDir()
	found, err := w.store().Find(t.Context(), id[:len(id)-2])
	if err != nil || len(found) != 1 || found[0].SessionID != id {
		t.Errorf("by a beginning: %+v, %v", found, err)
	}
	w.o.StateDir, w.o.HomeProject = t.TempDir(), t.TempDir()
	if _, err := w.store().Get(t.Context(), id); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("from another project: %v", err)
	}
}

// From within a copy of a project an id names the session of the original, also
// when the index is lost.
func TestLostIndexInCopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	twin := t.TempDir()
	must(t, os.CopyFS(filepath.Join(twin, dirBelay), os.DirFS(filepath.Join(w.project, dirBelay))))
	w.o.StateDir, w.o.HomeProject = t.TempDir(), twin
	if rec, err := w.store().Get(t.Context(), id); err != nil || rec.ProjectRoot != w.project || rec.ReadOnly {
		t.Errorf("got %+v, %v", rec, err)
	}
}

// A session that the index cannot take leaves nothing in the project.
func TestCreateWithoutIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	index := filepath.Join(w.o.StateDir, dirIndex)
	must(t, os.RemoveAll(index))
	must(t, os.WriteFile(index, nil, 0o600)) // so that it cannot be made again
	if _, err := w.Create(t.Context(), w.project, "WORKING_ITEMS", "direct"); !fault.Is(err, fault.StorageFailure) {
		t.Errorf("got %v", err)
	}
	left, err := os.ReadDir(filepath.Join(w.project, filepath.FromSlash(dirSessions)))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A session of a project that cannot be read is not said to be gone.
func TestProjectThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	sessions := filepath.Join(w.project, dirBelay, "sessions")
	must(t, os.Rename(sessions, sessions+".away"))
	must(t, os.Symlink("sessions", sessions)) // root can read all but this
	if _, err := w.store().Get(t.Context(), id); !fault.Is(err, fault.WorkingRootInaccessible) || !strings.Contains(err.Error(), w.project) {
		t.Errorf("got %v", err)
	}
}

// The project of a known session is named when it is gone.
func TestProjectGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	must(t, os.RemoveAll(w.project))
	for _, s := range []*Store{w.Store, w.store()} {
		_, err := s.Get(t.Context(), id)
		if f := fault.From(err); f == nil || f.Type != fault.WorkingRootInaccessible || f.Status != 404 || f.Details["projectRoot"] != w.project {
			t.Errorf("got %+v", f)
		}
	}
}
