package changeset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/journal"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newWriter(t *testing.T) Writer {
	state := t.TempDir()
	return Writer{LockDir: filepath.Join(state, "locks"), Journal: journal.New(filepath.Join(state, "journal"), nil), Wait: 50 * time.Millisecond}
}

// TestApply: files change all or none, a new one among them; one that somebody else
// changed or made keeps all others as they are.
func TestApply(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files    []File
		conflict []string
	}{
		"a new one and an old one":    {[]File{{"d/a", []byte("1"), []byte("2")}, {"d/new", nil, []byte("3")}}, nil},
		"an old one that changed":     {[]File{{"d/a", []byte("1"), []byte("2")}, {"d/b", []byte("?"), []byte("3")}}, []string{"d/b"}},
		"a new one that is there":     {[]File{{"d/a", []byte("1"), []byte("2")}, {"d/b", nil, []byte("3")}}, []string{"d/b"}},
		"an old one that is gone":     {[]File{{"d/a", []byte("1"), []byte("2")}, {"d/c", []byte("1"), []byte("3")}}, []string{"d/c"}},
		"an empty one and what it is": {[]File{{"d/empty", []byte{}, []byte("3")}}, nil},
	} {
		project := t.TempDir()
		must(t, os.Mkdir(filepath.Join(project, "d"), 0o700))
		want := map[string]string{"d/a": "1", "d/b": "1", "d/empty": ""}
		for path, text := range want {
			must(t, os.WriteFile(filepath.Join(project, path), []byte(text), 0o640))
		}
		p, err := newWriter(t).Open(t.Context(), project, "d/a")
		must(t, err)
		_, err = p.Apply(t.Context(), "test", "me", c.files)
		p.Close()
		if len(c.conflict) == 0 {
			must(t, err)
			for _, f := range c.files {
				want[f.Path] = string(f.After)
			}
		} else if e := fault.From(err); e.Type != fault.ContentChanged || !cmp.Equal(e.Details["paths"], c.conflict) {
			t.Errorf("%s: %v", name, err)
		}
		got := map[string]string{}
		names, err := filepath.Glob(filepath.Join(project, "d", "*"))
		must(t, err)
		for _, path := range names {
			data, err := os.ReadFile(path)
			must(t, err)
			got["d/"+filepath.Base(path)] = string(data)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOpen: who has a deliverable open keeps others from it, not from the next one.
func TestOpen(t *testing.T) {
	t.Parallel()
	w, project := newWriter(t), t.TempDir()
	unlock, err := Lock(t.Context(), w.LockDir, Deliverable, filepath.Join(project, "d"), time.Second)
	must(t, err)
	if _, err := w.Open(t.Context(), project, "d/a", "e/a"); !fault.Is(err, fault.Overloaded) {
		t.Errorf("a lock that is held: %v", err)
	}
	p, err := w.Open(t.Context(), project, "e/a")
	must(t, err)
	p.Close()
	unlock()
	p, err = w.Open(t.Context(), project, "d/a", ".belay/proposals/x.csv")
	must(t, err)
	p.Close()
}

// TestSettle: a reader completes what a dead process left, and waits a moment for a living one.
func TestSettle(t *testing.T) {
	t.Parallel()
	w, project := newWriter(t), t.TempDir()
	must(t, w.Settle(t.Context(), project))
	must(t, os.MkdirAll(filepath.Join(project, ".belay", "journal", "left"), 0o700)) // contents of somebody's change
	p, err := w.Open(t.Context(), project)
	must(t, err)
	if err := w.Settle(t.Context(), project); !w.Journal.Stray(project) || !fault.Is(err, fault.Overloaded) {
		t.Errorf("beside a change: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Settle(gone, project); !errors.Is(err, context.Canceled) {
		t.Errorf("of a reader that is gone: %v", err)
	}
	p.Close()
	must(t, w.Settle(t.Context(), project))
}
