package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/shell/kept"
	"belay/internal/tool/shell/overlay"
)

const keptID = "chg_0123456789abcdef"

// holdChanges keeps what change makes of the files of a project, as of a command.
func holdChanges(t *testing.T, w *tool.Environment, change func(upper string)) {
	t.Helper()
	upper, err := overlay.Make(w.Root)
	must(t, err)
	dir, _ := upper.Folders()
	change(filepath.Join(w.Project, dir))
	set, err := upper.Changes(t.Context())
	must(t, err)
	c, err := kept.Hold(w.Root, upper, kept.Record{ID: keptID, Changes: set.Changes, Effect: permit.Effect{Tool: Name, Done: &permit.Done{}}})
	must(t, err)
	must(t, c.Close())
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
}

func read(t *testing.T, w *tool.Environment, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.Project, name))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	must(t, err)
	return string(data)
}

func applyKept(t *testing.T, w *tool.Environment, record func([]session.Change) error, only ...string) (Applied, error) {
	t.Helper()
	return applyKeptID(t, w, keptID, record, only...)
}

func applyKeptID(t *testing.T, w *tool.Environment, id string, record func([]session.Change) error, only ...string) (Applied, error) {
	t.Helper()
	c, err := kept.Open(w.Root, id)
	must(t, err)
	done, err := ApplyKept(t.Context(), w, c, KeptChoice{Only: only}, journal.Owner{What: Name, By: "ana"}, record)
	must(t, c.Close())
	return done, err
}

func unrecorded([]session.Change) error { return nil }

// Kept changes are applied for a person, some of them or the rest, also where a name has
// a line break.
func TestApplyKept(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	put(t, w.Project, "a.txt", "one\n")
	holdChanges(t, w, func(upper string) {
		put(t, upper, "a.txt", "two\n")
		put(t, upper, "sub/two\nlines", "new\n")
	})
	look, err := kept.Look(w.Root, keptID)
	must(t, err)
	shown, err := ShowKept(t.Context(), w, look)
	e := shown.Effect
	if err != nil || len(shown.Conflicts)+len(shown.Refused) > 0 || e.Done.Files != 2 || !strings.Contains(e.Diff, "-one\n+two\n") || !strings.Contains(e.Diff, "+new\n") {
		t.Errorf("%+v, %v", shown, err)
	}
	if _, err := applyKept(t, w, unrecorded, "nowhere"); !errors.Is(err, ErrUnknownPath) {
		t.Errorf("a path that was not changed: %v", err)
	}
	var noted []session.Change
	done, err := applyKept(t, w, func(made []session.Change) error { noted = made; return nil }, "sub")
	if err != nil || done.Left != 1 || strings.Join(done.Paths, "|") != "sub/two\nlines" {
		t.Errorf("%+v, %v", done, err)
	}
	if read(t, w, "a.txt") != "one\n" || read(t, w, "sub/two\nlines") != "new\n" || len(noted) != 1 || noted[0].Folders != 1 {
		t.Errorf("%q, %+v", read(t, w, "a.txt"), noted)
	}
	done, err = applyKept(t, w, unrecorded)
	if err != nil || done.Left != 0 || read(t, w, "a.txt") != "two\n" || kept.Has(w.Root, keptID) {
		t.Errorf("%+v, %v, %q", done, err, read(t, w, "a.txt"))
	}
}

// The numbers of kept changes are those of what is still kept: with them a reader knows how many
// files the list of paths leaves out.
func TestKeptNumbers(t *testing.T) {
	t.Parallel()
	e := KeptEffect(kept.Record{
		Changes: []journal.Change{
			{Path: "a.txt"}, {Path: "build", Op: journal.Mkdir}, {Path: "build/x"}, {Path: "sub", Op: journal.Mkdir}, {Path: "sub/b.txt"},
			{Path: "node_modules", Op: journal.Mkdir, Tree: &journal.Tree{Files: 500}},
		},
		Effect: permit.Effect{Done: &permit.Done{Files: 510, Ignored: []permit.Ignored{{Path: "build", Files: 3}, {Path: "dist", Files: 5}, {Path: "node_modules", Files: 500}}}},
	}).Shown()
	if e.Done.Files != 503 || fmt.Sprint(e.Done.Ignored) != "[{build 1} {node_modules 500}]" || fmt.Sprint(e.Paths) != "[a.txt sub/b.txt]" {
		t.Errorf("%+v, paths %q", e.Done, e.Paths)
	}
}

