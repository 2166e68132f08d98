package agent

import (
	"belay/internal/event"
	"belay/internal/session"
)

// LateInputs are what people said too late for the turn.
func (a *Run) LateInputs() ([]session.Entry, error) { return a.inputs.late() }

// inputs are what people say into a turn while it runs.
type inputs struct {
	run *Run
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
		err = q.run.Transcript.flush() // a usage that the log reports says that the answer is kept
	}
	said, replaced := session.MergeInputs(due)
	if err == nil && len(replaced) > 0 {
		if err = q.run.append(replacedEntries(q.run.ID, replaced)...); err == nil {
			due = said
		}
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
		inputs, err := q.run.Lease.TakeInputs(q.run.ID)
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
	inputs, err := q.run.Lease.CloseInput()
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
		inputs, err = q.run.Lease.CloseInput()
	}
	return InputEntries(q.run.ID, append(q.takeWaiting(), inputs...)), err
}

// record puts an input on record.
func (q *inputs) record(in session.Input) error {
	if err := q.run.Events.Emit(append(q.run.Events.TakeOwed(), event.Draft{Type: event.TurnInput, Data: event.Input{
		Message: in.Message, Mode: string(in.Mode), Attachments: len(in.Items) + len(in.Links),
	}})...); err != nil {
		return err
	}
	return q.run.append(inputEntry(q.run.ID, in))
}

// InputEntries are what the transcript keeps of inputs that a model gets together. Those that
// others replace come first: the others stay next to each other.
func InputEntries(turnID string, inputs []session.Input) []session.Entry {
	said, replaced := session.MergeInputs(inputs)
	entries := replacedEntries(turnID, replaced)
	for _, in := range said {
		entries = append(entries, inputEntry(turnID, in))
	}
	return entries
}

func replacedEntries(turnID string, inputs []session.Input) (entries []session.Entry) {
	for _, in := range inputs {
		e := inputEntry(turnID, in)
		e.Kind = session.EntryReplaced
		entries = append(entries, e)
	}
	return entries
}

// inputEntry is what the transcript keeps of something that a person said into a turn.
func inputEntry(turnID string, in session.Input) session.Entry {
	return session.Entry{
		Kind: session.EntryInput, Turn: turnID, Time: in.Time, Mode: in.Mode,
		Message: in.Message, Warning: in.Warning, Attachments: in.Items, Links: in.Links, Input: in.ID,
	}
}
