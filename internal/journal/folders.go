package journal

import (
	"path"

	"belay/internal/durable"
)

// entry is that of a path in the project. Its folder stays open until the next call,
// or forget.
func (p *Project) entry(name Name) (durable.Entry, error) {
	if p.last.Moved() {
		p.forget()
	}
	p.last.Root = p.root
	return p.last.Entry(string(name))
}

// forget closes the folder that was opened last. Some systems keep an open folder from
// being removed or renamed.
func (p *Project) forget() { p.last.Close() }

// openEntry opens the folder that a path is in. The caller closes it.
func (p *Project) openEntry(name Name) (durable.Entry, error) {
	folder, err := durable.OpenFolder(p.root, path.Dir(string(name)))
	return durable.Entry{Folder: folder, Name: path.Base(string(name))}, err
}

// byFolder does work on paths under a folder, several at a time; each gets the entry of
// its path, or why there is none. Few folders are open at a time.
type byFolder struct {
	last    durable.LastFolder
	folders []durable.LastFolder
	work    []func() error
}

// mostFolders bounds the folders that are open at a time.
const mostFolders = 200

func (b *byFolder) add(name string, do func(e durable.Entry, err error) error) error {
	if b.last.Holds(name) {
		e, err := b.last.Entry(name)
		b.work = append(b.work, func() error { return do(e, err) })
		return nil
	}
	if len(b.folders) >= mostFolders {
		if err := b.run(); err != nil {
			return err
		}
	}
	b.folders = append(b.folders, b.last)
	b.last = durable.LastFolder{Root: b.last.Root}
	e, err := b.last.Entry(name)
	b.work = append(b.work, func() error { return do(e, err) })
	return nil
}

// run does the rest of the work.
func (b *byFolder) run() error {
	err := durable.Together(b.work...)
	b.close()
	return err
}

func (b *byFolder) close() {
	for i := range b.folders {
		b.folders[i].Close()
	}
	b.last.Close()
	b.folders, b.work = nil, nil
}
