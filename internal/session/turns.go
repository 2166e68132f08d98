package session

import (
	"slices"
	"strings"

	"belay/internal/fault"
)

// Since are the entries from the beginning of a turn on, all where that is not there: a
// long session is not walked for its last turn.
func Since(entries []Entry, turnID string) []Entry {
	for i := len(entries) - 1; i >= 0; i-- {
		if e := &entries[i]; e.Kind == EntryTurn && e.Turn == turnID {
			return entries[i:]
		}
	}
	return entries
}

// FindTurn is the entry that begins a turn.
func FindTurn(entries []Entry, turnID string) (Entry, bool) {
	if from := Since(entries, turnID); len(from) > 0 && from[0].Kind == EntryTurn && from[0].Turn == turnID {
		return from[0], true
	}
	return Entry{}, false
}

// EndOf is the last end of a turn, which counts.
func EndOf(entries []Entry, turnID string) (Entry, bool) {
	for _, e := range slices.Backward(entries) {
		if e.Kind == EntryEnd && e.Turn == turnID {
			return e, true
		}
	}
	return Entry{}, false
}

// StopProcessEnded is the stop reason, in the transcript, of a turn whose process
// died in the middle of it. The log reports it as an error.
const StopProcessEnded = "process_ended"

// LastStep is the last entry about the course of a turn. An undo and changes that were
// found out later are no part of that.
func LastStep(entries []Entry) Entry {
	for _, e := range slices.Backward(entries) {
		if e.Kind != EntryUndo && e.Kind != EntryChanges {
			return e
		}
	}
	return Entry{}
}

// NoSuchTurn is the error for a turn that a session does not have.
func NoSuchTurn(id, turnID string) *fault.Error {
	return fault.New(fault.NotFound, "session %s has no turn %q", id, fault.Clip(turnID)).With("turn", fault.Clip(turnID)).
		WithHint("see its turns with belay session show %s", id)
}

// Busy is the error for a session in which a turn runs.
func Busy(id string) *fault.Error {
	return fault.New(fault.TurnInProgress, "a turn is running in session %s", id).With("sessionId", id)
}

// MaxNameBytes bounds the names that callers give and records keep; NameRule says so.
const (
	MaxNameBytes = 200
	NameRule     = "must be at most 200 bytes without control characters"
)

// GoodName reports whether a name keeps to [NameRule].
func GoodName(name string) bool {
	return len(name) <= MaxNameBytes && !strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7f })
}