// Whatever was changed since is a conflict, and whatever is damaged is refused; then
// nothing is changed, and the change stays.
func TestKeptRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(w *tool.Environment)
		damaged   bool
	}{
		"an edit":    {func(w *tool.Environment) { put(t, w.Project, "a.txt", "theirs\n") }, false},
		"a new file": {func(w *tool.Environment) { put(t, w.Project, "sub/b.txt", "theirs\n") }, false},
		"no file":    {func(w *tool.Environment) { must(t, os.Remove(filepath.Join(w.Project, "a.txt"))) }, false},
		"a folder": {func(w *tool.Environment) {
			must(t, os.Remove(filepath.Join(w.Project, "a.txt")))
			must(t, os.Mkdir(filepath.Join(w.Project, "a.txt"), 0o755))
		}, false},
		"a link": {func(w *tool.Environment) {
			must(t, os.Remove(filepath.Join(w.Project, "a.txt")))
			must(t, os.Symlink("b", filepath.Join(w.Project, "a.txt")))
		}, false},
		"a content": {func(w *tool.Environment) {
			put(t, w.Project, ".belay/changes/"+keptID+"/files/sub/b.txt", "old\n")
		}, true},
		"no content": {func(w *tool.Environment) {
			must(t, os.Remove(filepath.Join(w.Project, ".belay/changes", keptID, "files/sub/b.txt")))
		}, true},
		"a path": {func(w *tool.Environment) {
			record := filepath.Join(w.Project, ".belay/changes", keptID, "record.json")
			data, err := os.ReadFile(record)
			must(t, err)
			must(t, os.WriteFile(record, []byte(strings.ReplaceAll(string(data), `"sub/b.txt"`, `".Belay/b.txt"`)), 0o600))
		}, true},
	} {
		w := newPlace(t, tempDir(t))
		put(t, w.Project, "a.txt", "one\n")
		holdChanges(t, w, func(upper string) {
			put(t, upper, "a.txt", "two\n")
			put(t, upper, "sub/b.txt", "new\n")
		})
		test.meanwhile(w)
		a, b := "", read(t, w, "sub/b.txt")
		if name == "an edit" || name == "a new file" {
			a = read(t, w, "a.txt")
		}
		_, err := applyKept(t, w, func([]session.Change) error { t.Errorf("%s: it was made", name); return nil })
		var conflict *journal.ConflictError
		var damaged *journal.ContentError
		if errors.As(err, &conflict) == test.damaged || errors.As(err, &damaged) != test.damaged {
			t.Errorf("%s: %v", name, err)
		}
		if a != "" && read(t, w, "a.txt") != a || read(t, w, "sub/b.txt") != b || !kept.Has(w.Root, keptID) {
			t.Errorf("%s: something was changed", name)
		}
		if look, err := kept.Look(w.Root, keptID); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if _, err := ShowKept(t.Context(), w, look); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Who applies a change again because its process died in between finds it applied.
func TestKeptAppliedTwice(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	put(t, w.Project, "a.txt", "one\n")
	put(t, w.Project, "gone/b.txt", "b\n")
	must(t, os.Symlink("a.txt", filepath.Join(w.Project, "link")))
	holdChanges(t, w, func(upper string) {
		put(t, upper, "a.txt", "two\n")
		put(t, upper, "new/c.txt", "c\n")
		must(t, os.Symlink("new", filepath.Join(upper, "to")))
	})
	died := errors.New("died")
	if _, err := applyKept(t, w, func([]session.Change) error { return died }); !errors.Is(err, died) {
		t.Fatal(err)
	}
	if read(t, w, "a.txt") != "two\n" || !kept.Has(w.Root, keptID) {
		t.Fatalf("%q", read(t, w, "a.txt"))
	}
	done, err := applyKept(t, w, func(made []session.Change) error {
		if len(made) > 0 {
			t.Errorf("made %v", made)
		}
		return nil
	})
	if err != nil || len(done.Paths) != 3 || kept.Has(w.Root, keptID) {
		t.Errorf("%+v, %v", done, err)
	}
}
