package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"belay/internal/durable"
)

// Restore makes the state folder again where somebody removed it while it was open,
// and reports whether anything of it was gone. What was in it is lost, but for where
// the sessions in memory are. The store does this by itself when it has to write; a
// process that lives long does it at times.
//
// A turn that runs meanwhile has lost its lock: it ends at its next commit with
// [ErrLockLost].
func (s *Store) Restore() (made bool, err error) {
	if made, err = s.stateDir.Restore(); !made {
		return false, err
	}
	// Anyone who called may hold a session's lock.
	s.background(func() {
		for _, l := range s.states.inMemory() {
			l.mu.Lock()
			p, gone := l.path, l.gone
			l.mu.Unlock()
			if gone == nil {
				_ = s.paths.index(l.id, p) // the index is disposable: listing fixes it, too
				if p.inProject() {
					_ = s.paths.knowProject(p.base) // the next new session tries again
				}
			}
		}
	})
	return true, nil
}

// restored reports whether err, of a write, came from a state folder that was gone and
// is there again, no matter who made it, so that another try makes sense.
func (s *Store) restored(err error) bool {
	if !missing(err) {
		return false
	}
	_, e := s.Restore()
	return e == nil // else the caller has an error to tell
}

// lock takes the lock of a session's id without waiting.
func (s *Store) lock(id string) (*durable.FileLock, error) {
	return s.inState(id, nil, func(*durable.FileLock) (*durable.FileLock, error) { return durable.Lock(s.lockPath(id)) })
}

// lockSoon takes a session's lock as [lockSoon] does: the one that rests, or a new
// one.
func (s *Store) lockSoon(ctx context.Context, id string, resting *durable.FileLock) (*durable.FileLock, error) {
	return s.inState(id, resting, func(resting *durable.FileLock) (*durable.FileLock, error) {
		return lockSoon(ctx, s.lockPath(id), resting)
	})
}

// inState takes a lock in the state folder as it is now, not as it was when it was
// opened: somebody may have removed it, and somebody else made it again.
func (s *Store) inState(id string, resting *durable.FileLock, take func(resting *durable.FileLock) (*durable.FileLock, error)) (*durable.FileLock, error) {
	var rested *os.File
	if resting != nil {
		rested = resting.File()
	}
	lock, err := take(resting)
	if err != nil && resting != nil {
		_ = resting.Close() // it is not held, and nothing waits to be written
	}
	if s.restored(err) {
		lock, err = take(nil)
	}
	if err != nil || lock.File() == rested {
		return lock, err
	}
	taken, err := lock.File().Stat()
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	if seen, err := s.stateDir.Root().Lstat(dirLocks + "/" + id + ".lock"); err != nil || !os.SameFile(seen, taken) {
		if _, err := s.Restore(); err != nil {
			return nil, errors.Join(err, lock.Unlock())
		}
	}
	return lock, nil
}

// Home is a folder that sessions are in: that of a project, or the session root.
type Home struct {
	// Root is the project's folder, or the session root.
	Root string
	// Folder is where belay writes in it.
	Folder string
}

// HomeOf is the home of a project's sessions.
func (s *Store) HomeOf(project string) Home {
	if s.o.SessionRoot != "" {
		return Home{s.o.SessionRoot, s.o.SessionRoot}
	}
	return Home{project, filepath.Join(project, dirBelay)}
}

// Homes are those of the sessions in memory, which were used not long ago.
func (s *Store) Homes() []Home {
	var all []Home
	for _, l := range s.states.inMemory() {
		l.mu.Lock()
		p := l.path
		l.mu.Unlock()
		if h := s.HomeOf(p.base); !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
}
