package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"belay/internal/journal"
)

func (s *site) inode(name string) uint64 {
	s.t.Helper()
	var is unix.Stat_t
	must(s.t, unix.Lstat(filepath.Join(s.project, name), &is))
	return is.Ino
}

// A file among the contents becomes the file of the project, and a new folder comes with
// all that is in it. Attributes of an overlay go, and permissions are those of the
// change.
func TestContentsAreTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.takes = true
	s.fill(map[string]string{"old": "1", "dir/": ""})
	changes := []journal.Change{
		mkdir("new"), mkdir("new/deep"), create("new/deep/f", "x"), {Op: journal.Symlink, Path: "new/l", After: link("deep")},
		create("dir/g", "y"), replace("old", "1", "2"),
	}
	changes[2].After.Mode = 0o750
	s.lay(changes)
	for name, attr := range map[string]string{"new": "user.overlay.opaque", "new/deep/f": "user.overlay.origin", "old": "user.overlay.overlay.x"} {
		must(t, unix.Setxattr(filepath.Join(s.project, contentsOf, name), attr, []byte("y"), 0))
	}
	were := map[string]uint64{}
	for _, name := range []string{"new", "new/deep", "new/deep/f", "dir/g", "old"} {
		were[name] = s.inode(contentsOf + "/" + name)
	}
	p := s.open()
	must(t, apply(p, s.planned(changes)))
	must(t, p.Close())
	for name, want := range were {
		if got := s.inode(name); got != want {
			t.Errorf("%s is inode %d, among the contents it was %d", name, got, want)
		}
		if n, err := unix.Llistxattr(filepath.Join(s.project, name), nil); err != nil || n > 0 {
			t.Errorf("%s has attributes, %v", name, err)
		}
	}
	now := s.tree()
	if now["new/deep/f"] != "-rwxr-x--- x" || now["old"] != "-rw-r--r-- 2" || now["new/l"] != "link deep" {
		t.Errorf("%v", now)
	}
	s.clean()
}

// What something else can still change is copied, and a folder which has more in it than
// was allowed does not come as a whole.
func TestContentsAreCopied(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do      func(path string) error
		private bool
	}{
		"a second name":      {func(path string) error { return os.Link(path, filepath.Join(filepath.Dir(path), "..", "second")) }, true},
		"an attribute":       {func(path string) error { return unix.Setxattr(path, "user.mine", []byte("1"), 0) }, true},
		"more in the folder": {func(path string) error { return os.WriteFile(path+"2", nil, 0o600) }, false},
		"a pipe beside it":   {func(path string) error { return unix.Mkfifo(path+"2", 0o600) }, false},
	} {
		s := newSite(t)
		s.takes = true
		changes := []journal.Change{mkdir("new"), create("new/f", "x")}
		s.lay(changes)
		path := filepath.Join(s.project, contentsOf, "new/f")
		must(t, tt.do(path))
		was := s.inode(contentsOf + "/new/f")
		p := s.open()
		must(t, apply(p, s.planned(changes)))
		must(t, p.Close())
		if copied := s.inode("new/f") != was; copied != tt.private {
			t.Errorf("%s: copied %v", name, copied)
		}
		if now := s.tree(); len(now) != 2 || now["new/f"] != "-rw-r--r-- x" {
			t.Errorf("%s: %v", name, now)
		}
		s.clean()
	}
}

// A new folder in which one thing is copied is made anew, and a complete folder in it is
// moved: both have what they should, whatever is found first.
func TestWholeFoldersInOthers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "m", "z"} {
		for _, deep := range []string{"new/b", "new/n", "new/y"} {
			s := newSite(t)
			s.takes = true
			changes := []journal.Change{
				mkdir("new"), mkdir(deep), mkdir(deep + "/in"), create(deep+"/in/x", "x"), create("new/"+name, "f"),
			}
			before := s.tree()
			s.lay(changes)
			path := filepath.Join(s.project, contentsOf, "new", name)
			must(t, os.Link(path, filepath.Join(s.project, contentsOf, "..", "second")))
			was := s.inode(contentsOf + "/" + deep + "/in/x")
			p := s.open()
			must(t, apply(p, s.planned(changes)))
			must(t, p.Close())
			if now := s.tree(); len(now) != len(before)+5 || now[deep+"/in/x"] != "-rw-r--r-- x" || now["new/"+name] != "-rw-r--r-- f" {
				t.Errorf("%s beside %s: %v", name, deep, now)
			}
			if s.inode(deep+"/in/x") != was {
				t.Errorf("%s beside %s: what could be moved was copied", name, deep)
			}
			s.clean()
		}
	}
}

// What a transaction took and cannot put back, because something else is there, stays.
func TestContentsWhosePlaceIsTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.takes = true
	changes := []journal.Change{create("f", "x")}
	s.lay(changes)
	p := s.open()
	tx, err := p.Begin(s.planned(changes))
	must(t, err)
	must(t, tx.Prepare())
	must(t, os.MkdirAll(filepath.Join(s.project, contentsOf), 0o755))
	must(t, tx.Drop())
	must(t, p.Close())
	kept, err := filepath.Glob(filepath.Join(s.project, ".belay/journal/kept-*/*/f"))
	must(t, err)
	if len(kept) != 1 {
		t.Fatalf("kept are %v", kept)
	}
	if data, err := os.ReadFile(kept[0]); err != nil || string(data) != "x" {
		t.Errorf("it holds %q, %v", data, err)
	}
}

