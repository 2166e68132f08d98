package journal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/journal/journaltest"
)

// leave begins a transaction, makes its first n changes, and dies.
func (s *site) leave(n int, changes ...journal.Change) string {
	s.t.Helper()
	p := s.open()
	tx, err := p.Begin(s.plan(changes))
	must(s.t, err)
	must(s.t, tx.Prepare())
	must(s.t, tx.ApplyFirst(n))
	must(s.t, p.Close())
	return tx.ID()
}

// However many changes were made when the process died, the next one completes
// them, and the session is told until it forgets.
func TestTheNextOpenCompletes(t *testing.T) {
	t.Parallel()
	for way, configure := range ways {
		for name, w := range works() {
			if name == "rename" && way == "mount" {
				continue
			}
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				after := w.wanted(t)
				for n := -1; n <= len(w.changes); n++ {
					s := newSite(t, configure)
					s.fill(w.before)
					before := s.tree()
					s.leave(n, w.changes...)
					if n >= 0 && !s.store.Left(s.project, "") || s.store.Left(s.project, "s1") != (n >= 0) {
						t.Errorf("after %d changes: left %v", n, s.store.Left(s.project, ""))
					}
					if !s.store.Stray(s.project) {
						t.Errorf("after %d changes there are no contents", n)
					}
					settled := s.settle()
					if n < 0 {
						s.same("never begun", before)
						s.givenBack("never begun", w.changes, false)
						if len(settled) > 0 {
							t.Errorf("settled what never began: %v", settled)
						}
						continue
					}
					s.same(fmt.Sprintf("after %d changes", n), after)
					s.givenBack(fmt.Sprintf("after %d changes", n), w.changes, true)
					told, err := s.store.Settled(s.project, "s1")
					must(t, err)
					if len(told) != 1 || len(settled) != 1 || told[0].Result != journal.Completed || told[0].Owner.By != "ana" || len(told[0].Changes) != len(w.changes) {
						t.Fatalf("told %+v, settled %+v", told, settled)
					}
					if others, err := s.store.Settled(s.project, "s2"); err != nil || len(others) > 0 || s.store.Left(s.project, "s2") {
						t.Errorf("another session is told %v, %v", others, err)
					}
					must(t, s.store.Forget(s.project, told...))
					if s.store.Left(s.project, "s1") {
						t.Error("it is not forgotten")
					}
				}
			})
		}
	}
}

// A file that a person has changed since the crash stays, all others are as they
// were, and both contents that are not there any more are kept, and named.
func TestConflictsAreKept(t *testing.T) {
	t.Parallel()
	changes := []journal.Change{replace("a", "1", "one"), replace("b", "2", "two"), create("c", "three")}
	for name, tt := range map[string]struct {
		done         int
		meddle       map[string]string
		path, reason string
		kept         string
		want         map[string]string
	}{
		"one that was not replaced yet": {1, map[string]string{"b": "mine"}, "b", "was changed by something else", "two", map[string]string{"a": "1", "b": "mine"}},
		"one that was not made yet":     {2, map[string]string{"c": "mine"}, "c", "is there already", "three", map[string]string{"a": "1", "b": "2", "c": "mine"}},
	} {
		s := newSite(t)
		s.fill(map[string]string{"a": "1", "b": "2"})
		s.leave(tt.done, changes...)
		s.fill(tt.meddle)
		settled := s.settle()
		if len(settled) != 1 || settled[0].Result != journal.RolledBack || len(settled[0].Conflicts) != 1 {
			t.Fatalf("%s: settled %+v", name, settled)
		}
		c := settled[0].Conflicts[0]
		data, err := os.ReadFile(filepath.Join(s.project, string(c.Kept)))
		if string(c.Path) != tt.path || c.Reason != tt.reason || err != nil || string(data) != tt.kept {
			t.Errorf("%s: %+v holds %q, %v", name, c, data, err)
		}
		w := newSite(t)
		w.fill(tt.want)
		s.same(name, w.tree())

		// It stays until it is old.
		p := s.open()
		must(t, p.Sweep(time.Hour))
		if _, err := os.Stat(filepath.Join(s.project, string(c.Kept))); err != nil {
			t.Errorf("%s: it was swept: %v", name, err)
		}
		must(t, p.Sweep(time.Nanosecond))
		if _, err := os.Stat(filepath.Join(s.project, string(c.Kept))); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: it was not swept: %v", name, err)
		}
		must(t, p.Close())
	}
}

