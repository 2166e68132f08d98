package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Temp is a file or folder that lives as long as its process, in a folder that nobody
// sweeps: the system's own for temporary files, or one that a person named. It is locked
// while it is in use. Whoever makes another one in the same place removes those whose
// processes died; see [TempDir]. On Windows nothing is removed.
type Temp struct {
	// Path is where it lies.
	Path string

	lock *os.File
}

// TempDir makes a folder in parent whose name begins with prefix. Close removes it.
func TempDir(parent, prefix string) (*Temp, error) {
	return makeTemp(parent, prefix, func() (string, error) { return os.MkdirTemp(parent, prefix+"*") })
}

// TempFile makes an empty file in parent whose name begins with prefix. Close removes it.
func TempFile(parent, prefix string) (*Temp, error) {
	return makeTemp(parent, prefix, func() (string, error) {
		f, err := os.CreateTemp(parent, prefix+"*")
		if err != nil {
			return "", err
		}
		return f.Name(), f.Close()
	})
}

// makeTemp makes a temporary file or folder and locks it. Another process may take it for one
// that was left, between the two; then it is made again.
func makeTemp(parent, prefix string, create func() (string, error)) (*Temp, error) {
	if runtime.GOOS == "windows" { // what is open there cannot be renamed or removed
		path, err := create()
		return &Temp{Path: path}, err
	}
	sweepTemp(parent, prefix)
	for range 10 {
		path, err := create()
		if err != nil {
			return nil, err
		}
		lock, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, errors.Join(err, RemoveTree(path))
		}
		if errors.Is(tryLock(lock, true), ErrLocked) || !named(lock, path) {
			_ = lock.Close()
			continue
		}
		return &Temp{Path: path, lock: lock}, nil
	}
	return nil, fmt.Errorf("%s: what is made there is removed again and again", parent)
}

// named reports whether an open file or folder still has its name.
func named(f *os.File, path string) bool {
	here, err := f.Stat()
	there, terr := os.Lstat(path)
	return err == nil && terr == nil && os.SameFile(here, there)
}

// sweepTemp removes what processes left that died. It does what it can: the next one tries
// again.
func sweepTemp(parent, prefix string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(parent, e.Name())
		f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
		if err != nil {
			continue // of another user, mostly
		}
		if tryLock(f, true) == nil && named(f, path) {
			_ = RemoveTree(path)
		}
		_ = f.Close()
	}
}

// Close removes the file or folder, if it still has its name.
func (t *Temp) Close() error {
	return errors.Join(RemoveTree(t.Path), t.Keep())
}

// Keep ends the lock and leaves the file or folder, which was renamed to where it belongs.
func (t *Temp) Keep() error {
	if t.lock == nil {
		return nil
	}
	return t.lock.Close()
}

// RemoveTree removes a file or folder by its path, as [RemoveAll] does: a scratch folder, which
// commands fill and which survives no power cut.
func RemoveTree(path string) error {
	parent, err := os.OpenRoot(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return errors.Join(removeAll(parent, filepath.Base(path)), parent.Close())
}
