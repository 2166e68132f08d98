package session

import (
	"context"
	"errors"
	"fmt"
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
	inputClosed bool // the turn takes no more inputs
	severed     bool // the lock excludes nobody any more: nothing is written
	// took are the inputs that were returned, inTranscript those of them that were
	// appended to the transcript since the last commit.
	took         map[string]bool
	inTranscript []string
	blobs        *Blobs
	tampered     []string
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

// open brings what is in memory up to date with the files. v.mu is held.
func (l *Lease) open(lock *durable.FileLock, why purpose) error {
	v := l.state
	rec, err := v.record()
	if why == toRemove && errors.Is(err, ErrMalformed) {
		return nil // there is nothing in it to bring up to date
	}
	if err != nil {
		return err
	}
	if rec.ReadOnly && why == toWrite {
		return readOnly(v.id)
	}
	raw, err := readNote(lock.File())
	if err != nil {
		return fmt.Errorf("read the lock's note: %w", err)
	}
	if v.warm(raw) {
		return nil
	}
	return l.adopt(raw)
}

// warm reports whether this process wrote last and nothing was touched since.
func (v *sessionState) warm(raw []byte) bool {
	return v.noted != nil && string(raw) == string(v.noted) &&
		(v.unwritten || v.recSeen != nil && v.recWhole) && v.transcript.loaded && v.transcript.sum != nil && v.transcript.current(v.path.file(fileTranscript)) &&
		v.log.current(v.path) && (len(v.log.segs) == 0 || v.log.active.sum != nil)
}

// adopt reads the files as their next writer.
func (l *Lease) adopt(raw []byte) error {
	v := l.state
	n, _ := decodeNote(raw) // a spoilt note knows nothing
	v.noted = nil
	root, err := v.root()
	if err != nil {
		return err
	}
	var used Time
	used, v.useSeen = lastUse(root)
	v.rec.use(used)
	after := n.after(v.store.o.BootID)
	v.transcript.reset()
	v.transcript.flushed = n.kept()
	sentence, err := v.transcript.adopt(root, after.want(n), n.settled() && after == sameBoot, v.store.o.openLines, v.transcript.add)
	if err == nil {
		err = v.transcript.newer
	}
	if err != nil {
		v.transcript.loaded = false
		return v.refused(err)
	}
	if sentence != "" {
		l.tampered = append(l.tampered, sentence)
	}
	v.foldersFlushed = v.transcript.flushed.Size > 0
	if after == sameBoot || after == noBoot && v.transcript.boot == v.store.o.BootID {
		after = sameBoot
	} else {
		v.transcript.kept = v.transcript.reserved // a power cut leaves what is on disk
	}
	said, err := v.loadLog(root, &n, after)
	if err != nil {
		v.log.loaded = false
		return v.refused(err)
	}
	l.tampered = append(l.tampered, said...)
	v.broadcast()
	return v.heal()
}

// refused is the fault for files that a later version wrote; other errors pass.
func (v *sessionState) refused(err error) error {
	if isNewer(err) {
		return tooNew(v.id, err)
	}
	return err
}

// heal brings session.json in line with the transcript, where a crash left an
// older one or none, and with the project that the folder is in, where it was
// moved.
func (v *sessionState) heal() error {
	if v.rec.ReadOnly {
		return nil
	}
	rec := v.rec
	if said := v.transcript.session; said != nil && !rec.sameBut(v.path.settle(*said)) {
		rec = v.path.settle(*said)
		rec.UpdatedAt = v.rec.UpdatedAt
	} else if v.recSeen != nil && v.recWhole {
		return nil
	}
	return v.writeRecord(rec)
}
