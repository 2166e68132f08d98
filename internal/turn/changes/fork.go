package changes

import (
	"context"
	"slices"
	"time"

	"belay/internal/fault"
	"belay/internal/session"
)

// ForkRequest makes a session that goes on from the end of another one's turn.
type ForkRequest struct {
	SessionID string `json:"sessionId"`
	// TurnID is the last turn that the new session has, "" for the last one that
	// has ended.
	TurnID string `json:"turnId,omitempty"`
}

// Fork makes a session that begins as another one did, up to the end of one of its
// turns. A turn may run in the other session meanwhile: what has
// ended does not change any more.
func (c *Changes) Fork(ctx context.Context, r ForkRequest) (session.Record, error) {
	rec, err := c.files.Store.Get(ctx, r.SessionID)
	if err != nil {
		return session.Record{}, err
	}
	if _, err := c.engine.ProjectRoot(rec.ProjectRoot); err != nil {
		return session.Record{}, err
	}
	// What is left then without an end waits for a person, or for their answer to be carried out.
	if err := c.engine.SettleDead(ctx, r.SessionID); err != nil {
		return session.Record{}, err
	}
	running, _, _ := c.files.Store.Signals.Running(r.SessionID)
	waits := c.files.Store.Signals.Died(r.SessionID)
	entries, err := c.files.Store.Transcript(ctx, r.SessionID)
	if err != nil {
		return session.Record{}, err
	}
	turnID, err := forkPoint(entries, r, running, waits)
	if err != nil {
		return session.Record{}, err
	}
	return c.files.Store.Fork(ctx, session.Origin{SessionID: r.SessionID, TurnID: turnID}, branch(entries, turnID, c.files.Clock()))
}

// forkPoint is the turn after which the new session goes on. A turn that runs has
// no end to go on from, and neither has the last one where it waits.
func forkPoint(entries []session.Entry, r ForkRequest, running string, waits bool) (string, error) {
	last := session.LastStep(entries).Turn
	open := func(turnID string) bool {
		return (turnID == running || waits && turnID == last) && !ended(entries, turnID)
	}
	if r.TurnID != "" {
		if _, known := session.FindTurn(entries, r.TurnID); !known {
			return "", session.NoSuchTurn(r.SessionID, r.TurnID)
		}
		if open(r.TurnID) {
			return "", session.Busy(r.SessionID).WithHint("fork from an earlier turn; this one runs, or waits for a person")
		}
		return r.TurnID, nil
	}
	for _, e := range slices.Backward(entries) {
		if e.Kind == session.EntryTurn && !open(e.Turn) {
			return e.Turn, nil
		}
	}
	return "", fault.New(fault.NotFound, "no turn has ended in session %s, so there is nothing to go on from", r.SessionID).
		With("turn", "").WithHint("make a new session, or wait for the turn that runs")
}

func ended(entries []session.Entry, turnID string) bool {
	_, ok := session.EndOf(entries, turnID)
	return ok
}

// branch is the transcript up to the end of a turn, and what was undone or found
// out of it since: the files are what they are, whichever conversation goes on. What belongs
// to the other session alone stays there: its log, the keys of its requests, and
// what its turns have cost.
func branch(entries []session.Entry, turnID string, now time.Time) []session.Entry {
	var kept []session.Entry
	has := map[string]bool{}
	over := false // the turn's own end is reached
	for _, e := range entries {
		if e.Kind == session.EntryTurn {
			over = over || has[turnID]
			has[e.Turn] = has[e.Turn] || !over
		}
		if !has[e.Turn] || over && e.Kind != session.EntryUndo && e.Kind != session.EntryChanges {
			continue
		}
		if e.Kind == session.EntryTurn {
			e.After, e.Idempotency = -1, nil
		}
		e.Usage = nil
		kept = append(kept, e)
	}
	if !ended(kept, turnID) { // its process died
		code := 1
		kept = append(kept, session.Entry{
			Kind: session.EntryEnd, Turn: turnID, Time: session.Time{Time: now}, ExitCode: &code, StopReason: session.StopProcessEnded,
		})
	}
	return kept
}
