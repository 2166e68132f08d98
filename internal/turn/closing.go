package turn

import (
	"context"
	"errors"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// The causes for which a turn's context ends by the will of the engine.
var (
	errInterrupted = errors.New("interrupted")
	errTimeLimit   = errors.New("the turn's time is up")
)

// unanswered says what ended a turn that waits for an answer.
func (t *agentRun) unanswered() closing {
	switch cause := context.Cause(t.ctx); {
	case errors.Is(cause, errInterrupted):
		return closing{permit.ByInterrupt, "the turn was interrupted"}
	case errors.Is(cause, errTimeLimit):
		return closing{permit.ByBelay, "the turn's time was up"}
	}
	if t.closing.Err() != nil {
		return closing{permit.ByBelay, "the server stopped"}
	}
	return closing{permit.ByBelay, "the turn ended"}
}

// askAgain takes up the question of a process that died, or the answer that was
// given meanwhile. It holds for what was asked about and nothing else: where the
// call would do something else by now, it is not made.
func (c *toolCall) askAgain(ruling permit.Ruling) error {
	c.suspended.closed = true
	const changed = "what it would do has changed since a person was asked"
	refuse := func() error {
		c.refuse(tool.Refuse("the call was not made: %s", changed).WithHint("look again, then repeat the call").Result(), event.OutcomeRefused)
		return c.refused(changed)
	}
	q, err := c.run.questions.lookUp(c.suspended.question)
	switch {
	case err != nil:
		return err
	case q.answered && q.decision.Allowed() && q.decision.About != c.effect.Fingerprint():
		return errors.Join(c.run.resolved(c.id, q.decision), refuse())
	case q.answered:
		return c.decided(q.decision)
	case !q.open:
		c.suspended = nil
		return c.ask(ruling)
	case q.pending.Request.Effect.Fingerprint() != c.effect.Fingerprint():
		return errors.Join(c.run.resolved(c.id, c.run.questions.withdraw(q.pending, closing{permit.ByBelay, changed})), refuse())
	}
	defer c.run.standStill()()
	return c.await(q.pending)
}

// dropQuestion closes the question of a process that died where its call did not
// come to be asked about again: the agent, the tool, the file or the right to it
// is gone. Why says so, "" where nobody knows.
func (t *agentRun) dropQuestion(h *suspendedCall, why string) error {
	if h = h.innermost(); h.closed {
		return nil
	}
	h.closed = true
	call := h.waits.ID
	q, err := t.questions.lookUp(h.question)
	if err != nil || q.answered {
		return errors.Join(err, t.resolved(call, q.decision))
	}
	if !q.open {
		return nil
	}
	c := closing{permit.ByBelay, "the call cannot be made any more"}
	switch {
	case t.ctx.Err() != nil:
		c = t.unanswered()
	case why != "":
		c.note += ": " + conversation.CutText(why, maxWhy)
	}
	return t.resolved(call, t.questions.withdraw(q.pending, c))
}

// maxWhy bounds a reason in a note, in bytes.
const maxWhy = 500
