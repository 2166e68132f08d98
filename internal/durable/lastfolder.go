package durable

import (
	"os"
	"path"
)

// LastFolder opens folders under Root and keeps the one that was opened last: paths that
// follow each other mostly lie in the same one. It is used by one goroutine, which
// closes it at the end.
type LastFolder struct {
	Root *os.Root

	name   string
	folder *os.Root
	dir    *os.File
}

// Entry is that of a clean path with slashes. The folder is opened as by [OpenFolder],
// unless it is the last one, and stays open until the next call, or Close.
func (l *LastFolder) Entry(name string) (Entry, error) {
	dir := path.Dir(name)
	if !l.Holds(name) {
		l.Close()
		folder, err := OpenFolder(l.Root, dir)
		if err != nil {
			return Entry{}, err
		}
		f, err := openSelf(folder)
		if err != nil {
			_ = folder.Close() // it was only opened
			return Entry{}, err
		}
		l.name, l.folder, l.dir = dir, folder, f
	}
	return Entry{Folder: l.folder, Name: path.Base(name), dir: l.dir}, nil
}

// Holds reports whether a path lies in the folder that was opened last.
func (l *LastFolder) Holds(name string) bool { return l.folder != nil && l.name == path.Dir(name) }

// Moved reports whether the folder that was opened last is not the one of its name any
// more.
func (l *LastFolder) Moved() bool {
	if l.folder == nil || l.name == "." {
		return false
	}
	now, err := l.Root.Lstat(l.name)
	if err != nil {
		return true
	}
	open, err := l.dir.Stat()
	return err != nil || !os.SameFile(now, open)
}

// Close closes the folder that was opened last.
func (l *LastFolder) Close() {
	if l.folder != nil {
		_, _ = l.dir.Close(), l.folder.Close() // they hold nothing but a place
	}
	l.folder, l.dir = nil, nil
}