// What is restored from a copy has other inode numbers, and may have lost
// permissions that were not flushed. It is completed all the same.
func TestRestoredFromACopy(t *testing.T) {
	t.Parallel()
	for way, configure := range ways {
		for name, w := range works() {
			if name == "rename" && way == "mount" || name == "modes" || name == "names of any bytes" {
				continue // a copy loses what these are about
			}
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				after := w.wanted(t)
				for n := range len(w.changes) + 1 {
					s := newSite(t, configure)
					s.fill(w.before)
					id := s.leave(n, w.changes...)
					copied := filepath.Join(t.TempDir(), "copy")
					must(t, os.CopyFS(copied, os.DirFS(s.project)))
					slots, err := filepath.Glob(filepath.Join(copied, ".belay/journal", id, "*"))
					must(t, err)
					for _, slot := range slots {
						if info, err := os.Lstat(slot); err == nil && info.Mode().IsRegular() && filepath.Base(slot)[0] != 'o' && n == 0 {
							must(t, os.Chmod(slot, 0o600))
						}
					}
					in, err := os.ReadDir(s.project)
					must(t, err)
					for _, e := range in {
						must(t, os.RemoveAll(filepath.Join(s.project, e.Name())))
					}
					must(t, os.CopyFS(s.project, os.DirFS(copied)))
					for _, slot := range slots { // a copy of a file makes its own permissions
						if info, err := os.Lstat(slot); err == nil {
							rel, err := filepath.Rel(copied, slot)
							must(t, err)
							if info.Mode().Type() == 0 {
								must(t, os.Chmod(filepath.Join(s.project, rel), info.Mode()))
							}
						}
					}
					if settled := s.settle(); len(settled) != 1 || settled[0].Result != journal.Completed {
						t.Errorf("after %d changes: %+v", n, settled)
					}
					s.same(fmt.Sprintf("after %d changes", n), after)
				}
			})
		}
	}
}

// A project that was moved after the crash is settled where it is now. A copy of
// it, and another way to it, are left alone.
func TestMovedAndCopiedProjects(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fill(map[string]string{"a": "1", "b": "2"})
	id := s.leave(1, replace("a", "1", "one"), replace("b", "2", "two"))
	copied := newSite(t)
	copied.store = journal.New(s.dir, nil)
	must(t, os.CopyFS(copied.project, os.DirFS(s.project)))
	p := copied.open()
	must(t, p.Close())
	if _, err := os.Stat(filepath.Join(copied.project, ".belay/journal", id)); err != nil || len(p.Settled) > 0 {
		t.Errorf("the copy's contents: %v, settled %v", err, p.Settled)
	}

	moved := filepath.Join(t.TempDir(), "moved")
	must(t, os.Rename(s.project, moved))
	root, err := os.OpenRoot(moved)
	must(t, err)
	defer root.Close()
	if !s.store.Stray(moved) {
		t.Error("nobody sees that there is something to settle")
	}
	p, err = s.store.Open(t.Context(), moved, root)
	must(t, err)
	must(t, p.Close())
	if len(p.Settled) != 1 || p.Settled[0].Result != journal.Completed {
		t.Fatalf("settled %+v", p.Settled)
	}
	for name, want := range map[string]string{"a": "one", "b": "two"} {
		if data, err := os.ReadFile(filepath.Join(moved, name)); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
	}
	if told, err := s.store.Settled(moved, "s1"); err != nil || len(told) != 1 {
		t.Errorf("told %v, %v", told, err)
	}
}

