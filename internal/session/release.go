package session

import (
	"errors"
	"os"
)

// Begin notes in the lock file which turn runs, for [Store.Running] and
// [Store.RequestInterrupt] in any process.
func (l *Lease) Begin(turnID string) error {
	v := l.state
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := l.check(); err != nil {
		return err
	}
	n := v.lastNote()
	n.PID, n.Turn, n.InputClosed, n.Boot = os.Getpid(), turnID, false, false
	if err := l.writeNote(n); err != nil {
		return storage("the session's lock could not be written", err)
	}
	l.turn, l.inputClosed = turnID, false
	if project := v.rec.ProjectRoot; project != "" {
		_ = v.store.paths.knowProject(project) // somebody may have forgotten it; the next turn tries again
	}
	return nil
}

// Boot notes in the lock file that the session is being booted, or that its record
// grows outside of a turn, for [Store.Booting] in any process, until the lease is
// released. A process that dies in between has not tampered with the record.
func (l *Lease) Boot() error {
	v := l.state
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := l.check(); err != nil {
		return err
	}
	n := v.note()
	n.Boot = true
	if v.open(l.left) {
		n.Turn = l.left // also where this process dies
	}
	return storage("the session's lock could not be written", l.writeNote(n))
}

// note describes the files as they are. v.mu is held.
func (v *sessionState) note() note {
	n := note{
		PID: os.Getpid(), LastSeq: v.log.last, Transcript: v.transcript.position(), BootID: v.store.o.BootID,
		Segment: v.log.activeSegment(), Log: v.log.active.position(), Unreported: len(v.unreported) > 0 && (v.lease == nil || !v.lease.reported),
	}
	if kept := v.transcript.flushed; kept != n.Transcript {
		n.Kept = &kept
	}
	return n
}

// lastNote is what this process last wrote to the lock file, or would write now.
// v.mu is held.
func (v *sessionState) lastNote() note {
	if v.noted == nil {
		return v.note()
	}
	return v.noteContent
}

// writeNote replaces the lock file's content. v.mu is held.
func (l *Lease) writeNote(n note) (err error) {
	l.state.noteContent = n
	l.state.noted, err = writeNote(l.lock.File(), n)
	return err
}

// Release notes the files' lengths and hashes and gives the session back. The
// second call does nothing. An error does not keep the lease.
func (l *Lease) Release() error { return l.release("") }

// Leave is Release in the middle of a turn that another process is to take up:
// [Store.Abandoned] lists the session.
func (l *Lease) Leave() error { return l.release(l.turn) }

// release gives the session back; turn is the one that has not ended, or "".
func (l *Lease) release(turn string) error {
	v := l.state
	v.mu.Lock()
	if l.lock == nil {
		v.mu.Unlock()
		return nil
	}
	err := l.settle(turn)
	err = errors.Join(err, l.free())
	l.lock, v.lease = nil, nil
	v.closeRoot()
	v.broadcast()
	v.mu.Unlock()
	v.store.leases.Add(-1)
	v.store.states.leave(v)
	return storage("the session's lock could not be written", err)
}

// open reports whether a turn has begun and has no end in the transcript or in the log. v.mu
// is held.
func (v *sessionState) open(turn string) bool {
	if turn == "" {
		return false
	}
	last := LastStep(v.transcript.entries)
	return last.Turn == turn && last.Kind != EntryEnd || v.log.end.Turn == turn && !v.log.end.Ends()
}

// free gives the lock back. Its file stays open while the session does. v.mu is
// held.
func (l *Lease) free() error {
	v := l.state
	if v.gone != nil || l.severed {
		return l.lock.Unlock()
	}
	if err := l.lock.Rest(); err != nil {
		return errors.Join(err, l.lock.Close()) // which frees it
	}
	v.resting = l.lock
	return nil
}

// settle leaves the state that the next lease expects; turn is the one that has not
// ended, or "". v.mu is held.
func (l *Lease) settle(turn string) error {
	v := l.state
	if v.gone != nil {
		return nil
	}
	if l.reported {
		v.unreported = nil
	}
	v.transcript.settle()
	v.useSeen = v.transcript.seen
	v.log.settle(v.path)
	if l.severed {
		v.noted = nil // the next lease reads what another process left
		return nil
	}
	if v.unwritten && len(v.transcript.entries) > 0 {
		_ = v.writeRecord(v.rec) // without it the transcript says what is in it
	}
	n := v.note()
	n.Turn = turn
	if turn == "" && v.open(l.left) {
		// Nobody has ended that turn: the next process still has to take it up, or to end it.
		n.Turn = l.left
	}
	if err := l.writeNote(n); err != nil {
		return err
	}
	if l.turn == "" || turn != "" {
		return nil
	}
	return v.store.Signals.dropInterrupt(v.id)
}
