package view

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
)

// The documents of a folder are its regular files, its own first, with their titles.
func TestDocuments(t *testing.T) {
	t.Parallel()
	root := project(t, "d/b.csv", "d/deep/er/c.pdf", "d/.git/config", "d/.belay/z", "d/secret/s", "other.md")
	long := strings.Repeat("é", 5000)
	for name, text := range map[string]string{"Datasheet.md": "---\nid: 1\n---\n\n# The *sheet*\n## more\n", "plain.md": "no heading\n", "long.md": "# " + long + "\n"} {
		if err := os.WriteFile(filepath.Join(root, "d", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../other.md", filepath.Join(root, "d", "link.md")); err != nil {
		t.Skipf("skipped: this system does not let the test make links: %v", err)
	}
	all, more, err := Documents(t.Context(), root, "d", func(rel string) bool { return rel == "d/secret" })
	if err != nil || more {
		t.Fatal(more, err)
	}
	got := map[string]string{}
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
		got[f.Path] = f.Title
		if f.Size == 0 || f.Modified.IsZero() {
			t.Errorf("%+v", f)
		}
	}
	if diff := cmp.Diff([]string{"Datasheet.md", "b.csv", "long.md", "plain.md", "deep/er/c.pdf"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"d/Datasheet.md": "The *sheet*", "d/b.csv": "", "d/deep/er/c.pdf": "", "d/long.md": "", "d/plain.md": ""}, got); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
	for _, folder := range []string{"", "..", "/etc", "d/b.csv", "nowhere", "d/.git"} {
		if _, _, err := Documents(t.Context(), root, folder, nil); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", folder, err)
		}
	}
}

// A folder of more files than are listed says so.
func TestManyDocuments(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range maxDocuments + 1 {
		path := filepath.Join(root, "d", "f"+string(rune('a'+i%26))+strings.Repeat("0", i/26))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, more, err := Documents(t.Context(), root, "d", nil)
	if err != nil || len(all) != maxDocuments || !more {
		t.Errorf("%d files, more %v, %v", len(all), more, err)
	}
}
