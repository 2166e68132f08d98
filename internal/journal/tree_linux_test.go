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

// treeWork lays changes with two folders that come with the content of them, one of them in
// another new folder, and returns what the project has after them.
func treeWork(s *site) []journal.Change {
	s.t.Helper()
	s.takes = true
	s.fill(map[string]string{"a": "1"})
	changes := []journal.Change{replace("a", "1", "2"), mkdir("build"), mkdir("new"), mkdir("new/out"), create("new/f", "x")}
	s.lay(changes)
	for name, text := range map[string]string{"build/o": "object", "build/deep/p": "other", "new/out/q": "more"} {
		path := filepath.Join(s.project, contentsOf, name)
		must(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(s.t, os.WriteFile(path, []byte(text), 0o644))
	}
	must(s.t, os.Symlink("o", filepath.Join(s.project, contentsOf, "build/l")))
	for _, i := range []int{1, 3} {
		tree, err := journal.LookTree(s.root, contentsOf+"/"+changes[i].Path)
		must(s.t, err)
		changes[i].Loose, changes[i].Tree = true, &tree
	}
	return changes
}

func TestTreesAreMoved(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	changes := treeWork(s)
	if n := changes[1].Tree; n.Entries != 4 || n.Files != 3 || n.Bytes != 11 {
		t.Errorf("%+v", n)
	}
	path := filepath.Join(s.project, contentsOf, "build/o")
	must(t, unix.Setxattr(path, "user.overlay.origin", []byte("y"), 0))
	must(t, os.Link(path, filepath.Join(s.project, contentsOf, "build/deep/o2"))) // both are in it
	tree, err := journal.LookTree(s.root, contentsOf+"/build")
	must(t, err)
	changes[1].Tree = &tree
	was := s.inode(contentsOf + "/build/o")
	must(t, applyPlan(s, changes))
	now := s.tree()
	if len(now) != 11 || now["build/o"] != "-rw-r--r-- object" || now["build/deep/p"] != "-rw-r--r-- other" || now["build/l"] != "link o" || now["new/out/q"] != "-rw-r--r-- more" {
		t.Errorf("%v", now)
	}
	if n, err := unix.Llistxattr(filepath.Join(s.project, "build/o"), nil); err != nil || n > 0 || s.inode("build/o") != was {
		t.Errorf("%d bytes of attributes, %v, inode %d of %d", n, err, s.inode("build/o"), was)
	}
	s.clean()
}

func applyPlan(s *site, changes []journal.Change) error {
	p := s.open()
	defer func() { must(s.t, p.Close()) }()
	return apply(p, s.planned(changes))
}

// What is not as it was reviewed, what something else can still change, and what has no
// free place is not moved, and the project stays as it was.
func TestTreesThatCannotBeMoved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   func(s *site, build string) error
		want string
	}{
		"another content": {func(_ *site, build string) error { return os.WriteFile(build+"/o", []byte("evil text"), 0o600) }, "is not the one that was kept"},
		"one more":        {func(_ *site, build string) error { return os.WriteFile(build+"/more", nil, 0o600) }, "is not the one that was kept"},
		"gone":            {func(_ *site, build string) error { return os.RemoveAll(build) }, "is not the one that was kept"},
		"a pipe":          {func(_ *site, build string) error { return unix.Mkfifo(build+"/pipe", 0o600) }, "cannot be moved"},
		"a second name":   {func(_ *site, build string) error { return os.Link(build+"/o", build+"/../../second") }, "another name outside"},
		"an attribute": {func(_ *site, build string) error {
			return unix.Setxattr(build+"/o", "user.mine", []byte("1"), 0)
		}, "attributes"},
		"open for writing": {func(s *site, build string) error {
			f, err := os.OpenFile(build+"/o", os.O_RDWR, 0)
			s.t.Cleanup(func() { _ = f.Close() })
			return err
		}, "can still write"},
		"set-id":           {func(_ *site, build string) error { return os.Chmod(build+"/o", 0o644|os.ModeSetuid) }, "its rights"},
		"there already":    {func(s *site, _ string) error { s.fill(map[string]string{"build/mine": "1"}); return nil }, "is there already"},
		"without the rest": {func(s *site, _ string) error { s.takes = false; return nil }, "all of the other changes"},
	} {
		s := newSite(t)
		changes := treeWork(s)
		must(t, tt.do(s, filepath.Join(s.project, contentsOf, "build")))
		before := s.tree()
		if err := applyPlan(s, changes); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		s.same(name, before)
		s.clean()
	}
}

// A folder in which somebody puts something after it was moved is theirs: it stays where a
// transaction is taken back.
func TestTreesThatAreTakenBack(t *testing.T) {
	t.Parallel()
	for _, edited := range []bool{false, true} {
		s := newSite(t)
		changes := append(treeWork(s), replace("last", "1", "2"))
		s.fill(map[string]string{"last": "1"})
		s.lay(changes[5:])
		before := s.tree()
		p := s.open()
		tx, err := p.Begin(s.planned(changes))
		must(t, err)
		must(t, tx.Prepare())
		must(t, tx.ApplyFirst(5))
		must(t, p.Close())
		s.fill(map[string]string{"last": "mine"})
		before["last"] = "-rw-r--r-- mine"
		if edited {
			s.fill(map[string]string{"build/mine": "1"})
		}
		settled := s.settle()
		if len(settled) != 1 || settled[0].Result != journal.RolledBack {
			t.Fatalf("%+v", settled)
		}
		if !edited {
			s.same("taken back", before)
		} else if now := s.tree(); now["build/mine"] != "-rw-r--r-- 1" || now["build/o"] != "-rw-r--r-- object" || now["new/f"] != "" {
			t.Errorf("%v", now)
		}
	}
}

// A record with a folder that comes as a whole is one that an older belay leaves alone.
func TestTreesInRecords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.leaveTree(treeWork(s))
	records, err := filepath.Glob(filepath.Join(s.dir, "*/*.json"))
	must(t, err)
	data, err := os.ReadFile(records[0])
	must(t, err)
	if !strings.HasPrefix(string(data), `{"v":3,`) || len(records) != 1 {
		t.Errorf("%d records, %.200s", len(records), data)
	}
	if settled := s.settle(); len(settled) != 1 || settled[0].Result != journal.Completed {
		t.Errorf("%+v", settled)
	}
	if now := s.tree(); now["build/deep/p"] != "-rw-r--r-- other" || now["new/out/q"] != "-rw-r--r-- more" {
		t.Errorf("%v", now)
	}
}

func (s *site) leaveTree(changes []journal.Change) {
	s.t.Helper()
	p := s.open()
	tx, err := p.Begin(s.planned(changes))
	must(s.t, err)
	must(s.t, errors.Join(tx.Prepare(), tx.ApplyFirst(0), p.Close()))
}