// A program that has a file open for writing cannot change the project's file by that.
func TestOpenContentsAreCopied(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.takes = true
	changes := []journal.Change{mkdir("new"), create("new/f", "x")}
	s.lay(changes)
	f, err := os.OpenFile(filepath.Join(s.project, contentsOf, "new/f"), os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	p := s.open()
	must(t, apply(p, s.planned(changes)))
	must(t, p.Close())
	_, err = f.WriteAt([]byte("evil"), 0)
	must(t, err)
	if now := s.tree(); now["new/f"] != "-rw-r--r-- x" {
		t.Errorf("it was changed: %v", now)
	}
}

// A content that is not what was reviewed is not put anywhere, and all of the contents
// go back; one that is as it was seen is not read again.
func TestContentsThatChanged(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"another content": func(path string) error { return os.WriteFile(path, []byte("evil"), 0o600) },
		"gone":            os.Remove,
		"a link": func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink("/etc/hostname", path))
		},
		"a folder": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		for _, seen := range []bool{true, false} {
			s := newSite(t)
			s.takes = true
			s.fill(map[string]string{"a": "1"})
			before := s.tree()
			changes := []journal.Change{replace("a", "1", "2"), mkdir("d"), create("d/b", "x")}
			s.lay(changes)
			path := filepath.Join(s.project, contentsOf, "d/b")
			if seen {
				info, err := os.Lstat(path)
				must(t, err)
				changes[2].Seen = info
			}
			must(t, damage(path))
			p := s.open()
			err := apply(p, s.planned(changes))
			must(t, p.Close())
			var wrong *journal.ContentError
			if !errors.As(err, &wrong) || wrong.Path != "d/b" {
				t.Errorf("%s: %v", name, err)
			}
			s.same(name, before)
			s.givenBack(name, changes[:1], false)
			s.clean()
		}
	}
}

// A new folder that somebody makes meanwhile is not replaced, and one in which they
// change something stays where a transaction is taken back.
func TestWholeFoldersInConflict(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.takes = true
	changes := []journal.Change{mkdir("new"), create("new/f", "x")}
	s.lay(changes)
	p := s.open()
	tx, err := p.Begin(s.planned(changes))
	must(t, err)
	must(t, tx.Prepare())
	s.fill(map[string]string{"new/mine": "1"})
	before := s.tree()
	var conflict *journal.ConflictError
	if err := tx.Apply(t.Context()); !errors.As(err, &conflict) || conflict.Conflicts[0].Path != "new" || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("%v", err)
	}
	must(t, p.Close())
	s.same("a folder that is there", before)
	s.givenBack("a folder that is there", changes, false)
	s.clean()

	// The folder is there now: its files are made one by one.
	p = s.open()
	must(t, apply(p, s.planned(changes)))
	must(t, p.Close())
	if now := s.tree(); now["new/f"] != "-rw-r--r-- x" || now["new/mine"] != "-rw-r--r-- 1" {
		t.Errorf("%v", now)
	}

	s = newSite(t)
	s.takes = true
	s.fill(map[string]string{"last": "1"})
	s.leave(2, append(changes, replace("last", "1", "2"))...)
	s.fill(map[string]string{"new/mine": "1", "last": "mine"})
	settled := s.settle()
	if len(settled) != 1 || settled[0].Result != journal.RolledBack || len(settled[0].Conflicts) != 2 {
		t.Errorf("%+v", settled)
	}
	if now := s.tree(); now["new/f"] != "-rw-r--r-- x" || now["new/mine"] != "-rw-r--r-- 1" || now["last"] != "-rw-r--r-- mine" {
		t.Errorf("%v", now)
	}
}

// Contents that nobody takes up again after a crash do not go back: what has no place is
// kept in the journal, and named.
func TestContentsOfACommandThatDied(t *testing.T) {
	t.Parallel()
	for n := -1; n <= 1; n++ {
		s := newSite(t)
		s.takes = true
		s.fill(map[string]string{"a": "1", "b": "1"})
		changes := []journal.Change{replace("a", "1", "2"), replace("b", "1", "2")}
		s.lay(changes)
		upper := filepath.Join(s.project, ".belay/tmp/x/upper")
		must(t, os.MkdirAll(filepath.Dir(upper), 0o700))
		must(t, os.Rename(filepath.Join(s.project, contentsOf), upper))
		plan := s.planned(changes)
		plan.Contents = ".belay/tmp/x/upper"
		p := s.open()
		tx, err := p.Begin(plan)
		must(t, err)
		must(t, tx.Prepare())
		must(t, tx.ApplyFirst(n))
		must(t, p.Close())
		s.fill(map[string]string{"b": "mine"})
		settled := s.settle()
		if _, err := os.Lstat(upper); err == nil {
			t.Errorf("after %d changes the contents went back", n)
		}
		if n < 0 {
			continue
		}
		if len(settled) != 1 || len(settled[0].Conflicts) != 1 {
			t.Fatalf("after %d changes: %+v", n, settled)
		}
		if data, err := os.ReadFile(filepath.Join(s.project, string(settled[0].Conflicts[0].Kept))); err != nil || string(data) != "2" {
			t.Errorf("after %d changes %s is kept: %q, %v", n, settled[0].Conflicts[0].Kept, data, err)
		}
	}
}
