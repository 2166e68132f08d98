package agent

import (
	"slices"

	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/tool/files"
	"belay/internal/turn/conversation"
)

// This file is about changes whose process died before it could finish with them.

// recallFirst recalls the answer to the first question about what a call changed, where the
// process died at the second one.
func (c *toolCall) recallFirst() error {
	if c.suspended == nil || !c.result.Changes.Second() {
		return nil
	}
	q, err := c.run.Questions.lookUp(ChangesQuestion(c.run.SessionID, c.run.ID, c.run.key, c.id, c.nth))
	if err != nil || !q.answered {
		return err
	}
	if q.decision.Allowed() {
		c.remark("the person who allowed this call", q.decision.Note)
	} else {
		c.outcome, c.reason, c.kept = outcomeOf(q.decision), whyDenied(q.decision), q.decision.Timeout
	}
	return nil
}

// noteIntended notes the changes that a process made before it died, and could not put on record:
// the transcript has its intents.
func (c *toolCall) noteIntended(from *SuspendedCall) error {
	if from == nil || c.run.environment.Root == nil {
		return nil
	}
	intended := intendedBy(from, c.id)
	if len(intended) == 0 {
		return nil
	}
	made, err := files.Recover(c.run.environment.Root, intended)
	if err != nil {
		return err
	}
	noted := c.run.environment.Ledger.Take()
	made = slices.DeleteFunc(made, func(m session.Change) bool {
		return slices.ContainsFunc(noted, func(n session.Change) bool { return n.Path == m.Path })
	})
	c.run.environment.Ledger.Note(append(made, noted...)...)
	return nil
}

// intendedBy are the changes that a call without a result was about to make. A job has changes
// after its result: those before a call are of an earlier one with its id.
func intendedBy(from *SuspendedCall, call string) (intended []session.Change) {
	for _, e := range from.Entries {
		switch e.Kind {
		case session.EntryIntent:
			if len(e.Changes) > 0 && e.Changes[0].Call == call {
				intended = append(intended, e.Changes...)
			}
		case session.EntryAssistant:
			called := slices.ContainsFunc(conversation.CallsOf(e.Blocks), func(c model.ToolCall) bool { return c.ID == call })
			if called && !from.Job {
				intended = nil
			}
		case session.EntryTools:
			if slices.ContainsFunc(e.Blocks, func(b session.Block) bool { return b.ID == call }) {
				intended = nil
			}
		}
	}
	return intended
}
