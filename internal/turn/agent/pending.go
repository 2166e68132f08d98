package agent

import (
	"context"
	"errors"
	"time"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/tool"
)

// changesTime bounds how long the changes of a call take to be put aside when its
// turn ends.
const changesTime = 5 * time.Minute

// ranBefore reports whether a call has run before its process died, and its changes wait.
func (c *toolCall) ranBefore() bool {
	if c.suspended == nil || c.call == nil {
		return false
	}
	call, ok := c.call.(tool.Resumable)
	return ok && call.Held(c.context())
}

// decideChanges decides the outcome of what a call changed, which is not real yet,
// and settles the call with its result. Whatever happens on the way, the changes are
// made, dropped, or kept for a person. Of changes that must be asked about, those that other
// programs run by themselves have a question of their own, after the one about the others.
func (c *toolCall) decideChanges() error {
	from := c.suspended
	if err := c.recallFirst(); err != nil {
		return errors.Join(err, c.keepRest())
	}
	var hooked *permit.HookAnswer // they are asked once
	for c.result.Changes != nil {
		c.changes, c.result.Changes, c.verdict = c.result.Changes, nil, nil
		if c.suspended != nil && c.suspended.Question != c.questionID() {
			c.suspended = nil // what was asked before is answered
		}
		full := c.changes.Effect()
		c.effect = full.Shown()
		if hooked == nil {
			answer, err := c.askHooks()
			if err != nil {
				c.result.Changes = c.changes
				return errors.Join(err, c.keepChanges(), c.noteIntended(from))
			}
			c.remark("a hook", answer.Note)
			hooked = &answer
		}
		if c.run.policy.Asks(full, *hooked) && c.changes.Split() {
			c.result.Changes, c.changes, c.split = c.changes, nil, true // each part is judged by itself
			continue
		}
		if err := c.decidePart(full, c.run.policy.JudgeWith(full, *hooked)); errors.Is(err, ErrSuspended) && !c.closes {
			return err
		} else if err != nil {
			return errors.Join(err, c.keepRest(), c.noteIntended(from))
		}
	}
	return c.noteIntended(from)
}

// keepRest keeps the changes that nobody is asked about any more.
func (c *toolCall) keepRest() error {
	if c.changes = c.result.Changes; c.changes == nil {
		return nil
	}
	c.result.Changes = nil
	return c.endChanges(func(ctx context.Context) (tool.Result, error) {
		return c.changes.Keep(ctx, "the turn ended before a person was asked")
	})
}

// decidePart decides the outcome of changes that are decided on together.
func (c *toolCall) decidePart(full permit.Effect, ruling permit.Ruling) error {
	asks := ruling.Outcome == permit.Ask
	switch {
	case ruling.Outcome == permit.Refuse && c.run.policy.Mode == permit.Plan:
		c.reason = ruling.Reason
		return c.endChanges(func(ctx context.Context) (tool.Result, error) { return c.changes.Discard(ctx, ruling.Reason) })
	case ruling.Outcome == permit.Refuse:
		c.outcome, c.reason = event.OutcomeRefused, ruling.Reason
		err := c.endChanges(func(ctx context.Context) (tool.Result, error) { return c.changes.Discard(ctx, ruling.Reason) })
		return errors.Join(err, c.refused(ruling.Reason))
	case asks && c.suspended == nil && c.run.Questions.Requests != nil && c.run.Questions.Requests.Granted(c.run.SessionID, c.run.Settings.Persona.ID, full):
		asks = false
	case asks && c.run.Questions.Requests == nil:
		return c.unaskedChanges(ruling, "nobody can be asked")
	case asks && c.suspended == nil && c.run.Settings.AsksNobody:
		return c.unaskedChanges(ruling, "the turn asks nobody")
	}
	if !asks && c.suspended == nil {
		return c.endChanges(func(ctx context.Context) (tool.Result, error) { return c.changes.Apply(ctx, nil) })
	}
	return c.askChanges(ruling)
}

// unaskedChanges keeps the changes, because nobody is asked about them.
func (c *toolCall) unaskedChanges(ruling permit.Ruling, why string) error {
	c.outcome, c.reason, c.kept = event.OutcomeRefused, ruling.Reason+", and nobody is asked about it", true
	err := c.endChanges(func(ctx context.Context) (tool.Result, error) {
		return c.changes.Keep(ctx, ruling.Reason+", and "+why)
	})
	return errors.Join(err, c.refused(ruling.Reason+", and "+why))
}

// askChanges asks a person. The changes are held first: they survive this process,
// and a question that nobody answers drops nothing.
func (c *toolCall) askChanges(ruling permit.Ruling) error {
	if err := c.changes.Hold(c.run.Context, c.questionID(), "a person is asked about the changes"); err != nil {
		return errors.Join(err, c.endChanges(func(ctx context.Context) (tool.Result, error) { return c.changes.Discard(ctx, "it could not be kept") }))
	}
	if c.split && !c.changes.Second() {
		ruling.Reason += "; what other programs run by themselves is asked about next"
	}
	asked := c.ask(ruling)
	if errors.Is(asked, ErrSuspended) && !c.closes {
		return asked
	}
	return errors.Join(asked, c.endChanges(func(ctx context.Context) (tool.Result, error) {
		switch d := c.verdict; {
		case d == nil:
			return c.changes.Keep(ctx, "the turn ended before a person answered")
		case d.Allowed():
			return c.changes.Apply(ctx, d.Only)
		case d.Timeout:
			c.outcome, c.reason, c.kept = outcomeOf(*d), whyDenied(*d), true
			return c.changes.Keep(ctx, "a person was asked and did not answer in time")
		case d.By == permit.ByInterrupt || d.By == permit.ByBelay:
			c.outcome, c.reason, c.kept = outcomeOf(*d), d.Note, true
			return c.changes.Keep(ctx, d.Note)
		default:
			c.outcome, c.reason = outcomeOf(*d), whyDenied(*d)
			why := "a person was asked and did not allow it"
			if d.Note != "" {
				why += "; they said: " + d.Note
			}
			return c.changes.Discard(ctx, why)
		}
	}))
}

// outcomeOf is the outcome of a call that a person was asked about, "" where it was allowed.
func outcomeOf(d permit.Decision) event.Outcome {
	switch {
	case d.Allowed():
		return ""
	case d.Timeout:
		return event.OutcomeExpired
	}
	return event.OutcomeRefused
}

// endChanges settles the call with the outcome of its changes. An interrupt does not cut it
// short.
func (c *toolCall) endChanges(do func(ctx context.Context) (tool.Result, error)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.context()), changesTime)
	defer cancel()
	result, err := do(ctx)
	c.changes = nil
	if err != nil {
		c.fail(err)
		return nil
	}
	c.settle(result)
	return nil
}
