package durable

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

const (
	// maxLevels is how many folders inside each other are open at a time. A command nests
	// folders deeper than a process may have files open.
	maxLevels = 100
	// namesAtOnce is how many names of a folder are read at a time.
	namesAtOnce = 1024
)

// removal removes one folder. What lies too deep in it is moved to its top, and removed
// from there.
type removal struct {
	// top is the folder, nil before it is open.
	top *os.Root
}

// removeAll is [os.Root.RemoveAll] with few open files, and also of folders that are closed
// to their owner. After an entry that cannot be removed it removes what it has read of that
// folder, and returns the first error.
func removeAll(root *os.Root, name string) error {
	err := fs.ErrInvalid
	if base := filepath.Base(name); base != "." && base != ".." {
		err = new(removal).entry(root, name, "", 0)
	}
	if err != nil {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	return nil
}

// entry removes an entry of a folder. Below is its path in the top folder, level how deep in
// that it lies.
func (r *removal) entry(folder *os.Root, name, below string, level int) error {
	err := removeOne(folder, name)
	if err == nil {
		return nil
	}
	info, lookErr := folder.Lstat(name)
	if lookErr != nil || !info.IsDir() {
		return err
	}
	if info.Mode().Perm()&0o700 != 0o700 {
		_ = folder.Chmod(name, 0o700) // if that fails, whatever needs it fails and says why
	}
	if level >= maxLevels {
		return r.top.Rename(below, rand.Text())
	}
	inner, err := EnterFolder(folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // somebody else removed it
	}
	if err != nil {
		return err
	}
	r.top = cmp.Or(r.top, inner)
	if err := errors.Join(r.empty(inner, below, level), inner.Close()); err != nil {
		return err
	}
	return removeOne(folder, name)
}

// empty removes what is in a folder. It reads the folder again and again: names may be left
// out while others are removed, and the top folder gets new ones.
func (r *removal) empty(folder *os.Root, below string, level int) error {
	for {
		names, err := someNames(folder)
		if err != nil || len(names) == 0 {
			return err
		}
		for _, name := range names {
			if failed := r.entry(folder, name, path.Join(below, name), level+1); err == nil {
				err = failed
			}
		}
		if err != nil {
			return err
		}
	}
}

// someNames are names in a folder, none where it is empty.
func someNames(folder *os.Root) ([]string, error) {
	f, err := openSelf(folder)
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(namesAtOnce)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return names, errors.Join(err, f.Close())
}

// removeOne removes a file or an empty folder, which need not be there.
func removeOne(folder *os.Root, name string) error {
	err := folder.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
