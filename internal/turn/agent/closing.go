package agent

import (
	"context"
	"errors"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/tool"
)

// The causes for which a turn's context ends by the will of the engine.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrTimeLimit   = errors.New("the turn's time is up")
)

// unanswered says what ended a turn that waits for an answer.
func (a *Run) unanswered() Closing {
	switch cause := context.Cause(a.Context); {
	case errors.Is(cause, ErrInterrupted):
		return Closing{permit.ByInterrupt, "the turn was interrupted"}
	case errors.Is(cause, ErrTimeLimit):
		return Closing{permit.ByBelay, "the turn's time was up"}
	}
	if a.Closing.Err() != nil {
		return Closing{permit.ByBelay, "the server stopped"}
	}
	return Closing{permit.ByBelay, "the turn ended"}
}

// askAgain takes up the question of a process that died, or the answer that was
// given meanwhile. It holds for what was asked about and nothing else: where the
// call would do something else by now, it is not made.
func (c *toolCall) askAgain(ruling permit.Ruling) error {
	c.suspended.closed = true
	const changed = "what it would do has changed since a person was asked"
	refuse := func() error {
		c.refuse("the call was not made: "+changed, tool.Refuse("the call was not made: %s", changed).WithHint("look again, then repeat the call").Result(), event.OutcomeRefused)
		return c.refused(changed)
	}
	q, err := c.run.Questions.lookUp(c.suspended.Question)
	asked := c.question(ruling)
	if q.answered && q.decision.About != c.effect.Fingerprint() {
		asked.Effect = permit.Effect{Tool: c.effect.Tool} // nobody knows what else it was
	}
	switch {
	case err != nil:
		return err
	case q.answered && q.decision.Allowed() && q.decision.About != c.effect.Fingerprint():
		return errors.Join(c.suspended.reportLate(c.run.Events.Emit, asked, c.name), c.run.resolved(c.id, q.decision), refuse())
	case q.answered:
		return errors.Join(c.suspended.reportLate(c.run.Events.Emit, asked, c.name), c.decided(q.decision))
	case !q.open:
		c.suspended = nil
		return c.ask(ruling)
	case q.pending.Request.Effect.Fingerprint() != c.effect.Fingerprint():
		return errors.Join(c.suspended.reportLate(c.run.Events.Emit, q.pending.Request, c.name),
			c.run.resolved(c.id, c.run.Questions.Withdraw(q.pending, Closing{permit.ByBelay, changed})), refuse())
	}
	defer c.run.StandStill()()
	return c.await(q.pending)
}

// reportLate emits a question that the process before could put, but not report: the readers
// hear of its answer next.
func (h *SuspendedCall) reportLate(emit func(...event.Draft) error, asked permit.Request, name string) error {
	if !h.Unheard {
		return nil
	}
	h.Unheard = false
	return emit(askedDraft(asked, h.Waits.ID, name))
}

// dropQuestion closes the question of a process that died where its call did not
// come to be asked about again: the agent, the tool, the file or the right to it
// is gone. Why says so, "" where nobody knows.
func (a *Run) dropQuestion(h *SuspendedCall, why string) error {
	if h = h.Innermost(); h.closed {
		return nil
	}
	h.closed = true
	call, name := h.Waits.ID, h.Waits.Name
	q, err := a.Questions.lookUp(h.Question)
	switch {
	case err != nil:
		return err
	case q.answered:
		asked := permit.Request{ID: h.Question, Effect: permit.Effect{Tool: name}, Input: a.show(h.Waits.Input)}
		return errors.Join(h.reportLate(a.Events.Emit, asked, name), a.resolved(call, q.decision))
	case !q.open:
		return nil
	}
	c := Closing{permit.ByBelay, "the call cannot be made any more"}
	switch {
	case a.Context.Err() != nil:
		c = a.unanswered()
	case why != "":
		c.Note += ": " + tool.Clip(why, maxWhy)
	}
	return errors.Join(h.reportLate(a.Events.Emit, q.pending.Request, name), a.resolved(call, a.Questions.Withdraw(q.pending, c)))
}

// maxWhy bounds a reason in a note, in bytes.
const maxWhy = 500
