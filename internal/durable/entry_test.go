package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
)

func TestOpenFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: this system does not let every test make links")
	}
	root := openRoot(t)
	must(t, root.MkdirAll("a/b", 0o700))
	must(t, WriteFile(root, "a/b/f", []byte("1"), 0o600, Cache))
	must(t, root.Symlink("a", "inside"))
	must(t, root.Symlink("b", "a/c"))
	must(t, root.Symlink(t.TempDir(), "outside"))
	must(t, root.Symlink("f", "a/b/link"))
	for name, want := range map[string]error{
		".": nil, "a": nil, "a/b": nil, "inside": ErrMoved, "inside/b": ErrMoved, "a/c": ErrMoved, "outside": ErrMoved,
		"a/b/f": ErrNotFolder, "a/b/f/x": ErrNotFolder, "a/x": fs.ErrNotExist,
	} {
		folder, err := OpenFolder(root, name)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if err == nil {
			must(t, folder.Close())
		}
	}
	folder, err := OpenFolder(root, "a/b")
	must(t, err)
	defer folder.Close()
	for name, want := range map[string]error{"f": nil, "link": ErrMoved, "x": fs.ErrNotExist, ".": ErrNotRegular} {
		f, _, err := OpenEntry(Entry{Folder: folder, Name: name})
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if err == nil {
			must(t, f.Close())
		}
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	root := openRoot(t)
	must(t, root.Mkdir("d", 0o700))
	must(t, WriteFile(root, "f", []byte("1"), 0o600, Cache))
	must(t, WriteFile(root, "d/g", []byte("2"), 0o600, Cache))
	d, err := OpenFolder(root, "d")
	must(t, err)
	defer d.Close()
	f, g := Entry{Folder: root, Name: "f"}, Entry{Folder: d, Name: "g"}
	if err := Exchange(f, g); err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Fatal(err)
		}
	} else if text, err := root.ReadFile("f"); err != nil || string(text) != "2" {
		t.Errorf("f holds %s, %v", text, err)
	}
	if err := RenameNew(f, g); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a name that is taken: %v", err)
	}
	must(t, RenameNew(f, Entry{Folder: d, Name: "h"}))
	if err := RenameNew(f, Entry{Folder: d, Name: "i"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing got another name: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root.Name(), "d/h")); err != nil {
		t.Error(err)
	}
}

func TestTogether(t *testing.T) {
	t.Parallel()
	one, two := errors.New("one"), errors.New("two")
	var done atomic.Int64
	work := []func() error{func() error { return one }, func() error { return two }}
	for range 50 {
		work = append(work, func() error { done.Add(1); return nil })
	}
	if err := Together(work...); !errors.Is(err, one) || !errors.Is(err, two) || done.Load() != 50 {
		t.Errorf("%v, %d of 50 were done", err, done.Load())
	}
	must(t, Together())
	must(t, Together(func() error { return nil }))
}
