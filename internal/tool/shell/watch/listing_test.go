package watch

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// look lists the project of a house.
func (h *house) look(last *listing) *listing {
	h.t.Helper()
	l, closed, err := walk(h.place.Root, last, defaultMaxFiles)
	h.must(err)
	if len(closed) > 0 {
		h.t.Errorf("closed: %v", closed)
	}
	return l
}

// entries are those of a listing, by path.
func (l *listing) entries() map[string]entry {
	all := map[string]entry{}
	for dir := range l.folders {
		maps.Insert(all, l.all(dir))
	}
	return all
}

// Only the folders in which something happened take memory, and every file is
// looked at: one that is written in place, with its old size and time, too.
func TestFoldersAreShared(t *testing.T) {
	t.Parallel()
	h := newHouse(t, map[string]string{"a/one": "1", "a/two": "2", "b/one": "1", "b/c/one": "1", "top": "t"})
	first := h.look(&listing{})
	if again := h.look(first); !maps.Equal(first.folders, again.folders) {
		t.Errorf("nothing happened, and %v became %v", first.folders, again.folders)
	}
	info, err := os.Stat(h.at("b/c/one"))
	h.must(err)
	f, err := os.OpenFile(h.at("b/c/one"), os.O_WRONLY, 0)
	h.must(err)
	for then := time.Now(); time.Since(then) < 2*raceTime; { // until the clock of the filesystem has moved on
		_, err = f.WriteAt([]byte("2"), 0)
		h.must(err)
	}
	h.must(f.Close())
	h.must(os.Chtimes(h.at("b/c/one"), info.ModTime(), info.ModTime()))
	second := h.look(first)
	for dir, f := range second.folders {
		if shared := f == first.folders[dir]; shared != (dir != "b/c") {
			t.Errorf("%s: shared is %v", dir, shared)
		}
	}
}

// A listing is the same whatever was known before.
func TestLastListingDoesNotMatter(t *testing.T) {
	t.Parallel()
	h := newHouse(t, map[string]string{"a/x": "x"})
	name := rapid.StringMatching(`(a|b|\.git|a/c)/[xyz]`)
	last := &listing{}
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			rel := name.Draw(t, "name")
			p := h.at(rel)
			switch rapid.SampledFrom([]string{"write", "remove", "link", "mode"}).Draw(t, "what") {
			case "write":
				h.must(os.RemoveAll(p))
				h.write(rel, rapid.StringN(0, 3, -1).Draw(t, "text"))
			case "remove":
				h.must(os.RemoveAll(p))
			case "link":
				h.must(os.MkdirAll(filepath.Dir(p), 0o755))
				h.must(os.RemoveAll(p))
				h.must(os.Symlink(rapid.SampledFrom([]string{"../b/x", "../b/y"}).Draw(t, "target"), p))
			case "mode":
				_ = os.Chmod(p, 0o600) // there may be nothing, or a link to nothing
			}
		}
		last = h.look(last)
		if diff := cmp.Diff(h.look(&listing{}).entries(), last.entries(), cmp.AllowUnexported(entry{})); diff != "" {
			t.Errorf("without and with a last listing:\n%s", diff)
		}
		for p, e := range last.entries() {
			if got, ok := last.at(p); !ok || got != e {
				t.Errorf("at %s: %v %v, want %v", p, got, ok, e)
			}
		}
	})
}
