package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/attachment"
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

// Sessions stay where they were made when the setting of their folder changes. What they
// attached is not swept, also where a record cannot be read.
func TestGCKeepsBlobsOfSessionsElsewhere(t *testing.T) {
	t.Parallel()
	one, two := t.TempDir(), t.TempDir()
	for name, c := range map[string]struct {
		made, now string
		damaged   bool
	}{
		"the project, then a folder": {now: one}, "a folder, then the project": {made: one}, "two folders": {made: one, now: two},
		"a folder, and damaged": {made: one, damaged: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *Options) { o.SessionRoot = c.made })
			rec := w.session()
			b, err := w.Blobs(w.project)
			must(t, err)
			old := time.Now().Add(-2 * graceAge)
			put := func(text string) string {
				sha, _, err := b.Put(t.Context(), strings.NewReader(text), 1<<20)
				must(t, err)
				must(t, os.Chtimes(filepath.Join(w.project, dirBlobs, sha), old, old))
				return sha
			}
			attached, other := put("attached"), put("other")
			l := acquire(t, w.Store, rec.SessionID)
			must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t", Message: "names " + attached}))
			must(t, l.Release())
			if c.damaged {
				folder, err := w.Folder(t.Context(), rec.SessionID)
				must(t, err)
				must(t, os.WriteFile(filepath.Join(folder, fileRecord), []byte("{"), 0o600))
			}
			w.o.SessionRoot = c.now
			_, err = w.store().Upkeep.GC(t.Context(), GCOptions{BlobAge: time.Nanosecond, Projects: []string{w.project}})
			must(t, err)
			if _, err := b.Content(attached); err != nil {
				t.Error(err)
			}
			if _, err := b.Content(other); err == nil {
				t.Error("a file that no session names is still there")
			}
		})
	}
}

// A message that waits for a turn to end may wait for days, and its files with it.
func TestGCKeepsBlobsOfWaitingMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rec := w.session()
	b, err := w.Blobs(w.project)
	must(t, err)
	sha, _, err := b.Put(t.Context(), strings.NewReader("attached"), 1<<20)
	must(t, err)
	l := acquire(t, w.Store, rec.SessionID)
	must(t, l.Begin("t"))
	must(t, w.Signals.SendInput(rec.SessionID, Input{Message: "later", Mode: FollowUp, Items: []attachment.Item{{Name: "a", SHA256: sha}}}))
	old := time.Now().Add(-2 * graceAge)
	must(t, os.Chtimes(filepath.Join(w.project, dirBlobs, sha), old, old))
	_, err = w.store().Upkeep.GC(t.Context(), GCOptions{BlobAge: time.Nanosecond})
	must(t, err)
	if _, err := b.Content(sha); err != nil {
		t.Error(err)
	}
	must(t, l.Release())
}

// A file in the place of a project is no reason to warn at each start: the project is gone.
func TestGCWhereAFileStandsForTheProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session()
	must(t, os.Rename(w.project, w.project+".elsewhere"))
	must(t, os.WriteFile(w.project, nil, 0o600))
	_, err := w.Upkeep.GC(t.Context(), GCOptions{})
	must(t, err)
}
