package shell

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/session"
	"belay/internal/tool"
)

// A file that somebody replaces while a person is asked is a conflict: the result names it, and
// the changes are kept. So it is where the contents of many small files are kept together.
func TestReplacedWhileAPersonIsAsked(t *testing.T) {
	t.Parallel()
	change := map[string]func(t *testing.T, w *tool.Environment, file string){
		"removed": func(t *testing.T, _ *tool.Environment, file string) { must(t, os.Remove(file)) },
		"a link": func(t *testing.T, _ *tool.Environment, file string) {
			must(t, os.Rename(file, file+".moved"))
			must(t, os.Symlink("a.moved", file))
		},
		"a folder": func(t *testing.T, _ *tool.Environment, file string) {
			must(t, os.Remove(file))
			must(t, os.Mkdir(file, 0o755))
		},
		"its folder is a file": func(t *testing.T, _ *tool.Environment, file string) {
			must(t, os.RemoveAll(filepath.Dir(file)))
			must(t, os.WriteFile(filepath.Dir(file), nil, 0o644))
		},
		"its folder is a link": func(t *testing.T, _ *tool.Environment, file string) {
			must(t, os.Rename(filepath.Dir(file), filepath.Dir(file)+".moved"))
			must(t, os.Symlink("sub.moved", filepath.Dir(file)))
		},
		"grown": func(t *testing.T, w *tool.Environment, file string) {
			must(t, os.WriteFile(file, make([]byte, w.Limits.KeepBytes+1), 0o644))
		},
	}
	for kind, command := range map[string]string{
		"one file":   "echo new >sub/a",
		"many files": "echo new >sub/a; for i in $(seq 20); do echo new >sub/$i; done",
	} {
		for name, meanwhile := range change {
			t.Run(kind+", "+name, func(t *testing.T) {
				t.Parallel()
				w := newPlace(t, tempDir(t))
				w.Ledger.Before = func(context.Context, ...session.Change) error { return nil }
				put(t, w.Project, "sub/a", "old\n")
				r, err := runShell(t, shared, w, input{Command: command})
				must(t, err)
				must(t, r.Changes.Hold(t.Context(), "question", "a person is asked"))
				meanwhile(t, w, filepath.Join(w.Project, "sub/a"))
				r, err = r.Changes.Apply(t.Context(), nil)
				if err != nil || !strings.Contains(r.Text, "the changes are kept as chg_") || !strings.Contains(r.Kept, "sub/a was changed by something else meanwhile") {
					t.Errorf("%v, kept for %q: %s", err, r.Kept, r.Text)
				}
			})
		}
	}
}

// A file that somebody else removes as well is no conflict. Its record says that its content is
// lost.
func TestRemovedTwice(t *testing.T) {
	t.Parallel()
	w := newPlace(t, tempDir(t))
	put(t, w.Project, "a", "old\n")
	r, err := runShell(t, shared, w, input{Command: "rm a; echo new >b"})
	must(t, err)
	must(t, os.Remove(filepath.Join(w.Project, "a")))
	r, err = r.Changes.Apply(t.Context(), nil)
	if err != nil || r.Kept != "" || read(t, w, "b") != "new\n" {
		t.Fatalf("%v, kept for %q: %s", err, r.Kept, r.Text)
	}
	for _, c := range w.Ledger.Take() {
		if lost := c.Lost != ""; lost != (c.Path == "a") {
			t.Errorf("on record is %+v", c)
		}
	}
}
