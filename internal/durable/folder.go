package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Folder is an open folder that a process keeps for long, with the folders that it
// must have. Should somebody remove it meanwhile, everything in it is lost, but not
// the place: [Folder.Restore] makes it again. It is safe for concurrent use.
type Folder struct {
	path string
	dirs []string

	mu   sync.RWMutex
	root *os.Root
	// lost are roots of folders that were removed. Somebody may be using one.
	lost []*os.Root
}

// NewFolder opens the folder at path, making it (0700) and the given folders in it
// where they are not there.
func NewFolder(path string, dirs ...string) (*Folder, error) {
	f := &Folder{path: path, dirs: dirs}
	var err error
	if f.root, err = f.make(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *Folder) make() (*os.Root, error) {
	for _, d := range append([]string{""}, f.dirs...) {
		if err := os.MkdirAll(filepath.Join(f.path, d), 0o700); err != nil {
			return nil, err
		}
	}
	return os.OpenRoot(f.path)
}

// Root is the folder as it was opened last. The caller does not close it and does
// not keep it.
func (f *Folder) Root() *os.Root {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.root
}

// Restore makes the folder again, or those in it, and reports whether any was
// gone.
func (f *Folder) Restore() (made bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.whole() {
		return false, nil
	}
	root, err := f.make()
	if err != nil {
		return false, fmt.Errorf("make a folder again: %w", err)
	}
	f.lost = append(f.lost, f.root)
	f.root = root
	return true, nil
}

// whole reports whether the folder still has its name, and the folders that it must
// have. f.mu is held.
func (f *Folder) whole() bool {
	named, err := os.Stat(f.path)
	if err != nil {
		return false
	}
	open, err := f.root.Stat(".")
	if err != nil || !os.SameFile(named, open) {
		return false
	}
	for _, d := range f.dirs {
		if info, err := f.root.Stat(d); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// Close closes the folder.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	errs := []error{f.root.Close()}
	for _, r := range f.lost {
		errs = append(errs, r.Close())
	}
	f.lost = nil
	return errors.Join(errs...)
}
