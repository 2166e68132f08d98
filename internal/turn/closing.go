package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// closing is who closes a question that no person answers, and why.
type closing struct{ by, note string }

// processDied closes the questions of a turn whose process did.
var processDied = closing{permit.ByBelay, "the process that ran the turn ended before an answer came"}

// unanswered says what ended a turn that waits for an answer.
func (t *agentRun) unanswered() closing {
	switch cause := context.Cause(t.ctx); {
	case errors.Is(cause, errInterrupted):
		return closing{permit.ByInterrupt, "the turn was interrupted"}
	case errors.Is(cause, errWall):
		return closing{permit.ByBelay, "the turn's time was up"}
	}
	if t.closing.Err() != nil {
		return closing{permit.ByBelay, "the server stopped"}
	}
	return closing{permit.ByBelay, "the turn ended"}
}

// withdraw closes a question and returns how that is on record.
func (o *Options) withdraw(p *permit.Pending, c closing) permit.Decision {
	d, err := p.Withdraw(c.by, c.note)
	if err != nil {
		o.Logger.Error("withdraw a question", "session", p.Request.SessionID, "decision", p.Request.ID, "error", err)
	}
	return d
}

// askAgain takes up the question of a process that died, or the answer that was
// given meanwhile. It holds for what was asked about and nothing else: where the
// call would do something else by now, it is not made.
func (c *toolCall) askAgain(ruling permit.Ruling) error {
	c.suspended.closed = true
	const changed = "what it would do has changed since a person was asked"
	refuse := func() error {
		c.refuse(tool.Refuse("the call was not made: %s", changed).WithHint("look again, then repeat the call").Result(), event.OutcomeRefused)
		return c.auditRefusal(changed)
	}
	q, err := c.run.o.lookUp(c.suspended.question)
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
		return errors.Join(c.run.resolved(c.id, c.run.o.withdraw(q.pending, closing{permit.ByBelay, changed})), refuse())
	}
	defer c.run.standStill()()
	return c.await(q.pending)
}

// question is the outcome of one whose process died: it is open, answered, or
// nobody knows it.
type question struct {
	pending  *permit.Pending
	open     bool
	decision permit.Decision
	answered bool
}

// lookUp finds a question, also one that is answered at this moment: the answer is
// there before the question goes.
func (o *Options) lookUp(id string) (q question, err error) {
	if q.decision, q.answered, err = o.Requests.Verdict(id); err != nil || q.answered {
		return q, err
	}
	if q.pending, q.open, err = o.Requests.Reopen(id); err != nil || q.open {
		return q, err
	}
	q.decision, q.answered, err = o.Requests.Verdict(id)
	return q, err
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
	q, err := t.o.lookUp(h.question)
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
	return t.resolved(call, t.o.withdraw(q.pending, c))
}

// maxWhy bounds a reason in a note, in bytes.
const maxWhy = 500

// withdrawQuestions closes the questions of a turn whose process died, of all turns
// of the session for "".
func (l *Local) withdrawQuestions(ctx context.Context, lease *session.Lease, turnID string) error {
	if l.o.Requests == nil {
		return nil
	}
	open, err := l.o.Requests.List(ctx, lease.Record().SessionID)
	if err != nil {
		return err
	}
	for _, q := range open {
		if turnID != "" && q.TurnID != turnID {
			continue
		}
		pending, still, err := l.o.Requests.Reopen(q.ID)
		if err != nil {
			return err
		}
		if still {
			l.o.withdraw(pending, processDied)
		}
	}
	return nil
}

// danglingQuestions are the open questions of a turn whose process died: settling the
// record of the session closes them.
func (l *Local) danglingQuestions(ctx context.Context, lease *session.Lease) ([]permit.Request, error) {
	id, dangling := lease.DanglingTurn()
	if !dangling || l.o.Requests == nil {
		return nil, nil
	}
	open, err := l.o.Requests.List(ctx, lease.Record().SessionID)
	return slices.DeleteFunc(open, func(q permit.Request) bool { return q.TurnID != id }), err
}

// closedByNewTurn says that a new turn closed a question that nobody had answered.
func closedByNewTurn(q permit.Request) string {
	said := fmt.Sprintf("the question %s of turn %s is closed without an answer, because the process of that turn has ended: %s", q.ID, q.TurnID, q.Effect.Act())
	if q.Effect.Done != nil {
		return said + " (what it changed is kept: belay changes list)"
	}
	return said + " (it was not done)"
}

// closedSince reports how the questions ended that a turn's readers know as open,
// and the subagent with them.
func (l *Local) closedSince(logged *trace) (drafts []event.Draft) {
	for _, q := range logged.asked {
		if l.o.Requests == nil || logged.resolved[q.DecisionID] {
			continue
		}
		logged.resolved[q.DecisionID] = true // it may have been asked twice
		d, answered, err := l.o.Requests.Verdict(q.DecisionID)
		if err != nil || !answered {
			d = permit.Decision{DecisionID: q.DecisionID, Verdict: permit.VerdictDeny, By: processDied.by, Note: processDied.note}
		}
		drafts = append(drafts, resolvedDraft(q.ToolCallID, d))
	}
	if a := logged.helper; a != nil {
		no := false
		a.OK = &no
		drafts = append(drafts, event.Draft{Type: event.SubagentEnd, Data: *a})
	}
	return drafts
}
