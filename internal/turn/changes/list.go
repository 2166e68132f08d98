package changes

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
	// Note says, once, the outcome of an undo of them that a crash cut off.
	Note string `json:"note,omitempty"`
}

// LastStanding is the newest of turns whose changes stand. One whose undo was cut
// off by a crash and is complete since counts until a person was notified: they did
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

// Changes are the file changes of a session's turns, of one or, for "", of all, in their
// order, as diffs.
func (c *Changes) Changes(ctx context.Context, sessionID, turnID string) ([]ChangeSet, error) {
	rec, err := c.files.Store.Get(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	if err := c.files.FinishProject(ctx, rec.ProjectRoot); err != nil {
		return nil, err
	}
	if err := c.engine.SettleDead(ctx, sessionID); err != nil {
		return nil, err
	}
	entries, err := c.files.Store.Entries(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	if _, known := session.FindTurn(entries, turnID); turnID != "" && !known {
		return nil, session.NoSuchTurn(sessionID, turnID)
	}
	blobs, err := c.files.Store.Blobs(rec.ProjectRoot)
	if err != nil {
		return nil, err
	}
	all := In(entries, turnID)
	unreported, err := c.files.Unreported(rec.ProjectRoot, sessionID)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Note = notesOn(unreported, all[i].Turn)
	}
	room := maxDiffs
	for _, turn := range all {
		for i := range turn.Changes {
			one := &turn.Changes[i]
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			if room <= 0 {
				one.Diff = fmt.Sprintf("%s: not shown here, the diffs before it have %d bytes\n", one.Path, maxDiffs)
				continue
			}
			if one.Diff, err = files.Diff(blobs, one.Change); err != nil {
				return nil, unread(err)
			}
			room -= len(one.Diff)
		}
	}
	shown := slices.DeleteFunc(unreported, func(t journal.Settled) bool { return turnID != "" && t.Owner.Turn != turnID })
	return all, c.files.Journal.Forget(rec.ProjectRoot, shown...)
}

// In are the changes that a transcript has, without their diffs: those of
// one turn or, for "", of all. What a person applied of a turn after its undo is a set of
// its own.
func In(entries []session.Entry, turnID string) []ChangeSet {
	var all []ChangeSet
	at := map[string]int{}
	if turnID != "" {
		entries = session.Since(entries, turnID)
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
			delete(at, e.Turn) // what is applied of it later stands
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

// unread is the fault for kept contents that cannot be read.
func unread(err error) error {
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		return f
	}
	return fault.New(fault.StorageFailure, "what was kept of the changes cannot be read").WithStatus(500).Because(err)
}
