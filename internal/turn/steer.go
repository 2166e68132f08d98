package turn

import (
	"context"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
)

// Steer implements [Control]. The files pass the same checks as a turn's, here
// and now, so that who sends them learns their outcome.
func (l *Local) Steer(ctx context.Context, r SteerRequest) error {
	if r.Mode == "" {
		r.Mode = session.Steer
	}
	if r.Mode != session.Steer && r.Mode != session.FollowUp {
		return fault.Invalid([]fault.Problem{{Field: "mode", Message: `must be "steer" or "followUp"`}})
	}
	rec, err := l.o.Store.Get(ctx, r.SessionID)
	if err != nil {
		return err
	}
	rules, err := l.rules(rec.ProjectRoot)
	if err != nil {
		return err
	}
	if err := rules.Limits.admit(r.Message); err != nil {
		return err
	}
	if _, _, runs := l.o.Store.Signals.Running(r.SessionID); !runs {
		return session.NoTurn(r.SessionID)
	}
	blobs, err := l.o.Store.Blobs(rec.ProjectRoot)
	if err != nil {
		return err
	}
	files, err := attachment.Resolve(ctx, r.Attachments, rules.policy(rec.ProjectRoot), blobs)
	if err != nil {
		return err
	}
	if err := admit(Request{Message: r.Message, Attachments: r.Attachments}, files); err != nil {
		return err
	}
	if err := blobs.Sync(ctx); err != nil {
		return err
	}
	return l.o.Store.Signals.SendInput(r.SessionID, session.Input{
		Message: r.Message, Mode: r.Mode, Items: files.Items, Warning: files.Warning(), Time: session.Time{Time: l.o.Clock()},
	})
}

// dueInputs takes what was said into the turn and is due now: at a tool boundary the
// steering, at the end of an answer everything. It follows what the model got
// last, in the same message.
func (t *agentRun) dueInputs(atEnd bool) ([]session.Input, error) {
	if t.agent != "" {
		return nil, nil // people speak to the turn, not to its helpers
	}
	due, err := t.due(atEnd)
	if err == nil && len(due) > 0 {
		err = t.unhold() // a usage that the log reports says that the answer is kept
	}
	for i := 0; err == nil && i < len(due); i++ {
		if err = t.takeInput(due[i]); err != nil {
			due = due[i:]
		}
	}
	if err != nil {
		t.later = append(due, t.later...) // they go on record with the turn's end
		return nil, err
	}
	return due, nil
}

// due are the inputs whose time has come; the others wait in t.later.
func (t *agentRun) due(atEnd bool) ([]session.Input, error) {
	if !atEnd || len(t.later) > 0 {
		inputs, err := t.lease.TakeInputs(t.id)
		t.later = append(t.later, inputs...)
		if err != nil || atEnd {
			return t.allWaiting(), err
		}
		steers, rest := t.later[:0:0], t.later[:0:0]
		for _, in := range t.later {
			if in.Mode == session.FollowUp {
				rest = append(rest, in)
			} else {
				steers = append(steers, in)
			}
		}
		t.later = rest
		return steers, nil
	}
	inputs, err := t.lease.CloseInput()
	t.inputClosed = err == nil && len(inputs) == 0
	return inputs, err
}

func (t *agentRun) allWaiting() []session.Input {
	all := t.later
	t.later = nil
	return all
}

// unheard are the inputs that came too late for this turn, which has ended: they
// are on record, and the next turn's history has them.
func (t *agentRun) unheard() ([]session.Entry, error) {
	var inputs []session.Input
	var err error
	if !t.inputClosed {
		inputs, err = t.lease.CloseInput()
	}
	var entries []session.Entry
	for _, in := range append(t.allWaiting(), inputs...) {
		entries = append(entries, inputEntry(t.id, in))
	}
	return entries, err
}

// takeInput puts an input on record.
func (t *agentRun) takeInput(in session.Input) error {
	if err := t.emit(append(t.settle(), event.Draft{Type: event.TurnInput, Data: event.Input{
		Message: in.Message, Mode: string(in.Mode), Attachments: len(in.Items),
	}})...); err != nil {
		return err
	}
	return t.append(inputEntry(t.id, in))
}

func inputEntry(turnID string, in session.Input) session.Entry {
	return session.Entry{
		Kind: session.EntryInput, Turn: turnID, Time: in.Time, Mode: in.Mode,
		Message: in.Message, Warning: in.Warning, Attachments: in.Items, Input: in.ID,
	}
}
