package agent

import (
	"errors"

	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

// resultNotRun stands for the result of a call that did not begin.
const resultNotRun = "The turn was stopped before this call ran."

// results gathers what the model gets back. After an error that ends the turn,
// the calls that have no result get one that says so, on record: the next turn
// goes on from a conversation without gaps.
func (b *toolCalls) results(calls []*toolCall, ended error) ([]conversation.Result, error) {
	if errors.Is(ended, ErrSuspended) {
		return nil, nil // its calls stay open
	}
	if ended != nil {
		return nil, b.close(calls)
	}
	all := make([]conversation.Result, len(calls))
	for i, s := range calls {
		all[i] = conversation.Result{Block: s.block()}
		if s.effect.Kind == permit.Read {
			all[i].Read = s.effect.Paths
		}
	}
	return all, nil
}

// close records a result for every call that has none.
func (b *toolCalls) close(calls []*toolCall) error {
	e := session.Entry{Kind: session.EntryTools, Turn: b.run.ID, Time: session.Time{Time: b.run.Clock()}}
	cut := "" // the call that was: those that change something run one by one
	var unnoted error
	for _, s := range calls {
		if s.settled && s.err == nil {
			continue
		}
		text := resultNotRun
		if s.suspended != nil && len(intendedBy(s.suspended, s.id)) > 0 { // it ran in another process
			text, cut = conversation.ResultUnknown, s.id
			unnoted = s.noteIntended(s.suspended)
		}
		if !s.began.IsZero() {
			text, cut = conversation.ResultUnknown, s.id
		}
		e.Blocks = append(e.Blocks, session.Block{Type: session.BlockToolResult, ID: s.id, Name: s.name, Text: text, Failed: true})
	}
	e.Changes = b.run.environment.Ledger.Take()
	for i := range e.Changes {
		e.Changes[i].Call = cut
	}
	if len(e.Blocks) == 0 {
		return unnoted
	}
	return errors.Join(unnoted, b.run.append(e))
}
