package session

import (
	"context"
	"maps"
	"slices"

	"belay/internal/durable"
)

// Restore makes the state folder again where somebody removed it while it was open,
// and reports whether anything of it was gone. What was in it is lost, but for where
// the sessions in memory lie. The store does this by itself when it has to write; a
// process that lives long does it at times.
//
// A turn that runs meanwhile has lost its lock: it ends at its next commit with
// [ErrLockLost].
func (s *Store) Restore() (made bool, err error) {
	if made, err = s.state.Restore(); !made {
		return false, err
	}
	// Whoever called may hold a session's lock.
	s.background(func() {
		for _, l := range s.inMemory() {
			l.mu.Lock()
			p, gone := l.place, l.gone
			l.mu.Unlock()
			if gone == nil {
				_ = s.index(l.id, p) // the index is disposable: listing mends it, too
			}
		}
	})
	return true, nil
}

func (s *Store) inMemory() []*live {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.live))
}

// restored reports whether err came from a state folder that was gone and is there
// again, so that another try makes sense.
func (s *Store) restored(err error) bool {
	if !missing(err) {
		return false
	}
	made, _ := s.Restore() // the caller has an error to tell
	return made
}

// lock takes the lock of a session's id without waiting.
func (s *Store) lock(id string) (*durable.FileLock, error) {
	l, err := durable.Lock(s.lockPath(id))
	if s.restored(err) {
		l, err = durable.Lock(s.lockPath(id))
	}
	return l, err
}

// lockSoon takes a session's lock, the one that rests or a new one, as [lockSoon].
func (s *Store) lockSoon(ctx context.Context, id string, resting *durable.FileLock) (*durable.FileLock, error) {
	lock, err := lockSoon(ctx, s.lockPath(id), resting)
	if err != nil && resting != nil {
		_ = resting.Close() // it is not held, and nothing waits to be written
	}
	if s.restored(err) {
		lock, err = lockSoon(ctx, s.lockPath(id), nil)
	}
	return lock, err
}
