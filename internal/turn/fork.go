package turn

import (
	"context"
	"slices"

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

// Fork implements [Rope]. A turn may run in the other session meanwhile: what has
// ended does not change any more.
func (l *Local) Fork(ctx context.Context, r ForkRequest) (session.Record, error) {
	rec, err := l.o.Store.Get(ctx, r.SessionID)
	if err != nil {
		return session.Record{}, err
	}
	if _, err := l.projectRoot(rec.ProjectRoot); err != nil {
		return session.Record{}, err
	}
	running, _, _ := l.o.Store.Running(r.SessionID)
	entries, err := l.o.Store.Transcript(ctx, r.SessionID)
	if err != nil {
		return session.Record{}, err
	}
	turnID, err := forkPoint(entries, r, running)
	if err != nil {
		return session.Record{}, err
	}
	return l.o.Store.Fork(ctx, session.Origin{SessionID: r.SessionID, TurnID: turnID}, l.branch(entries, turnID))
}

// forkPoint is the turn after which the new session goes on. A turn that runs has
// no end to go on from.
func forkPoint(entries []session.Entry, r ForkRequest, running string) (string, error) {
	if r.TurnID != "" {
		if _, known := findTurn(entries, r.TurnID); !known {
			return "", noTurn(r.SessionID, r.TurnID)
		}
		if r.TurnID == running && !hasEnd(entries, running) {
			return "", busy(r.SessionID).WithHint("fork from an earlier turn, or wait for this one")
		}
		return r.TurnID, nil
	}
	for _, e := range slices.Backward(entries) {
		if e.Kind == session.EntryTurn && (e.Turn != running || hasEnd(entries, e.Turn)) {
			return e.Turn, nil
		}
	}
	return "", fault.New(fault.NotFound, "no turn has ended in session %s, so there is nothing to go on from", r.SessionID).
		With("turn", "").WithHint("make a new session, or wait for the turn that runs")
}

func hasEnd(entries []session.Entry, turnID string) bool {
	return slices.ContainsFunc(entries, func(e session.Entry) bool { return e.Kind == session.EntryEnd && e.Turn == turnID })
}

// branch is the transcript up to the end of a turn, and what was undone or found
// out of it since: the files are what they are, whichever conversation goes on. What belongs
// to the other session alone stays there: its log, the keys of its requests, and
// what its turns have cost.
func (l *Local) branch(entries []session.Entry, turnID string) []session.Entry {
	var kept []session.Entry
	has := map[string]bool{}
	ended := false // the turn's own end is reached
	for _, e := range entries {
		if e.Kind == session.EntryTurn {
			ended = ended || has[turnID]
			has[e.Turn] = has[e.Turn] || !ended
		}
		if !has[e.Turn] || ended && e.Kind != session.EntryUndo && e.Kind != session.EntryChanges {
			continue
		}
		if e.Kind == session.EntryTurn {
			e.After, e.Idempotency = -1, nil
		}
		e.Usage = nil
		kept = append(kept, e)
	}
	if !hasEnd(kept, turnID) { // its process died
		code := exitFailed
		kept = append(kept, session.Entry{
			Kind: session.EntryEnd, Turn: turnID, Time: session.Time{Time: l.o.Clock()}, ExitCode: &code, StopReason: StopProcessEnded,
		})
	}
	return kept
}
