package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, data string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("file", "12345")
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()

	for _, r := range []*os.Root{root, nil} {
		name := func(n string) string {
			if r == nil {
				return filepath.Join(dir, n)
			}
			return n
		}
		data, info, err := ReadFile(r, name("file"), 5)
		if err != nil || string(data) != "12345" || info.Size() != 5 {
			t.Errorf("ReadFile = %q, %v, %v", data, info, err)
		}
		if _, _, err := ReadFile(r, name("file"), 4); !errors.Is(err, ErrTooLarge) {
			t.Errorf("over the limit: %v, want ErrTooLarge", err)
		}
		if _, _, err := ReadFile(r, name("folder"), 5); !errors.Is(err, ErrNotRegular) {
			t.Errorf("a folder: %v, want ErrNotRegular", err)
		}
		if _, _, err := ReadFile(r, name("none"), 5); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("missing: %v, want ErrNotExist", err)
		}
	}
}
