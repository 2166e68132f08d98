package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"belay/internal/durable"
	"belay/internal/workspace"
)

const lockFile = "lock"

// Project is a project whose files this process alone may change, of all that use
// the same state folder. It is used by one goroutine and closed at the end.
type Project struct {
	s    *Store
	path string   // real
	root *os.Root // the project; the caller's
	dir  *os.Root // its records
	in   *os.Root // the folder of its contents, nil where there is none
	// last is the folder of the project that was opened last.
	last durable.LastFolder
	lock *durable.FileLock
	// Settled is what Open completed or took back.
	Settled []Settled
}

// Settled is a transaction of a dead process that is over.
type Settled struct {
	ID      string
	Owner   Owner
	Changes []Change
	Outcome
}

// Open takes the project's lock, waiting for it, and settles what dead processes
// left unfinished. Root is the project's folder, which the caller closes after the
// Project.
func (s *Store) Open(ctx context.Context, project string, root *os.Root) (_ *Project, err error) {
	dir, real, err := s.place(project)
	if err != nil {
		return nil, err
	}
	p := &Project{s: s, path: real, root: root}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if p.lock, err = s.lock(ctx, dir); err != nil {
		return nil, err
	}
	if p.dir, err = os.OpenRoot(dir); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if p.in, err = durable.OpenFolder(root, dirJournal); err != nil && !gone(err) {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := p.recover(); err != nil {
		return nil, fmt.Errorf("finish an earlier change of the project's files: %w", err)
	}
	return p, nil
}

// makePlace makes the folder of a project's records. Its name is durable then: a
// process makes sure of that once.
func (s *Store) makePlace(dir string) (err error) {
	if info, err := os.Stat(dir); err == nil && info.IsDir() && s.sure.has(dir, info) {
		return nil
	}
	above := filepath.Dir(s.dir)
	if err := os.MkdirAll(above, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(above)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	all := filepath.Base(s.dir)
	place := path.Join(all, filepath.Base(dir))
	if err := durable.MkdirAll(root, place, 0o700); err != nil {
		return err
	}
	if err := errors.Join(durable.FlushDir(root, all, durable.JournalEntry), durable.FlushDir(root, ".", durable.JournalEntry)); err != nil {
		return err
	}
	info, err := root.Stat(place)
	if err == nil {
		s.sure.note(dir, info)
	}
	return err
}

// known are folders whose names this process has made durable.
type known struct {
	mu   sync.Mutex
	seen map[string]fs.FileInfo
}

// maxKnown bounds what is remembered; a forgotten folder is flushed once more.
const maxKnown = 1000

func (k *known) note(path string, info fs.FileInfo) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen == nil || len(k.seen) >= maxKnown {
		k.seen = map[string]fs.FileInfo{}
	}
	k.seen[path] = info
}

func (k *known) has(path string, info fs.FileInfo) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	seen, ok := k.seen[path]
	return ok && os.SameFile(seen, info)
}

// Close frees the project.
func (p *Project) Close() error {
	var errs []error
	p.forget()
	for _, r := range []*os.Root{p.dir, p.in} {
		if r != nil {
			errs = append(errs, r.Close())
		}
	}
	if p.lock != nil {
		errs = append(errs, p.lock.Unlock())
	}
	return errors.Join(errs...)
}

// lock takes the lock of a project, which others hold for moments. The folder is
// made again if somebody sweeps it at that moment.
func (s *Store) lock(ctx context.Context, dir string) (*durable.FileLock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, ErrBusy)
	defer cancel()
	for {
		if err := s.makePlace(dir); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		switch lock, err := durable.WaitLock(ctx, filepath.Join(dir, lockFile)); {
		case errors.Is(err, durable.ErrLocked):
			return nil, context.Cause(ctx)
		case !errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil:
			return lock, err
		}
	}
}

// contents lists the content of the project's folder of contents.
func (p *Project) contents() ([]fs.DirEntry, error) {
	if p.in == nil {
		return nil, nil
	}
	return fs.ReadDir(p.in.FS(), ".")
}

// content opens the contents of a transaction.
func (p *Project) content(id string) (*os.Root, error) {
	if p.in == nil {
		return nil, fs.ErrNotExist
	}
	return durable.EnterFolder(p.in, id)
}

// makeContents makes the project's folder of contents, where it is not there.
func (p *Project) makeContents() error {
	if p.in != nil {
		return nil
	}
	err := workspace.MakeBelay(p.root)
	if err == nil {
		err = durable.MkdirAll(p.root, dirJournal, 0o700)
	}
	if err == nil {
		p.in, err = durable.OpenFolder(p.root, dirJournal)
	}
	return err
}

// donePrefix begins the name of contents that nobody needs any more, keptPrefix
// that of contents of which some have no other place.
const (
	donePrefix = "done-"
	keptPrefix = "kept-"
)

// discard removes the contents of a transaction. They lose their name in one step,
// so that they are whole wherever they have it.
func (p *Project) discard(id string) error {
	if err := p.retire(id); err != nil || p.in == nil {
		return err
	}
	return durable.RemoveAll(p.in, donePrefix+id)
}

// retire gives the contents of a transaction a name by which nobody needs them, keep one
// under which they stay.
func (p *Project) retire(id string) error { return p.rename(id, donePrefix+id) }

func (p *Project) keep(id string) error { return p.rename(id, keptPrefix+id) }

func (p *Project) rename(id, to string) error {
	if p.in == nil {
		return nil
	}
	err := durable.Rename(p.in, id, to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// mine reports whether contents are of a transaction of this state folder.
func (s *Store) mine(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, donePrefix), s.mark)
}
