package journal

import (
	"os"
	"path"

	"belay/internal/durable"
)

// lastFolder is the folder that was opened last: changes that follow each other mostly
// lie in the same one. It is used by one goroutine.
type lastFolder struct {
	name string
	root *os.Root
}

// entry is that of a path under root. The folder stays open until the next call, or
// close; where it is not there, the path leads nowhere from root.
func (l *lastFolder) entry(root *os.Root, name string) durable.Entry {
	dir := path.Dir(name)
	if l.root == nil || l.name != dir {
		l.close()
		folder, err := durable.OpenFolder(root, dir)
		if err != nil {
			return durable.Entry{Folder: root, Name: name}
		}
		l.name, l.root = dir, folder
	}
	return durable.Entry{Folder: l.root, Name: path.Base(name)}
}

func (l *lastFolder) close() {
	if l.root != nil {
		_ = l.root.Close() // it holds nothing but a place
	}
	l.root = nil
}

// entry is that of a path in the project. Its folder stays open until the next call,
// or forget.
func (p *Project) entry(name Name) (durable.Entry, error) {
	dir := path.Dir(string(name))
	if p.last.root != nil && p.last.name == dir {
		// Somebody may have moved it, or put another one in its place.
		now, err := p.root.Lstat(dir)
		if err == nil && os.SameFile(now, p.lastInfo) {
			return durable.Entry{Folder: p.last.root, Name: path.Base(string(name))}, nil
		}
	}
	p.forget()
	e, err := p.openEntry(name)
	if err != nil {
		return e, err
	}
	if p.lastInfo, err = e.Folder.Stat("."); err != nil {
		_ = e.Folder.Close() // it was only looked at
		return durable.Entry{}, err
	}
	p.last = lastFolder{dir, e.Folder}
	return e, nil
}

// forget closes the folder that was opened last. Some systems keep an open folder from
// being removed or renamed.
func (p *Project) forget() { p.last.close() }

// openEntry opens the folder that a path lies in. The caller closes it.
func (p *Project) openEntry(name Name) (durable.Entry, error) {
	folder, err := durable.OpenFolder(p.root, path.Dir(string(name)))
	return durable.Entry{Folder: folder, Name: path.Base(string(name))}, err
}
