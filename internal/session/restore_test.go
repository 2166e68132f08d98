package session

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// Somebody removes the state folder while it is in use. The next session, the next
// turn, an interrupt and an import work, and so does another process.
func TestStateFolderIsRemoved(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: an open folder cannot be removed there")
	}
	for name, use := range map[string]func(w *world, id string){
		"a turn":    func(w *world, id string) { turn(w.t, w.Store, id, "t2", 3) },
		"a session": func(w *world, _ string) { turn(w.t, w.Store, w.session().SessionID, "t1", 3) },
		"told":      func(w *world, _ string) { restore(w) },
		"another process makes it again": func(w *world, id string) {
			turn(w.t, w.store(), w.session().SessionID, "t1", 3)
			turn(w.t, w.Store, id, "t2", 30)
			interrupts(w, id)
		},
		"only locks":   func(w *world, id string) { turn(w.t, w.Store, id, "t2", 3) },
		"twice":        func(w *world, id string) { restore(w); lose(w, "."); turn(w.t, w.Store, id, "t2", 3) },
		"an interrupt": func(w *world, id string) { turn(w.t, w.Store, id, "t2", 3); interrupts(w, id) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *Options) { o.SegmentBytes = 500 })
			id := w.session().SessionID
			turn(t, w.Store, id, "t1", 20)
			part := "."
			if name == "only locks" {
				part = dirLocks
			}
			lose(w, part)
			w.t = t
			use(w, id)
			for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
				if _, err := w.store().Get(t.Context(), id); err == nil {
					break // another process finds it
				} else if time.Now().After(end) {
					t.Fatal(err)
				}
			}
			turn(t, w.Store, id, "t3", 3)
			for end := time.Now().Add(patience); part == "." && len(w.paths.knownProjects()) == 0; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the project is not known again")
				}
			}
		})
	}
}

// lose removes a part of the state folder. What is written there at that moment is
// removed by the next try.
func lose(w *world, part string) {
	w.t.Helper()
	for end := time.Now().Add(patience); os.RemoveAll(filepath.Join(w.o.StateDir, part)) != nil; {
		if time.Now().After(end) {
			w.t.Fatal("the folder cannot be removed")
		}
	}
}

func restore(w *world) {
	w.t.Helper()
	if made, err := w.Restore(); !made || err != nil {
		w.t.Errorf("restored: %v, %v", made, err)
	}
	if made, err := w.Restore(); made || err != nil {
		w.t.Errorf("restored again: %v, %v", made, err)
	}
}

// interrupts checks that a turn of one process is interrupted by another.
func interrupts(w *world, id string) {
	w.t.Helper()
	l := acquire(w.t, w.Store, id)
	must(w.t, l.Begin("now"))
	told := w.Signals.Interrupts(w.t.Context())
	must(w.t, w.store().Signals.RequestInterrupt(id, ""))
	select {
	case i := <-told:
		if i.Turn != "now" {
			w.t.Errorf("interrupted was %+v", i)
		}
	case <-time.After(patience):
		w.t.Error("nobody was interrupted")
	}
	must(w.t, l.Release())
}

// A project is known in one state folder, not in the next of that name: who noted it
// in a folder that was being removed noted nothing.
func TestProjectsAreKnownInTheFolderThatIs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: an open folder cannot be removed there")
	}
	w := newWorld(t)
	must(t, w.paths.knowProject("/one"))
	lose(w, ".")
	if _, err := w.stateDir.Restore(); err != nil {
		t.Fatal(err)
	}
	must(t, w.paths.knowProject("/one"))
	lose(w, ".")
	must(t, w.paths.knowProject("/two")) // makes the folder again
	must(t, w.paths.knowProject("/one"))
	if known := slices.Sorted(slices.Values(w.paths.knownProjects())); !slices.Equal(known, []string{"/one", "/two"}) {
		t.Errorf("known are %q", known)
	}
}
