package session

import (
	"reflect"
	"time"

	"belay/internal/fault"
)

// ID is the id of the session.
func (l *Lease) ID() string { return l.state.id }

// Record returns the session's record.
func (l *Lease) Record() Record {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	return l.state.rec
}

// Update changes the record and replaces session.json. Id and creation time stay
// as they are, updatedAt becomes now. When writing fails the record is as before.
func (l *Lease) Update(change func(*Record)) error {
	v := l.state
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := l.alone(); err != nil {
		return err
	}
	rec := v.rec
	change(&rec)
	rec.SessionID, rec.ProjectRoot, rec.CreatedAt = v.rec.SessionID, v.rec.ProjectRoot, v.rec.CreatedAt
	rec.UpdatedAt = Time{v.store.o.Clock().UTC().Truncate(time.Millisecond)}
	if err := v.noteRecord(rec); err != nil {
		return storage("the transcript could not be written", err)
	}
	if err := v.writeRecord(rec); err != nil {
		return storage("the session's record could not be written", err)
	}
	return nil
}

// noteRecord puts on the transcript what the record says, unless it does already:
// session.json is made again from there. The time of use is that of the last line.
// v.mu is held.
func (v *sessionState) noteRecord(rec Record) error {
	known := v.transcript.session
	if known != nil && rec.sameBut(*known) {
		return nil
	}
	line, err := sessionLine{Time: v.now(), Record: &rec, BootID: v.store.o.BootID}.encode()
	if err != nil {
		return err
	}
	if err := v.appendTranscript(line); err != nil {
		return err
	}
	v.transcript.session = &rec
	return nil
}

// sameBut reports whether two records say the same but for the time of use.
func (r Record) sameBut(other Record) bool {
	r.UpdatedAt, r.ReadOnly, r.Damaged = other.UpdatedAt, other.ReadOnly, other.Damaged
	return reflect.DeepEqual(r, other)
}

// writeRecord replaces the record on disk and in memory. v.mu is held.
func (v *sessionState) writeRecord(rec Record) error {
	root, err := v.root()
	if err != nil {
		return err
	}
	if err := writeRecord(root, rec, v.store.o.BootID); err != nil {
		return err
	}
	v.rec, v.recWhole, v.unwritten = rec, true, false
	v.recSeen, _ = root.Lstat(fileRecord) // nil: read again at the next look
	return nil
}

// Entries returns the transcript without its requests. The slice is shared and
// must not be changed.
func (l *Lease) Entries() []Entry {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	return l.state.transcript.shared()
}

// Append adds entries to the transcript, all or none.
func (l *Lease) Append(entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	v := l.state
	v.mu.Lock()
	defer v.mu.Unlock()
	v.extendReservation(entries)
	lines, err := encodeEntries(entries)
	if err != nil {
		return err
	}
	if err := l.alone(); err != nil {
		return err
	}
	if v.transcript.session == nil { // a transcript without a version becomes one with
		if err := v.noteRecord(v.rec); err != nil {
			return storage("the transcript could not be written", err)
		}
	}
	if err := v.appendTranscript(lines); err != nil {
		return storage("the transcript could not be written", err)
	}
	v.transcript.keep(entries...)
	for i := range entries {
		v.rec.use(entries[i].Time)
		if entries[i].Input != "" {
			l.inTranscript = append(l.inTranscript, entries[i].Input)
		}
	}
	return nil
}

// extendReservation lets a turn's end, which is about to be flushed, reserve more
// sequences. v.mu is held.
func (v *sessionState) extendReservation(entries []Entry) {
	last := &entries[len(entries)-1]
	if most := blockAfter(v.log.last); last.Kind == EntryEnd && most > v.transcript.lastGiven() {
		last.Reserved = most
	}
}

// appendTranscript adds whole lines to the transcript, all or none. v.mu is held.
func (v *sessionState) appendTranscript(lines []byte) error {
	if err := v.openChain(&v.transcript.hashChain); err != nil {
		return err
	}
	if err := v.transcript.append(lines); err != nil {
		return err
	}
	v.store.uses.note(v.id)
	return nil
}

// DanglingTurn is the turn whose events end without process:exit: the process
// that ran it was killed.
func (l *Lease) DanglingTurn() (turnID string, ok bool) {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	end := l.state.log.end
	if end.Turn == "" || end.Ends() {
		return "", false
	}
	return end.Turn, true
}

// Tampered returns a sentence for each file that is not what belay last wrote:
// someone changed it. The lease works with the files as they are now. Later leases return
// the sentences, too, also those of other processes, until [Lease.Reported].
func (l *Lease) Tampered() []string {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	return l.state.unreported
}

// Reported notes that the user has seen what Tampered returns. Later leases do not return it.
func (l *Lease) Reported() error {
	v := l.state
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := l.check(); err != nil || len(v.unreported) == 0 || l.reported {
		return err
	}
	l.reported = true
	n := v.lastNote()
	n.Unreported = false
	return storage("the session's lock could not be written", l.writeNote(n))
}

// Blobs is the project's blob store; what is put through it becomes durable with
// this lease's Commit.
func (l *Lease) Blobs() (*Blobs, error) {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	if l.blobs == nil {
		if l.state.rec.ProjectRoot == "" {
			return nil, fault.New(fault.WorkingRootInaccessible, "the session has no project folder")
		}
		b, err := l.state.store.Blobs(l.state.rec.ProjectRoot)
		if err != nil {
			return nil, err
		}
		l.blobs = b
	}
	return l.blobs, nil
}
