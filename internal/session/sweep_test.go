package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A process that dies while it deletes the only session of a project leaves its
// hidden folder and what the state folder has of it. GC removes both.
func TestGCFinishesDeletes(t *testing.T) {
	t.Parallel()
	var forgotten []string
	w := newWorld(t, func(o *Options) {
		o.Forget = func(id string) error {
			forgotten = append(forgotten, id)
			return nil
		}
	})
	id, kept := w.session().SessionID, w.session().SessionID
	must(t, w.Delete(t.Context(), kept))
	if !slices.Equal(forgotten, []string{kept}) {
		t.Errorf("a delete forgets %v", forgotten)
	}
	hidden := filepath.Join(w.project, dirSessions, deletedPrefix+id)
	must(t, os.Rename(w.folder(id), hidden))
	left := []string{filepath.Join(dirInputs, id), filepath.Join(dirIndex, id), filepath.Join(dirSegmentHashes, id), filepath.Join(dirIndex, ".tmp-DIED")}
	must(t, os.MkdirAll(filepath.Join(w.o.StateDir, left[0]), 0o700))
	for _, name := range left[2:] {
		must(t, os.WriteFile(filepath.Join(w.o.StateDir, name), nil, 0o600))
	}
	old := time.Now().Add(-2 * graceAge)
	must(t, os.Chtimes(hidden, old, old))
	must(t, os.Chtimes(filepath.Join(w.o.StateDir, left[3]), old, old))
	_, err := w.Upkeep.GC(t.Context(), GCOptions{})
	must(t, err)
	if !slices.Equal(forgotten, []string{kept, id}) {
		t.Errorf("GC forgets %v", forgotten)
	}
	for _, name := range append(left, hidden) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(w.o.StateDir, name)
		}
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// The folder of a deleted session says nothing of one that came back by its id, nor
// of one whose project is elsewhere now.
func TestGCKeepsWhatWasNotDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) {
		o.Forget = func(id string) error {
			t.Errorf("%s is forgotten", id)
			return nil
		}
	})
	back, moved := w.session().SessionID, w.session().SessionID
	must(t, os.Mkdir(filepath.Join(w.project, dirSessions, deletedPrefix+back), 0o700))
	must(t, os.Rename(w.folder(moved), filepath.Join(t.TempDir(), moved)))
	_, err := w.Upkeep.GC(t.Context(), GCOptions{})
	must(t, err)
	for _, id := range []string{back, moved} {
		if _, ok := w.paths.indexed(id); !ok {
			t.Errorf("the index has lost %s", id)
		}
	}
}

// Where all sessions are in one folder now, a project may still have sessions of its
// own. What they attached is not swept.
func TestGCKeepsBlobsOfSessionsInTheProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rec := w.session()
	b, err := w.Blobs(w.project)
	must(t, err)
	sha, _, err := b.Put(t.Context(), strings.NewReader("attached"), 1<<20)
	must(t, err)
	l := acquire(t, w.Store, rec.SessionID)
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t", Message: "names " + sha}))
	must(t, l.Release())
	old := time.Now().Add(-2 * graceAge)
	must(t, os.Chtimes(filepath.Join(w.project, dirBlobs, sha), old, old))
	w.o.SessionRoot = t.TempDir()
	_, err = w.store().Upkeep.GC(t.Context(), GCOptions{BlobAge: time.Nanosecond})
	must(t, err)
	if _, err := b.Content(sha); err != nil {
		t.Error(err)
	}
}
