package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
)

// Lease is the right to write to a session, and the only way to. It is an OS
// lock: the kernel frees it when the process ends in any way.
//
// Methods are safe for concurrent use. After [Lease.Release] those that write
// return [ErrReleased].
type Lease struct {
	live *live
	// lock is nil while the lease is being taken and after its release; guarded
	// by live.mu, as is turn.
	lock     *durable.FileLock
	turn     string
	blobs    *Blobs
	tampered []string
}

// holds reports whether the lease was taken and not released. live.mu is held.
func (l *Lease) holds() bool { return l != nil && l.lock != nil }

// check returns an error when the lease may not write any more. live.mu is held.
func (l *Lease) check() error {
	if l.lock == nil {
		return ErrReleased
	}
	return l.live.gone
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
	return s.acquire(ctx, id, false)
}

// acquire is Acquire, for copies too when told so.
func (s *Store) acquire(ctx context.Context, id string, copies bool) (*Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v, err := s.enter(id)
	if err != nil {
		return nil, err
	}
	l := &Lease{live: v}
	if err := l.take(ctx, copies); err != nil {
		s.leave(v)
		return nil, err
	}
	s.leases.Add(1)
	return l, nil
}

func (l *Lease) take(ctx context.Context, copies bool) error {
	v := l.live
	v.mu.Lock()
	if v.lease != nil {
		v.mu.Unlock()
		return busy(v.id)
	}
	v.lease = l // from here on nobody else of this process tries
	v.mu.Unlock()

	lock, err := lockSoon(ctx, v.store.lockPath(v.id))
	if errors.Is(err, durable.ErrLocked) {
		err = busy(v.id)
	}

	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil {
		v.unwatch() // from here on the log grows through us alone
		err = l.open(lock, copies)
	}
	if err != nil {
		v.lease = nil
		v.broadcast() // readers go back to following another process
		if lock != nil {
			err = errors.Join(err, lock.Unlock())
		}
		return storage("the session could not be opened", err)
	}
	l.lock = lock
	return nil
}

