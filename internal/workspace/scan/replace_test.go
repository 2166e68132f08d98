package scan

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// However a root changes, scanning only the folders in which something changed
// gives what scanning all of it gives.
func TestReplaceIsScan(t *testing.T) {
	t.Parallel()
	names := []string{
		"PKG-01_a", "PKG-01_b", "PKG-02_a", "1_Working", "3_Issued", "_Archive", "_Decomposition", "_Mine", "DEL-01-01_x", "DEL-01-02_y", "DEL-02-01_x",
		"KTY-AB-01_k", "PKG-9", "group",
	}
	rapid.Check(t, func(rt *rapid.T) {
		root := t.TempDir()
		known, err := Scan(t.Context(), root, Options{Visited: true})
		if err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(1, 12).Draw(rt, "changes") {
			parts := rapid.SliceOfN(rapid.SampledFrom(names), 1, 5).Draw(rt, "path")
			rel := path.Join(parts...)
			change(rt, filepath.Join(root, filepath.FromSlash(rel)))
			// What is reported is the highest folder that came, went, or has a
			// file that did.
			at := rel
			for known := known.Visited; !slices.Contains(known, path.Dir(at)); {
				at = path.Dir(at)
			}
			part, err := Under(t.Context(), root, at, Options{Visited: true})
			if err != nil {
				rt.Fatal(err)
			}
			known = known.Replace(map[string]*Result{at: part})
			whole, err := Scan(t.Context(), root, Options{Visited: true})
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(told(whole), told(known)); diff != "" {
				rt.Fatalf("after a change of %s (-scan +replace):\n%s", rel, diff)
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(whole.Visited)), slices.Sorted(slices.Values(known.Visited))); diff != "" || known.Folders != whole.Folders {
				rt.Fatalf("after a change of %s, %d folders, want %d (-scan +replace):\n%s", rel, known.Folders, whole.Folders, diff)
			}
		}
	})
}

// change does something to a folder and what is in it.
func change(t *rapid.T, dir string) {
	var err error
	switch rapid.IntRange(0, 3).Draw(t, "change") {
	case 0:
		err = os.RemoveAll(dir)
	case 1:
		err = os.MkdirAll(dir, 0o755)
	case 2:
		err = write(dir, "_STATUS.md", "**Current State:** "+strings.ToUpper(rapid.SampledFrom([]string{"open", "issued", "none"}).Draw(t, "state")))
	case 3:
		err = write(dir, "d.md", rapid.SampledFrom([]string{"knowledge types", "nothing"}).Draw(t, "text"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func write(dir, name, text string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
}
