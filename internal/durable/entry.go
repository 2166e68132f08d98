package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// ErrMoved says that a link stands where a folder or a file was expected, or that
// the entry was replaced while it was opened.
var ErrMoved = errors.New("a folder or link on the way changed")

// ErrNotFolder says that a part of a path is a file.
var ErrNotFolder = errors.New("a part of the path is a file")

// Entry is a name in an open folder.
type Entry struct {
	Folder *os.Root
	Name   string
	dir    *os.File // the folder again, nil where it is opened when it is needed
}

// path is the entry's absolute path.
func (e Entry) path() string { return at(e.Folder, e.Name) }

// OpenFolder opens a folder under root by a clean name with slashes. Each part is
// opened through its parent and must be the folder that the parent listed, so a
// link on the way, also one that is put there meanwhile, is [ErrMoved]. The caller
// closes the folder.
func OpenFolder(root *os.Root, name string) (*os.Root, error) {
	folder, err := root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	if name == "." || name == "" {
		return folder, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		next, err := EnterFolder(folder, part)
		_ = folder.Close() // it was only a step on the way
		if err != nil {
			return nil, err
		}
		folder = next
	}
	return folder, nil
}

// OpenInside opens a regular file under root by a clean name with slashes, through no link. Its
// errors are those of [OpenFolder] and [OpenEntry]. The caller closes the file.
func OpenInside(root *os.Root, name string) (*os.File, error) {
	folder, err := OpenFolder(root, path.Dir(name))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	f, _, err := OpenEntry(Entry{Folder: folder, Name: path.Base(name)})
	return f, err
}

// EnterFolder opens a folder in parent, never through a link. The caller closes it.
func EnterFolder(parent *os.Root, name string) (*os.Root, error) {
	before, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	switch {
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, ErrMoved
	case !before.IsDir():
		return nil, ErrNotFolder
	}
	folder, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if info, err := folder.Stat("."); err != nil || !os.SameFile(before, info) {
		return nil, errors.Join(ErrMoved, err, folder.Close())
	}
	return folder, nil
}

// OpenEntry opens a regular file for reading: a link, also one that takes the
// name's place meanwhile, is [ErrMoved], and anything else [ErrNotRegular]. The
// caller closes the file.
func OpenEntry(e Entry) (*os.File, fs.FileInfo, error) {
	before, err := e.Folder.Lstat(e.Name)
	if err != nil {
		return nil, nil, err
	}
	return OpenSeen(e, before)
}

// OpenSeen is [OpenEntry] of an entry that was looked at: it must be the same file.
func OpenSeen(e Entry, before fs.FileInfo) (*os.File, fs.FileInfo, error) {
	switch {
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, nil, ErrMoved
	case !before.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s is %w", e.Name, ErrNotRegular)
	}
	f, err := e.Folder.OpenFile(e.Name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = ErrMoved
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// openSelf opens a folder as a file.
func openSelf(folder *os.Root) (*os.File, error) {
	return folder.OpenFile(".", os.O_RDONLY|nonblock, 0)
}
