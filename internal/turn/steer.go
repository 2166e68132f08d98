package turn

import (
	"belay/internal/event"
	"belay/internal/session"
)

// lateInputs are what people said too late for the turn.
func (t *agentRun) lateInputs() ([]session.Entry, error) { return t.inputs.late() }

// inputs are what people say into a turn while it runs.
type inputs struct {
	run *agentRun
	// later wait for the answer's end. closed is set once no more are taken.
	later  []session.Input
	closed bool
}

// takeDue takes what was said into the turn and is due now: at a tool boundary the
// steering, at the end of an answer everything. It follows what the model got
// last, in the same message.
func (q *inputs) takeDue(atEnd bool) ([]session.Input, error) {
	if q.run.agent != "" {
		return nil, nil // people speak to the turn, not to its subagents
	}
	due, err := q.due(atEnd)
	if err == nil && len(due) > 0 {
		err = q.run.transcript.flush() // a usage that the log reports says that the answer is kept
	}
	for i := 0; err == nil && i < len(due); i++ {
		if err = q.record(due[i]); err != nil {
			due = due[i:]
		}
	}
	if err != nil {
		q.later = append(due, q.later...) // they go on record with the turn's end
		return nil, err
	}
	return due, nil
}

// due are the inputs whose time has come; the others wait in q.later.
func (q *inputs) due(atEnd bool) ([]session.Input, error) {
	if !atEnd || len(q.later) > 0 {
		inputs, err := q.run.lease.TakeInputs(q.run.id)
		q.later = append(q.later, inputs...)
		if err != nil || atEnd {
			return q.takeWaiting(), err
		}
		steers, rest := q.later[:0:0], q.later[:0:0]
		for _, in := range q.later {
			if in.Mode == session.FollowUp {
				rest = append(rest, in)
			} else {
				steers = append(steers, in)
			}
		}
		q.later = rest
		return steers, nil
	}
	inputs, err := q.run.lease.CloseInput()
	q.closed = err == nil && len(inputs) == 0
	return inputs, err
}

func (q *inputs) takeWaiting() []session.Input {
	all := q.later
	q.later = nil
	return all
}

// late are the inputs that came too late for this turn, which has ended: they
// are on record, and the next turn's history has them.
func (q *inputs) late() ([]session.Entry, error) {
	var inputs []session.Input
	var err error
	if !q.closed {
		inputs, err = q.run.lease.CloseInput()
	}
	var entries []session.Entry
	for _, in := range append(q.takeWaiting(), inputs...) {
		entries = append(entries, inputEntry(q.run.id, in))
	}
	return entries, err
}

// record puts an input on record.
func (q *inputs) record(in session.Input) error {
	if err := q.run.events.emit(append(q.run.events.takeOwed(), event.Draft{Type: event.TurnInput, Data: event.Input{
		Message: in.Message, Mode: string(in.Mode), Attachments: len(in.Items) + len(in.Links),
	}})...); err != nil {
		return err
	}
	return q.run.append(inputEntry(q.run.id, in))
}

func inputEntry(turnID string, in session.Input) session.Entry {
	return session.Entry{
		Kind: session.EntryInput, Turn: turnID, Time: in.Time, Mode: in.Mode,
		Message: in.Message, Warning: in.Warning, Attachments: in.Items, Links: in.Links, Input: in.ID,
	}
}