// Contents of another state folder's transactions are not touched, until they are
// old; neither are those of a transaction that is under way.
func TestContentsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fill(map[string]string{"a": "1"})
	s.leave(-1, replace("a", "1", "one"))
	other := journal.New(filepath.Join(t.TempDir(), "journal"), func() time.Time { return time.Now().Add(48 * time.Hour) })
	p, err := other.Open(t.Context(), s.project, s.root)
	must(t, err)
	if left, err := journaltest.Left(s.dir, s.project); err != nil || len(left) != 1 {
		t.Errorf("there is %v, %v", left, err)
	}
	must(t, p.Sweep(time.Hour))
	must(t, p.Close())
	s.clean()
}

// A record of a newer format stops everything, and stays as it is.
func TestNewerRecord(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fill(map[string]string{"a": "1"})
	id := s.leave(0, replace("a", "1", "one"))
	found, err := filepath.Glob(filepath.Join(s.dir, "*", id+".json"))
	must(t, err)
	newer := []byte(`{"v":4,"more":"than is known"}` + "\nsum\n")
	must(t, os.WriteFile(found[0], newer, 0o600))
	before := s.tree()
	_, err = s.store.Open(t.Context(), s.project, s.root)
	var e *journal.NewerError
	if !errors.As(err, &e) || e.Version != 4 || e.File != found[0] {
		t.Errorf("open: %v", err)
	}
	if data, err := os.ReadFile(found[0]); err != nil || string(data) != string(newer) {
		t.Errorf("the record is %q, %v", data, err)
	}
	s.same("a newer record", before)
	pending, err := s.store.Pending(t.Context())
	if err != nil || len(pending) != 1 || !strings.Contains(pending[0].Problem, "format 4") {
		t.Errorf("pending: %+v, %v", pending, err)
	}
}

// Records and contents that were damaged do not harm a file.
func TestDamage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(s *site, record, contents string){
		"an empty record": func(s *site, record, _ string) { must(s.t, os.WriteFile(record, nil, 0o600)) },
		"half a record": func(s *site, record, _ string) {
			data, err := os.ReadFile(record)
			must(s.t, err)
			must(s.t, os.WriteFile(record, data[:len(data)/2], 0o600))
		},
		"contents that are gone": func(s *site, _, contents string) { must(s.t, os.RemoveAll(contents)) },
		"another content": func(s *site, _, contents string) {
			must(s.t, os.WriteFile(filepath.Join(contents, "1"), []byte("rot"), 0o600))
		},
		"a content that is gone": func(s *site, _, contents string) { must(s.t, os.Remove(filepath.Join(contents, "1"))) },
	} {
		s := newSite(t)
		s.fill(map[string]string{"a": "1", "b": "2"})
		before := s.tree()
		id := s.leave(0, replace("a", "1", "one"), replace("b", "2", "two"))
		found, err := filepath.Glob(filepath.Join(s.dir, "*", id+".json"))
		must(t, err)
		damage(s, found[0], filepath.Join(s.project, ".belay/journal", id))
		s.settle()
		if now := s.tree(); name != "a content that is gone" {
			s.same(name, before)
		} else if now["b"] != before["b"] {
			t.Errorf("%s: b is %q", name, now["b"])
		}
	}
}

// Sweep forgets what was settled for sessions that are gone, and projects that are.
func TestStoreSweep(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fill(map[string]string{"a": "1"})
	s.leave(0, replace("a", "1", "one"))
	s.settle()
	for _, known := range []bool{true, false} {
		must(t, s.store.Sweep(t.Context(), func(string) bool { return known }))
		if s.store.Left(s.project, "s1") != known {
			t.Errorf("the session is known: %v, it is still told: %v", known, !known)
		}
	}
	later := journal.New(s.dir, func() time.Time { return time.Now().Add(48 * time.Hour) })
	must(t, later.Sweep(t.Context(), func(string) bool { return true }))
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
		t.Errorf("there is still %v, %v", left, err)
	}
	must(t, s.apply(replace("a", "one", "2"))) // the folder is made again
}

