package download

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"belay/internal/durable"
)

// folder is where this process keeps its files. Beside it lies its lock: who has
// the lock, lives.
type folder struct {
	parent string

	mu   sync.Mutex
	dir  string
	lock *durable.FileLock
}

// lockSuffix makes the name of a folder's lock of its own.
const lockSuffix = ".lock"

// create makes a file of its own name in the folder.
func (f *folder) create() (*os.File, error) {
	dir, err := f.path()
	if err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, "")
}

// path is the folder's; the first call makes it.
func (f *folder) path() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == "" {
		if err := f.make(); err != nil {
			return "", err
		}
	}
	return f.dir, nil
}

// make makes the folder. The lock comes first, so that nobody takes the folder for
// one whose process is gone.
func (f *folder) make() error {
	if err := os.MkdirAll(f.parent, 0o700); err != nil {
		return err
	}
	for range 10 {
		dir := filepath.Join(f.parent, rand.Text())
		lock, err := durable.Lock(dir + lockSuffix)
		if errors.Is(err, durable.ErrLocked) {
			continue // somebody sweeps and came between its making and its locking
		}
		if err != nil {
			return err
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			return errors.Join(err, drop(lock, dir+lockSuffix))
		}
		f.dir, f.lock = dir, lock
		return nil
	}
	return durable.ErrLocked
}

// drop removes a lock that one has. Some systems remove no file that is open.
func drop(lock *durable.FileLock, name string) error {
	failed := os.Remove(name)
	err := lock.Unlock()
	if failed != nil {
		if failed = os.Remove(name); errors.Is(failed, fs.ErrNotExist) {
			failed = nil
		}
	}
	return errors.Join(err, failed)
}

// remove removes the folder, if it was made.
func (f *folder) remove() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == "" {
		return nil
	}
	dir, lock := f.dir, f.lock
	f.dir, f.lock = "", nil
	return errors.Join(os.RemoveAll(dir), drop(lock, dir+lockSuffix))
}

// sweep removes the folders below parent whose process is gone.
func sweep(parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("downloads: %w", err)
	}
	for _, e := range entries {
		name := filepath.Join(parent, e.Name())
		if filepath.Ext(name) != lockSuffix {
			continue
		}
		lock, err := durable.Lock(name)
		if err != nil {
			continue // its process lives, or another one sweeps
		}
		if err := errors.Join(os.RemoveAll(strings.TrimSuffix(name, lockSuffix)), drop(lock, name)); err != nil {
			return fmt.Errorf("downloads: %w", err)
		}
	}
	return nil
}
