package session

import (
	"context"
	"errors"
	"time"

	"belay/internal/durable"
)

// Lease is the right to write to a session, and the only way to. It is an OS
// lock: the kernel frees it when the process ends in any way.
//
// Methods are safe for concurrent use. After [Lease.Release] those that write
// return [ErrReleased].
type Lease struct {
	state *sessionState
	// lock is nil while the lease is being taken and after its release; guarded
	// by sessionState.mu, as is turn.
	lock        *durable.FileLock
	turn        string
	left        string // the turn that the lock's note named when the lease was taken
	inputClosed bool   // the turn takes no more inputs
	severed     bool   // the lock excludes nobody any more: nothing is written
	// took are the inputs that were returned, inTranscript those of them that were
	// appended to the transcript since the last commit.
	took         map[string]bool
	inTranscript []string
	blobs        *Blobs
	reported     bool // a user has seen what [Lease.Tampered] says
}

// holds reports whether the lease was taken and not released. sessionState.mu is held.
func (l *Lease) holds() bool { return l != nil && l.lock != nil }

// check returns an error when the lease may not write any more. sessionState.mu is held.
func (l *Lease) check() error {
	switch {
	case l.lock == nil:
		return ErrReleased
	case l.severed:
		return lockLost(l.state.id)
	}
	return l.state.gone
}

// alone is check, and asks the disk whether the lock still excludes others. That
// takes two system calls, so events, which are many, go without. sessionState.mu is held.
func (l *Lease) alone() error {
	if err := l.check(); err != nil {
		return err
	}
	l.severed = !l.lock.Named()
	return l.check()
}

// Acquire takes a session's lease without waiting. It fails with
// SESSION_NOT_FOUND, with TURN_IN_PROGRESS (and [ErrBusy]) when this or another
// process has it, and with SESSION_READ_ONLY for a copy whose original exists.
//
// It repairs what a crash left (a cut last line), picks up what another process
// appended, and compares the files with the hashes in the state folder; see
// [Lease.Tampered] and [Lease.DanglingTurn]. When this process was the last to
// write and nothing changed, no file is read.
func (s *Store) Acquire(ctx context.Context, id string) (*Lease, error) {
	return s.states.acquire(ctx, id, toWrite)
}

// purpose is what a lease is taken for: writing is for originals, looking and
// keeping house for copies too, and what is removed may also be malformed.
type purpose int

const (
	toWrite purpose = iota
	toKeep
	toRemove
)

// acquire is Acquire for a purpose.
func (s *states) acquire(ctx context.Context, id string, why purpose) (*Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v, err := s.enter(id)
	if err != nil {
		return nil, err
	}
	l := &Lease{state: v}
	if err := l.take(ctx, why); err != nil {
		s.leave(v)
		return nil, err
	}
	s.store.leases.Add(1)
	return l, nil
}

func (l *Lease) take(ctx context.Context, why purpose) error {
	v := l.state
	v.mu.Lock()
	if v.lease != nil {
		v.mu.Unlock()
		return busy(v.id)
	}
	v.lease = l // from here on nobody else of this process tries
	resting := v.resting
	v.resting = nil
	v.mu.Unlock()

	lock, err := v.store.lockSoon(ctx, v.id, resting)
	if errors.Is(err, durable.ErrLocked) {
		err = busy(v.id)
	}

	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil {
		v.unwatch() // from here on the log grows through us alone
		v.store.uses.open()
		err = l.open(lock, why)
	}
	if err != nil {
		v.lease = nil
		v.closeRoot()
		v.broadcast() // readers go back to following another process
		if lock != nil {
			err = errors.Join(err, lock.Unlock())
		}
		return storage("the session could not be opened", err)
	}
	l.lock = lock
	return nil
}

// lockSoon takes the lock, the one that rests or a new one, trying again for a
// moment: anyone who asks whether a lock is held has to hold it for an instant.
func lockSoon(ctx context.Context, path string, resting *durable.FileLock) (*durable.FileLock, error) {
	for try := 0; ; try++ {
		lock, err := lockAgain(path, resting)
		if err == nil || !errors.Is(err, durable.ErrLocked) || try == 3 {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// lockAgain takes the lock that rests, or a new one where none does.
func lockAgain(path string, resting *durable.FileLock) (*durable.FileLock, error) {
	if resting == nil {
		return durable.Lock(path)
	}
	if err := resting.Resume(); err != nil {
		return nil, err
	}
	return resting, nil
}
