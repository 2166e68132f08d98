package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/session"
	"belay/internal/tool/files"
)

// maxDiffs bounds the diffs of one answer, in bytes. A change beyond it is still
// listed.
const maxDiffs = 16 << 20

// ChangeSet are the file changes of one turn, in their order.
type ChangeSet struct {
	Turn    string       `json:"turn"`
	Changes []FileChange `json:"changes"`
	// Undone is when they were taken back, absent while they stand.
	Undone *session.Time `json:"undone,omitempty"`
	// Note says, once, what became of an undo of them that a crash cut off.
	Note string `json:"note,omitempty"`
}

// LastStanding is the newest of turns whose changes stand. One whose undo was cut
// off by a crash and is complete since counts until a person was told: they did
// not mean the turn before it.
func LastStanding(all []ChangeSet) (ChangeSet, bool) {
	for _, t := range slices.Backward(all) {
		if t.Undone == nil || t.Note != "" {
			return t, true
		}
	}
	return ChangeSet{}, false
}

// FileChange is one file that a turn changed, and how.
type FileChange struct {
	session.Change
	// Diff is unified, at most 64 KiB; what cannot be shown as one is said in its
	// place.
	Diff string `json:"diff"`
}

// Changes implements [Rope].
func (l *Local) Changes(ctx context.Context, sessionID, turnID string) ([]ChangeSet, error) {
	rec, err := l.o.Store.Get(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	if err := l.finishProject(ctx, rec.ProjectRoot); err != nil {
		return nil, err
	}
	if err := l.settleDead(ctx, sessionID); err != nil {
		return nil, err
	}
	entries, err := l.o.Store.Entries(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	if _, known := findTurn(entries, turnID); turnID != "" && !known {
		return nil, noTurn(sessionID, turnID)
	}
	blobs, err := l.o.Store.Blobs(rec.ProjectRoot)
	if err != nil {
		return nil, err
	}
	all := changesIn(entries, turnID)
	untold, err := l.untold(rec.ProjectRoot, sessionID)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Note = notesOn(untold, all[i].Turn)
	}
	room := maxDiffs
	for _, turn := range all {
		for i := range turn.Changes {
			c := &turn.Changes[i]
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			if room <= 0 {
				c.Diff = fmt.Sprintf("%s: not shown here, the diffs before it have %d bytes\n", c.Path, maxDiffs)
				continue
			}
			if c.Diff, err = files.Diff(blobs, c.Change); err != nil {
				return nil, unread(err)
			}
			room -= len(c.Diff)
		}
	}
	told := slices.DeleteFunc(untold, func(t journal.Settled) bool { return turnID != "" && t.Owner.Turn != turnID })
	return all, l.o.Journal.Forget(rec.ProjectRoot, told...)
}

// changesIn are the changes that a transcript has, without their diffs: those of
// one turn or, for "", of all.
func changesIn(entries []session.Entry, turnID string) []ChangeSet {
	var all []ChangeSet
	at := map[string]int{}
	if turnID != "" {
		entries = since(entries, turnID)
	}
	for k := range entries {
		e := &entries[k]
		if turnID != "" && e.Turn != turnID {
			continue
		}
		i, known := at[e.Turn]
		switch {
		case e.Kind == session.EntryUndo && known:
			all[i].Undone = &e.Time
			continue
		case len(e.Changes) == 0, e.Kind == session.EntryIntent:
			continue
		case !known:
			i = len(all)
			at[e.Turn] = i
			all = append(all, ChangeSet{Turn: e.Turn})
		}
		for _, c := range e.Changes {
			all[i].Changes = append(all[i].Changes, FileChange{Change: c})
		}
	}
	return all
}

// since are the entries from the beginning of a turn on, all where that is not there: a
// long session is not walked for its last turn.
func since(entries []session.Entry, turnID string) []session.Entry {
	for i := len(entries) - 1; i >= 0; i-- {
		if e := &entries[i]; e.Kind == session.EntryTurn && e.Turn == turnID {
			return entries[i:]
		}
	}
	return entries
}

func noTurn(sessionID, turnID string) *fault.Error {
	return fault.New(fault.NotFound, "session %s has no turn %q", sessionID, turnID).With("turn", turnID).
		WithHint("see its turns with belay session show %s", sessionID)
}

// unread is the fault for kept contents that cannot be read.
func unread(err error) error {
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return f
	}
	return fault.New(fault.StorageFailure, "what was kept of the changes cannot be read").WithStatus(500).Because(err)
}