// lockSoon takes the lock, trying again for a moment: whoever asks whether a
// lock is held has to hold it for an instant.
func lockSoon(ctx context.Context, path string) (*durable.FileLock, error) {
	for try := 0; ; try++ {
		lock, err := durable.Lock(path)
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

// open brings what is in memory up to date with the files. v.mu is held.
func (l *Lease) open(lock *durable.FileLock, copies bool) error {
	v := l.live
	rec, err := v.record()
	if err != nil {
		return err
	}
	if rec.ReadOnly && !copies {
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
func (v *live) warm(raw []byte) bool {
	return v.noted != nil && string(raw) == string(v.noted) &&
		v.script.loaded && v.script.sum != nil && v.script.current(v.place.file(fileTranscript)) &&
		v.log.current(v.place) && (len(v.log.segs) == 0 || v.log.active.sum != nil)
}

// adopt reads the files as their next writer.
func (l *Lease) adopt(raw []byte) error {
	v := l.live
	n, _ := decodeNote(raw) // a spoilt note knows nothing
	root, err := v.place.open()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	v.script.reset()
	sentence, err := v.script.adopt(root, n.Transcript, v.store.o.openLines, v.script.add)
	if err != nil {
		v.script.loaded = false
		return err
	}
	if sentence != "" {
		l.tampered = append(l.tampered, sentence)
	}
	said, err := v.loadLog(root, &n)
	if err != nil {
		v.log.loaded = false
		return err
	}
	l.tampered = append(l.tampered, said...)
	v.broadcast()
	return v.heal(root)
}

// heal writes the project that the folder lies in into the record when that
// still names the place from which it was moved.
func (v *live) heal(root *os.Root) error {
	stored, err := readRecord(root, v.id)
	if err != nil || stored.ProjectRoot == v.rec.ProjectRoot || v.rec.ReadOnly {
		return err
	}
	v.recSeen = nil
	return writeRecord(root, v.rec)
}

// Begin notes in the lock file which turn runs, for [Store.Running] and
// [Store.RequestInterrupt] in any process.
func (l *Lease) Begin(turnID string) error {
	v := l.live
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := l.check(); err != nil {
		return err
	}
	if err := v.store.dropInterrupt(v.id); err != nil {
		return storage("an old request to interrupt could not be removed", err)
	}
	n, _ := decodeNote(v.noted)
	if v.noted == nil {
		n = v.note()
	}
	n.PID, n.Turn = os.Getpid(), turnID
	if err := l.writeNote(n); err != nil {
		return storage("the session's lock could not be written", err)
	}
	l.turn = turnID
	return nil
}

// note describes the files as they are. v.mu is held.
func (v *live) note() note {
	return note{
		PID: os.Getpid(), LastSeq: v.log.last, Transcript: v.script.mark(),
		Segment: v.log.activeSegment(), Log: v.log.active.mark(),
	}
}

// writeNote replaces the lock file's content. v.mu is held.
func (l *Lease) writeNote(n note) (err error) {
	l.live.noted, err = writeNote(l.lock.File(), n)
	return err
}

// Release notes the files' lengths and hashes and gives the session back. The
// second call does nothing. An error does not keep the lease.
func (l *Lease) Release() error {
	v := l.live
	v.mu.Lock()
	if l.lock == nil {
		v.mu.Unlock()
		return nil
	}
	err := l.settle()
	err = errors.Join(err, l.lock.Unlock())
	l.lock, v.lease = nil, nil
	v.broadcast()
	v.mu.Unlock()
	v.store.leases.Add(-1)
	v.store.leave(v)
	return storage("the session's lock could not be written", err)
}

// settle leaves the state that the next lease expects. v.mu is held.
func (l *Lease) settle() error {
	v := l.live
	if v.gone != nil {
		return nil
	}
	v.script.settle()
	v.log.settle(v.place)
	if err := l.writeNote(v.note()); err != nil {
		return err
	}
	if l.turn == "" {
		return nil
	}
	return v.store.dropInterrupt(v.id)
}

// Record returns the session's record.
func (l *Lease) Record() Record {
	l.live.mu.Lock()
	defer l.live.mu.Unlock()
	return l.live.rec
}

// Update changes the record and replaces session.json. Id and creation time stay
// as they are, updatedAt becomes now. When writing fails the record is as before.
func (l *Lease) Update(change func(*Record)) error {
	v := l.live
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := l.check(); err != nil {
		return err
	}
	rec := v.rec
	change(&rec)
	rec.SessionID, rec.ProjectRoot, rec.CreatedAt = v.rec.SessionID, v.rec.ProjectRoot, v.rec.CreatedAt
	rec.UpdatedAt = Time{v.store.o.Clock().UTC().Truncate(time.Millisecond)}
	if err := v.writeRecord(rec); err != nil {
		return storage("the session's record could not be written", err)
	}
	return nil
}

// writeRecord replaces the record on disk and in memory. v.mu is held.
func (v *live) writeRecord(rec Record) error {
	root, err := v.place.open()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := writeRecord(root, rec); err != nil {
		return err
	}
	v.rec = rec
	v.recSeen, _ = root.Lstat(fileRecord) // nil: read again at the next look
	return nil
}

// Entries returns the whole transcript. The slice is shared and must not be
// changed.
func (l *Lease) Entries() []Entry {
	l.live.mu.Lock()
	defer l.live.mu.Unlock()
	return l.live.script.shared()
}

// Append adds entries to the transcript, all or none.
func (l *Lease) Append(entries ...Entry) error {
	lines, err := encodeEntries(entries)
	if err != nil || len(entries) == 0 {
		return err
	}
	v := l.live
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := l.check(); err != nil {
		return err
	}
	if err := v.openChain(&v.script.chain); err != nil {
		return storage("the transcript could not be opened", err)
	}
	if err := v.script.append(lines); err != nil {
		return storage("the transcript could not be written", err)
	}
	v.script.entries = append(v.script.entries, entries...)
	return nil
}

// DanglingTurn tells the turn whose events end without process:exit: the process
// that ran it was killed.
func (l *Lease) DanglingTurn() (turnID string, ok bool) {
	l.live.mu.Lock()
	defer l.live.mu.Unlock()
	end := l.live.log.end
	if end.Turn == "" || end.Ends() {
		return "", false
	}
	return end.Turn, true
}

// Tampered returns a sentence for each file that is not what belay last wrote:
// someone changed it. The lease works with the files as they are now.
func (l *Lease) Tampered() []string { return l.tampered }

// Blobs is the project's blob store; what is put through it becomes durable with
// this lease's Commit.
func (l *Lease) Blobs() (*Blobs, error) {
	l.live.mu.Lock()
	defer l.live.mu.Unlock()
	if l.blobs == nil {
		if l.live.rec.ProjectRoot == "" {
			return nil, fault.New(fault.WorkingRootInaccessible, "the session has no project folder")
		}
		b, err := l.live.store.Blobs(l.live.rec.ProjectRoot)
		if err != nil {
			return nil, err
		}
		l.blobs = b
	}
	return l.blobs, nil
}