// Paths in .git and .belay take a plan that says they were reviewed.
func TestPathsInside(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fill(map[string]string{".git/": "", "sub/.GIT/": ""})
	p := s.open()
	defer func() { must(t, p.Close()) }()
	for _, name := range []string{".git/config", "sub/.GIT/config", ".belay/x", "a/.belay/x", "../x", "/x", "a/../x", "", ".", "a\x00b"} {
		if err := apply(p, journal.Plan{Changes: []journal.Change{create(name, "1")}}); err == nil {
			t.Errorf("%q was made", name)
		}
	}
	must(t, apply(p, journal.Plan{Inside: true, Changes: []journal.Change{create(".git/config", "1")}}))
}

// No folder on the way may be a link, also not one that leads back into the
// project.
func TestNoLinkIsFollowed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: this system does not let every test make links")
	}
	s := newSite(t)
	s.fill(map[string]string{"real/f": "1", "link": "-> real", "out": "-> " + t.TempDir()})
	before := s.tree()
	for _, c := range []journal.Change{
		create("link/new", "x"), create("out/new", "x"), replace("link/f", "1", "2"), mkdir("out/new"), remove("link/f", "1"),
		{Op: journal.Rename, Path: "real", To: "link/deep", Before: folder, After: folder},
	} {
		var conflict *journal.ConflictError
		if err := s.apply(c); !errors.As(err, &conflict) {
			t.Errorf("%s %s: %v", c.Op, c.Path, err)
		}
	}
	s.same("links", before)
}

// The project's lock is waited for, and given up with the context.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.open()
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := s.store.Open(ctx, s.project, s.root); !errors.Is(err, stop) {
		t.Errorf("a second open: %v", err)
	}
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		q, err := s.store.Open(context.Background(), s.project, s.root)
		if err == nil {
			err = q.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}()
	must(t, p.Close())
	<-opened
}

func init() {
	// Adds 1 to the number in each of two files, again and again; in one
	// transaction, so that both always hold the same.
	children["count"] = func() {
		root, err := os.OpenRoot(os.Getenv("PROJECT"))
		grownUp(err)
		store := journal.New(os.Getenv("JOURNAL"), nil)
		for range 40 {
			p, err := store.Open(context.Background(), root.Name(), root)
			grownUp(err)
			a, err := root.ReadFile("a")
			grownUp(err)
			b, err := root.ReadFile("b")
			grownUp(err)
			if string(a) != string(b) {
				grownUp(fault.New(fault.ContentChanged, "a is %s, b is %s", a, b))
			}
			n := 0
			_, err = fmt.Sscan(string(a), &n)
			grownUp(err)
			next := fmt.Sprint(n + 1)
			grownUp(apply(p, journal.Plan{Changes: []journal.Change{replace("a", string(a), next), replace("b", string(b), next)}}))
			grownUp(p.Close())
		}
	}
}

// Two processes that change the same files at the same time do so one after the
// other.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fill(map[string]string{"a": "0", "b": "0"})
	var all []*exec.Cmd
	for range 2 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"=count", "PROJECT="+s.project, "JOURNAL="+s.dir)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		must(t, cmd.Start())
		all = append(all, cmd)
	}
	for _, cmd := range all {
		must(t, cmd.Wait())
	}
	for _, name := range []string{"a", "b"} {
		if data, err := os.ReadFile(filepath.Join(s.project, name)); err != nil || string(data) != "80" {
			t.Errorf("%s holds %s, %v; want 80", name, data, err)
		}
	}
	s.clean()
}
