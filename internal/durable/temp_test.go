package durable_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"belay/internal/durable"
)

// What lives stays, and so does what has another name. What nobody holds goes when the next
// one is made, also folders that nobody may look into.
func TestTempRemovesWhatWasLeft(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: nothing is removed here")
	}
	parent := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, left := range []string{"x-left", "x-closed/inner", "y-other"} {
		must(os.MkdirAll(filepath.Join(parent, left), 0o700))
	}
	must(os.WriteFile(filepath.Join(parent, "x-file"), nil, 0o600))
	must(os.WriteFile(filepath.Join(parent, "x-closed", "inner", "f"), nil, 0o600))
	must(os.Chmod(filepath.Join(parent, "x-closed", "inner"), 0))
	must(os.Symlink("y-other", filepath.Join(parent, "x-link")))
	first, err := durable.TempDir(parent, "x-")
	must(err)
	second, err := durable.TempFile(parent, "x-")
	must(err)
	want := []string{"x-link", "y-other", filepath.Base(first.Path), filepath.Base(second.Path)}
	slices.Sort(want)
	if got := namesIn(t, parent); !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
	must(os.WriteFile(filepath.Join(first.Path, "f"), nil, 0o600))
	must(first.Close())
	must(os.Rename(second.Path, filepath.Join(parent, "z")))
	must(second.Keep())
	third, err := durable.TempDir(parent, "x-")
	must(err)
	must(third.Close())
	if got := namesIn(t, parent); !slices.Equal(got, []string{"x-link", "y-other", "z"}) {
		t.Errorf("there are %q", got)
	}
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
