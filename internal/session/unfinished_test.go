package session

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// hiddenIn are the entries of a folder in .belay that are not whole.
func (w *world) hiddenIn(dir string) []string {
	w.t.Helper()
	entries, err := os.ReadDir(filepath.Join(w.project, ".belay", dir))
	if err != nil && !missing(err) {
		w.t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			all = append(all, e.Name())
		}
	}
	return all
}

// halting is content of which the second part never comes.
type halting struct{ begun, over chan struct{} }

func (h *halting) Read(b []byte) (int, error) {
	select {
	case <-h.begun:
		<-h.over
		return 0, errors.New("the connection broke")
	default:
		close(h.begun)
		return copy(b, "half"), nil
	}
}

// What a process makes is left alone while it lives, however long it takes, and goes
// as soon as it is known to be dead. Retention has nothing to do with it.
func TestUnfinishedGoesWithItsProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	turn(t, w.Store, w.session().SessionID, "t1", 1)
	other := w.store()
	b, err := other.Blobs(w.project)
	must(t, err)
	ended := make(chan error)
	var halts []*halting
	begin := func(store func(r io.Reader) error) {
		h := &halting{make(chan struct{}), make(chan struct{})}
		halts = append(halts, h)
		go func() { ended <- store(h) }()
		<-h.begun
	}
	begin(func(r io.Reader) error {
		_, err := other.SaveUpload(ctx, w.project, "f", r, 100)
		return err
	})
	begin(func(r io.Reader) error {
		_, _, err := b.Put(ctx, r, 100)
		return err
	})
	must(t, os.MkdirAll(filepath.Join(w.project, ".belay", "sessions", other.maker.unfinished(newPrefix, "x"), "log"), 0o700))
	must(t, os.MkdirAll(filepath.Join(w.project, ".belay", "sessions", other.maker.unfinished(importPrefix, "x"), "log"), 0o700))
	unknown := filepath.Join(w.project, ".belay", "uploads", ".part-of-another-state-folder")
	must(t, os.MkdirAll(unknown, 0o700))

	all := func() []string {
		return slices.Concat(w.hiddenIn("uploads"), w.hiddenIn("blobs"), w.hiddenIn("sessions"))
	}
	before := all()
	got, err := w.Upkeep.GC(ctx, GCOptions{})
	if err != nil || len(before) != 5 || !slices.Equal(all(), before) || got.Leftovers != 0 {
		t.Errorf("while it lives: %+v, %v: %v became %v", got, err, before, all())
	}
	must(t, other.maker.lock.Unlock()) // as the kernel does
	got, err = w.Upkeep.GC(ctx, GCOptions{DryRun: true})
	if err != nil || !slices.Equal(all(), before) || got.Leftovers != 4 {
		t.Errorf("dry run: %+v, %v: %v became %v", got, err, before, all())
	}
	got, err = w.Upkeep.GC(ctx, GCOptions{})
	if err != nil || !slices.Equal(all(), []string{filepath.Base(unknown)}) || got.Leftovers != 4 {
		t.Errorf("when it is dead: %+v, %v: left are %v", got, err, all())
	}
	if left, err := list(w.stateDir.Root(), dirMakers); err != nil || !slices.Equal(left, []string{strings.TrimSuffix(w.maker.name, "-") + ".lock"}) {
		t.Errorf("locks: %v, %v", left, err)
	}
	for _, h := range halts {
		close(h.over)
		if err := <-ended; err == nil {
			t.Error("what was swept was made all the same")
		}
	}
	other.maker.lock = nil
	old := time.Now().Add(-2 * graceAge)
	must(t, os.Chtimes(unknown, old, old))
	_, err = w.Upkeep.GC(ctx, GCOptions{})
	must(t, err)
	if left := all(); len(left) != 0 {
		t.Errorf("old, and still there: %v", left)
	}
}

// A session that was deleted goes at once, also where it was the project's only one,
// but not while somebody is deleting it.
func TestDeletedGoesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 1)
	hidden := filepath.Join(w.project, ".belay", "sessions", deletedPrefix+id)
	must(t, os.Rename(w.folder(id), hidden))
	must(t, os.Remove(filepath.Join(w.o.StateDir, dirIndex, id)))

	lock, err := w.lock(id)
	must(t, err)
	got, err := w.Upkeep.GC(ctx, GCOptions{})
	if _, e := os.Stat(hidden); err != nil || e != nil || got.Leftovers != 0 {
		t.Errorf("while it is being deleted: %+v, %v, %v", got, err, e)
	}
	must(t, lock.Unlock())
	got, err = w.Upkeep.GC(ctx, GCOptions{})
	if _, e := os.Stat(hidden); err != nil || !missing(e) || got.Leftovers != 1 {
		t.Errorf("afterwards: %+v, %v, %v", got, err, e)
	}
}

// Temporary files of the state folder go, whatever retention says.
func TestTemporaryFilesOfTheStateFolderGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := time.Now().Add(-2 * graceAge)
	must(t, os.MkdirAll(filepath.Join(w.o.StateDir, dirInputs, "s"), 0o700))
	var left []string
	for _, dir := range []string{".", dirIndex, dirSegmentHashes, dirProjects, dirLists, dirInterrupts, dirInputs + "/s"} {
		name := filepath.Join(w.o.StateDir, dir, ".tmp-X")
		must(t, os.WriteFile(name, nil, 0o600))
		must(t, os.Chtimes(name, old, old))
		left = append(left, name)
	}
	_, err := w.Upkeep.GC(t.Context(), GCOptions{})
	must(t, err)
	for _, name := range left {
		if _, err := os.Stat(name); !missing(err) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
}
