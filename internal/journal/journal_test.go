package journal_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"belay/internal/journal"
	"belay/internal/journal/journaltest"
)

func TestMain(m *testing.M) {
	if run, ok := children[os.Getenv(childEnv)]; ok {
		run()
		return
	}
	goleak.VerifyTestMain(m)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// site is a project with a journal.
type site struct {
	t       testing.TB
	project string
	dir     string // of the records
	root    *os.Root
	store   *journal.Store
	// takes is set where contents are in a folder of the project that is taken.
	takes bool
}

func newSite(t testing.TB, configure ...func(*site)) *site {
	t.Helper()
	s := &site{t: t, project: t.TempDir(), dir: filepath.Join(t.TempDir(), "journal")}
	root, err := os.OpenRoot(s.project)
	must(t, err)
	t.Cleanup(func() { must(t, root.Close()) })
	s.root, s.store = root, journal.New(s.dir, nil)
	for _, f := range configure {
		f(s)
	}
	return s
}

// fill makes files of a project: "name": "content", "name/": "" for a folder,
// "name": "-> target" for a link.
func (s *site) fill(files map[string]string) {
	s.t.Helper()
	for name, text := range files {
		path := filepath.Join(s.project, filepath.FromSlash(name))
		must(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
		target, link := strings.CutPrefix(text, "-> ")
		switch {
		case strings.HasSuffix(name, "/"):
			must(s.t, os.MkdirAll(path, 0o755))
		case link:
			must(s.t, os.Symlink(target, path))
		default:
			must(s.t, os.WriteFile(path, []byte(text), 0o644))
		}
	}
}

func (s *site) tree() journaltest.Tree {
	s.t.Helper()
	t, err := journaltest.Read(s.project)
	must(s.t, err)
	return t
}

func (s *site) same(what string, want journaltest.Tree) {
	s.t.Helper()
	if bad := journaltest.Neither(want, s.tree(), want); len(bad) > 0 {
		s.t.Errorf("%s: %s", what, strings.Join(bad, "\n"))
	}
}

// open opens the journal; what is unfinished is settled then.
func (s *site) open() *journal.Project {
	s.t.Helper()
	p, err := s.store.Open(context.Background(), s.project, s.root)
	must(s.t, err)
	return p
}

// settle opens and closes the journal, and returns what that settled. Nothing is
// left of any transaction.
func (s *site) settle() []journal.Settled {
	s.t.Helper()
	p := s.open()
	must(s.t, p.Close())
	s.clean()
	return p.Settled
}

func (s *site) clean() {
	s.t.Helper()
	left, err := journaltest.Left(s.dir, s.project)
	must(s.t, err)
	if len(left) > 0 {
		s.t.Errorf("there is still %v", left)
	}
}

// apply makes changes in one transaction.
func (s *site) apply(changes ...journal.Change) error {
	s.t.Helper()
	p := s.open()
	defer func() { must(s.t, p.Close()) }()
	return apply(p, s.plan(changes))
}

func apply(p *journal.Project, plan journal.Plan) error {
	tx, err := p.Begin(plan)
	if err != nil {
		return err
	}
	if err := tx.Prepare(); err != nil {
		return err
	}
	if err := tx.Apply(context.Background()); err != nil {
		return err
	}
	tx.Done()
	return nil
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func content(text string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

func file(text string) journal.State { return journal.State{Type: journal.File, SHA256: hash(text)} }

func link(target string) journal.State {
	return journal.State{Type: journal.Link, Target: journal.Name(target)}
}

var folder = journal.State{Type: journal.Folder}

func create(name, text string) journal.Change {
	return journal.Change{Op: journal.Create, Path: journal.Name(name), After: file(text), Content: content(text)}
}

func replace(name, before, after string) journal.Change {
	return journal.Change{Op: journal.Replace, Path: journal.Name(name), Before: file(before), After: file(after), Content: content(after)}
}

func remove(name, before string) journal.Change {
	return journal.Change{Op: journal.Remove, Path: journal.Name(name), Before: file(before)}
}

func mkdir(name string) journal.Change {
	return journal.Change{Op: journal.Mkdir, Path: journal.Name(name), After: folder}
}

func rmdir(name string) journal.Change {
	return journal.Change{Op: journal.Rmdir, Path: journal.Name(name), Before: folder}
}

// work is a project and changes of it, with what they leave.
type work struct {
	before  map[string]string
	changes []journal.Change
	after   map[string]string
	// modes are those of the files after, where they are not what a new file has.
	modes map[string]fs.FileMode
}

// works are changes of every kind.
func works() map[string]work {
	all := map[string]work{
		"create":  {nil, []journal.Change{create("f", "new")}, map[string]string{"f": "new"}, nil},
		"replace": {map[string]string{"f": "old"}, []journal.Change{replace("f", "old", "new")}, map[string]string{"f": "new"}, nil},
		"remove":  {map[string]string{"f": "old", "g": ""}, []journal.Change{remove("f", "old")}, map[string]string{"g": ""}, nil},
		"folders": {
			map[string]string{"old/deep/": ""},
			[]journal.Change{mkdir("new"), mkdir("new/deep"), create("new/deep/f", "1"), rmdir("old/deep"), rmdir("old")},
			map[string]string{"new/deep/f": "1"}, nil,
		},
		"a file becomes a folder": {
			map[string]string{"f": "old"}, []journal.Change{remove("f", "old"), mkdir("f"), create("f/in", "new")}, map[string]string{"f/in": "new"}, nil,
		},
		"a folder becomes a file": {
			map[string]string{"f/in": "old"}, []journal.Change{remove("f/in", "old"), rmdir("f"), create("f", "new")}, map[string]string{"f": "new"}, nil,
		},
		"a folder that is there": {map[string]string{"d/f": "1"}, []journal.Change{mkdir("d"), create("d/g", "2")}, map[string]string{"d/f": "1", "d/g": "2"}, nil},
		"a folder that is not empty": {
			map[string]string{"d/f": "1", "e/": ""},
			[]journal.Change{{Op: journal.Rmdir, Path: "d", Before: folder, IfEmpty: true}, {Op: journal.Rmdir, Path: "e", Before: folder, IfEmpty: true}},
			map[string]string{"d/f": "1"}, nil,
		},
		"rename": {
			map[string]string{"d/f": "1", "d/g/h": "2"}, []journal.Change{{Op: journal.Rename, Path: "d", To: "e", Before: folder, After: folder}, create("d", "3")},
			map[string]string{"e/f": "1", "e/g/h": "2", "d": "3"}, nil,
		},
		"many": {
			map[string]string{"a": "1", "b": "2", "c/d": "3", "gone": "4"},
			[]journal.Change{replace("a", "1", "one"), replace("b", "2", "two"), replace("c/d", "3", "three"), remove("gone", "4"), create("made", "five")},
			map[string]string{"a": "one", "b": "two", "c/d": "three", "made": "five"}, nil,
		},
		"modes": {
			map[string]string{"f": "1", "d/g": "2"},
			[]journal.Change{
				{Op: journal.Mode, Path: "f", Before: journal.State{Type: journal.File, Mode: 0o644}, After: journal.State{Type: journal.File, Mode: 0o755}},
				{Op: journal.Replace, Path: "d/g", Before: file("2"), After: journal.State{Type: journal.File, Mode: 0o600, SHA256: hash("3")}, Content: content("3")},
				{Op: journal.Mode, Path: "d", Before: journal.State{Type: journal.Folder, Mode: 0o755}, After: journal.State{Type: journal.Folder, Mode: 0o700}},
			},
			map[string]string{"f": "1", "d/g": "3"}, map[string]fs.FileMode{"f": 0o755, "d/g": 0o600, "d": 0o700},
		},
	}
	if runtime.GOOS != "windows" {
		all["links"] = work{
			map[string]string{"there": "-> a", "gone": "-> a", "file": "1", "back": "-> a"},
			[]journal.Change{
				{Op: journal.Symlink, Path: "new", After: link("a")},
				{Op: journal.Symlink, Path: "there", Before: link("a"), After: link("b")},
				{Op: journal.Symlink, Path: "file", Before: file("1"), After: link("c")},
				{Op: journal.Remove, Path: "gone", Before: link("a")},
				{Op: journal.Replace, Path: "back", Before: link("a"), After: file("2"), Content: content("2")},
			},
			map[string]string{"new": "-> a", "there": "-> b", "file": "-> c", "back": "2"}, nil,
		}
	}
	if runtime.GOOS != "windows" {
		all["a folder becomes a link"] = work{
			map[string]string{"f/deep/in": "old", "d/in": "old"},
			[]journal.Change{remove("f/deep/in", "old"), rmdir("f/deep"), rmdir("f"), {Op: journal.Symlink, Path: "f", After: link("d")}, create("new", "1")},
			map[string]string{"f": "-> d", "d/in": "old", "new": "1"}, nil,
		}
		all["a link becomes a folder"] = work{
			map[string]string{"f": "-> d", "d/in": "old"},
			[]journal.Change{{Op: journal.Remove, Path: "f", Before: link("d")}, mkdir("f"), create("f/in", "new")},
			map[string]string{"f/in": "new", "d/in": "old"}, nil,
		}
	}
	if runtime.GOOS == "linux" { // others refuse such names
		odd := "odd\xff\n\"name"
		all["names of any bytes"] = work{map[string]string{odd: "1"}, []journal.Change{replace(odd, "1", "2")}, map[string]string{odd: "2"}, nil}
	}
	return all
}

// wanted is the tree that a work leaves.
func (w work) wanted(t testing.TB) journaltest.Tree {
	t.Helper()
	s := newSite(t)
	s.fill(w.after)
	for name, mode := range w.modes {
		must(t, os.Chmod(filepath.Join(s.project, name), mode))
	}
	return s.tree()
}

// ways are file systems with and without an exchange, and contents that are written
// and ones that are taken.
var ways = map[string]func(*site){
	"exchange":    func(*site) {},
	"copy":        func(s *site) { journal.WithoutExchange(s.store) },
	"mount":       func(s *site) { journal.AcrossFileSystems(s.store) },
	"taken":       func(s *site) { s.takes = true },
	"taken, copy": func(s *site) { s.takes = true; journal.WithoutExchange(s.store) },
}

// contentsOf is where contents are that are taken.
const contentsOf = ".belay/changes/c/files"

// plan is a plan of changes, with their contents in a folder where they are taken.
func (s *site) plan(changes []journal.Change) journal.Plan {
	s.t.Helper()
	s.lay(changes)
	return s.planned(changes)
}

// planned is a plan of changes whose contents are there.
func (s *site) planned(changes []journal.Change) journal.Plan {
	plan := journal.Plan{Owner: journal.Owner{What: "undo", Session: "s1", Turn: "t1", By: "ana"}, Changes: changes}
	if s.takes {
		plan.Contents = contentsOf
	}
	return plan
}

// lay makes the folder of the contents of changes, where they are taken.
func (s *site) lay(changes []journal.Change) {
	s.t.Helper()
	if !s.takes {
		return
	}
	dir := filepath.Join(s.project, contentsOf)
	must(s.t, os.MkdirAll(dir, 0o755))
	for _, c := range changes {
		if c.After.Type == journal.None || c.Before.Type == journal.Folder {
			continue
		}
		at := filepath.Join(dir, filepath.FromSlash(string(c.Path)))
		must(s.t, os.MkdirAll(filepath.Dir(at), 0o755))
		switch {
		case c.Op == journal.Mkdir:
			must(s.t, os.MkdirAll(at, 0o755))
		case c.Op == journal.Symlink:
			must(s.t, os.Symlink(string(c.After.Target), at))
		case c.Content != nil:
			from, err := c.Content()
			must(s.t, err)
			data, err := io.ReadAll(from)
			must(s.t, err)
			must(s.t, os.WriteFile(at, data, 0o644))
		}
	}
}

// givenBack checks that contents that were taken are where they were, or gone if what
// they were for was made.
func (s *site) givenBack(what string, changes []journal.Change, made bool) {
	s.t.Helper()
	for _, c := range changes {
		if !s.takes || c.After.Type != journal.File || c.Content == nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(s.project, contentsOf, filepath.FromSlash(string(c.Path))))
		switch {
		case made && err == nil:
			s.t.Errorf("%s: the content of %s is still among the contents", what, c.Path)
		case !made && (err != nil || hash(string(data)) != c.After.SHA256):
			s.t.Errorf("%s: the content of %s was not given back: %q, %v", what, c.Path, data, err)
		}
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	for way, configure := range ways {
		for name, w := range works() {
			if name == "rename" && way == "mount" {
				continue // nothing is renamed across file systems
			}
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newSite(t, configure)
				s.fill(w.before)
				before, after := s.tree(), w.wanted(t)
				must(t, s.apply(w.changes...))
				s.same("applied", after)
				s.givenBack("applied", w.changes, true)
				s.clean()

				// All or none: what comes before a conflict is taken back.
				s = newSite(t, configure)
				s.fill(w.before)
				s.fill(map[string]string{"last": "mine"})
				before["last"] = s.tree()["last"]
				var conflict *journal.ConflictError
				if err := s.apply(append(w.changes[:len(w.changes):len(w.changes)], replace("last", "other", "theirs"))...); !errors.As(err, &conflict) {
					t.Fatalf("a file with another content was replaced: %v", err)
				}
				if len(conflict.Conflicts) != 1 || conflict.Conflicts[0].Path != "last" {
					t.Errorf("conflicts: %v", conflict.Conflicts)
				}
				s.same("taken back", before)
				s.givenBack("taken back", w.changes, false)
				s.clean()
			})
		}
	}
}
