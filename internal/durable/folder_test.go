package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// A folder that was removed, or moved, or lost a part, is made again, once, while
// others use it.
func TestFolderIsMadeAgain(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: an open folder cannot be removed there")
	}
	path := filepath.Join(t.TempDir(), "deep", "state")
	f, err := NewFolder(path, "locks", "sessions")
	if err != nil {
		t.Fatal(err)
	}
	write := func() error { return WriteFile(f.Root(), "locks/a", []byte("a"), 0o600, Cache) }
	for name, lose := range map[string]func() error{
		"nothing": func() error { return nil },
		"all":     func() error { return os.RemoveAll(filepath.Dir(path)) },
		"a part":  func() error { return os.RemoveAll(filepath.Join(path, "locks")) },
		"its name": func() error {
			return os.Rename(path, path+".away")
		},
	} {
		if err := errors.Join(write(), lose()); err != nil {
			t.Fatal(err)
		}
		if err := write(); name != "nothing" && name != "its name" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: writing gave %v", name, err)
		}
		var (
			wg   sync.WaitGroup
			mu   sync.Mutex
			made int
		)
		for range 4 {
			wg.Go(func() {
				again, err := f.Restore()
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				mu.Lock()
				defer mu.Unlock()
				if again {
					made++
				}
			})
		}
		wg.Wait()
		if want := map[bool]int{true: 0, false: 1}[name == "nothing"]; made != want {
			t.Errorf("%s: it was made %d times, want %d", name, made, want)
		}
		if err := write(); err != nil {
			t.Errorf("%s: afterwards: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(path, "locks", "a")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// A file in the folder's place is told, and the folder stays as it is.
func TestFolderThatCannotBeMade(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: an open folder cannot be removed there")
	}
	path := filepath.Join(t.TempDir(), "state")
	f, err := NewFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if made, err := f.Restore(); made || err == nil {
		t.Errorf("got %v, %v", made, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if made, err := f.Restore(); !made || err != nil {
		t.Errorf("without the file: %v, %v", made, err)
	}
}
