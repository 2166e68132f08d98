package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"belay/internal/durable"
)

// note is the content of a lock file: who runs the session, and what its files
// were when they were last released.
type note struct {
	PID int `json:"pid,omitempty"`
	// Turn runs when it is not empty and the lock is held.
	Turn string `json:"turn,omitempty"`
	// InputClosed is set when that turn takes no more inputs.
	InputClosed bool `json:"deaf,omitempty"`
	// Boot is set while the session is booted.
	Boot bool `json:"boot,omitempty"`
	// Kept is what of the transcript was flushed, absent where that is all of it.
	Kept *position `json:"kept,omitempty"`
	// BootID is the system's time of running in which the note was written. After
	// another one the files may have lost what was not flushed.
	BootID string `json:"bootId,omitempty"`
	// LastSeq keeps sequences from being given twice, should the log be lost.
	LastSeq    int64    `json:"lastSeq,omitempty"`
	Transcript position `json:"transcript"`
	Segment    int      `json:"segment,omitempty"`
	Log        position `json:"log"`
	// Unreported is set where files were changed from outside, and no user has seen that yet.
	Unreported bool `json:"unreported,omitempty"`
}

// settled reports whether n reports whole files: it was written by a release,
// and neither a turn nor a boot has begun since.
func (n note) settled() bool { return n.PID != 0 && n.Turn == "" && !n.Boot }

// kept is the position up to which the transcript was flushed.
func (n note) kept() position {
	if n.Kept != nil {
		return *n.Kept
	}
	return n.Transcript
}

// noteSize is the fixed length of a note: one write, far below a page, so a
// reader sees the old or the new one; its checksum reports when it did not. Notes
// without a boot have oldNoteSize.
const (
	noteSize    = 768
	oldNoteSize = 512
)

// encode returns the note as it is written: checksum, JSON, spaces, line end.
func (n note) encode() ([]byte, error) {
	body, err := json.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("encode note: %w", err)
	}
	b := fmt.Appendf(make([]byte, 0, noteSize), "%s %s", checksum(body), body)
	if len(b) >= noteSize {
		return nil, errors.New("encode note: the turn's id is too long")
	}
	b = append(b, bytes.Repeat([]byte(" "), noteSize-1-len(b))...)
	return append(b, '\n'), nil
}

// decodeNote reads what encode wrote; anything else is no note.
func decodeNote(b []byte) (note, bool) {
	var n note
	if len(b) != noteSize && len(b) != oldNoteSize {
		return n, false
	}
	body := bytes.TrimRight(b[9:], " \n")
	if sum, err := strconv.ParseUint(string(b[:8]), 16, 32); err != nil || uint32(sum) != crc32.ChecksumIEEE(body) {
		return n, false
	}
	return n, jsonv2.Unmarshal(body, &n, likeV1) == nil
}

// writeNote writes a note and returns it as it was written.
func writeNote(f *os.File, n note) ([]byte, error) {
	raw, err := n.encode()
	if err != nil {
		return nil, err
	}
	if err := durable.WriteAt(f, raw, 0, durable.LeaseNote); err != nil {
		return nil, err
	}
	return raw, nil
}

// readNote reads the raw note of an open lock file; an empty or spoilt one is
// nil.
func readNote(f *os.File) ([]byte, error) {
	b := make([]byte, noteSize)
	n, err := f.ReadAt(b, 0)
	switch {
	case err == nil:
		return b, nil
	case errors.Is(err, io.EOF) && n == oldNoteSize:
		return b[:n], nil
	case errors.Is(err, io.EOF) && n < noteSize:
		return nil, nil
	}
	return nil, err
}

// peeks bounds how often a note is read that looks torn. The write that tears it
// is one system call of another thread or process, over in less than a millisecond;
// a note that stays unreadable is a spoilt one.
const peeks = 20

// peekNote reads the note of a session that somebody else may hold, and may be
// writing to.
func (s *Signals) peekNote(id string) (note, bool) {
	f, err := openRegular(s.store.stateDir.Root(), dirLocks+"/"+id+".lock")
	if err != nil {
		return note{}, false
	}
	defer func() { _ = f.Close() }()
	for range peeks {
		b, err := readNote(f)
		if err != nil || b == nil {
			return note{}, false
		}
		if n, ok := decodeNote(b); ok {
			return n, true
		}
		time.Sleep(time.Millisecond)
	}
	return note{}, false
}

// Running reports which turn runs in a session and in which process, this one or
// another of the same user. It reads the note in the lock file and asks the
// kernel whether the lock is held, so a process that was killed does not count.
func (s *Signals) Running(id string) (turnID string, pid int, ok bool) {
	if !ValidID(id) {
		return "", 0, false
	}
	if turn, held := s.runningHere(id); held {
		return turn, os.Getpid(), turn != ""
	}
	n, ok := s.peekNote(id)
	if !ok || n.Turn == "" || n.Boot || !durable.Locked(s.store.lockPath(id)) {
		return "", 0, false // while it is booted, the note names a turn that nobody runs
	}
	return n.Turn, n.PID, true
}

// Booting reports whether a process, this one or another of the same user, holds
// the session to boot it.
func (s *Signals) Booting(id string) bool {
	if !ValidID(id) {
		return false
	}
	n, ok := s.peekNote(id)
	return ok && n.Boot && durable.Locked(s.store.lockPath(id))
}

// runningHere reports which turn runs in this process and whether it holds the
// session at all.
func (s *Signals) runningHere(id string) (turn string, held bool) {
	l := s.store.states.get(id)
	if l == nil {
		return "", false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lease == nil || l.lease.lock == nil {
		return "", false
	}
	return l.lease.turn, true
}
