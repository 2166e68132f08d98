package snapshot

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
)

func putAll(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPublications(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	putAll(t, root, map[string]string{
		"_Estimates/A_2026-01-01_0900/SHA256SUMS": "", "_Estimates/A_2026-01-02_0900/x": "", "_Estimates/A_2026-01-02_0900_2/x": "", "_Estimates/_LATEST.md": "Latest: `A_2026-01-02_0900/`\n",
		"_Reconciliation/Coverage/B_2025-01-01_0000/x": "", "work/C_2025-01-01_0000/x": "", "_Estimates/.tmp/D_2025-01-01_0000/x": "", "_secret/E_2025-01-01_0000/x": "",
	})
	if err := os.Symlink(filepath.Join(root, "work"), filepath.Join(root, "_link")); err != nil {
		t.Skipf("skipped: this system does not let the test make links: %v", err)
	}
	all, more, err := Publications(t.Context(), root, func(rel string) bool { return rel == "_secret" })
	if err != nil || more {
		t.Fatal(more, err)
	}
	want := []Published{
		{"_Estimates/A_2026-01-02_0900_2", "_Estimates", "A_2026-01-02_0900_2", false, false},
		{"_Estimates/A_2026-01-02_0900", "_Estimates", "A_2026-01-02_0900", true, false},
		{"_Estimates/A_2026-01-01_0900", "_Estimates", "A_2026-01-01_0900", false, true},
		{"_Reconciliation/Coverage/B_2025-01-01_0000", "_Reconciliation/Coverage", "B_2025-01-01_0000", false, false},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	sum := func(s string) string {
		putAll(t, root, map[string]string{"sum": s})
		dir, err := os.OpenRoot(root)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		got, err := sumOf(t.Context(), dir, "sum")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	old, later := "_Estimates/A_2026-01-01_0900", "_Estimates/A_2026-01-02_0900"
	putAll(t, root, map[string]string{
		old + "/SHA256SUMS": sum("1") + "  a.csv\n" + sum("2") + "  b/c.csv\n" + sum("3") + "  gone.csv\n", later + "/SHA256SUMS": sum("1") + "  a.csv\n", later + "/a.csv": "1",
		"_Estimates/a.csv": "1", "_Estimates/b/c.csv": "other", "_Estimates/new.csv": "", "_Estimates/_LATEST.md": "", "_Empty/A_2026-01-01_0900/SHA256SUMS": sum("1") + "  a.csv\n",
	})
	for _, c := range []struct {
		dir, other string
		want       Difference
	}{
		{old, "", Difference{Added: []string{"new.csv"}, Removed: []string{"gone.csv"}, Changed: []string{"b/c.csv"}, Same: 1}},
		{old, "A_2026-01-02_0900", Difference{Added: []string{}, Removed: []string{"b/c.csv", "gone.csv"}, Changed: []string{}, Same: 1}},
		{"_Empty/A_2026-01-01_0900", "", Difference{Added: []string{}, Removed: []string{"a.csv"}, Changed: []string{}}},
	} {
		got, err := Compare(t.Context(), root, c.dir, c.other)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s against %q: %v\n%s", c.dir, c.other, err, diff)
		}
	}
	if _, err := Compare(t.Context(), root, old, "A_2030-01-01_0000"); !fault.Is(err, fault.NotFound) {
		t.Errorf("one that is not there: %v", err)
	}
	if _, err := Compare(t.Context(), root, old, "../x"); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("no name: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Verify(ended, root, later); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that left: %v", err)
	}
}
