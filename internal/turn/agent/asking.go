package agent

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/telemetry"
	"belay/internal/tool"
)

// Requests takes the questions that a person must answer; [permit.Requests] does.
type Requests interface {
	Post(ctx context.Context, r permit.Request) (*permit.Pending, error)
	Granted(sessionID, agent string, e permit.Effect) bool
	// Verdict knows the answers given while nobody waited; Reopen takes up a
	// question whose asker died.
	Verdict(id string) (permit.Decision, bool, error)
	Reopen(id string) (*permit.Pending, bool, error)
}

// allow decides whether a call may run; where it may not, the call is settled
// with the reason. An error ends the turn.
func (c *toolCall) allow() error {
	hooked, err := c.askHooks()
	if err != nil {
		return err
	}
	c.remark("a hook", hooked.Note)
	ruling := c.run.policy.JudgeWith(c.effect, hooked)
	c.effect = c.effect.Shown()                             // rules go by all of it, and a question has an end
	began := c.suspended != nil && c.suspended.Inner != nil // a subagent, which waits itself
	switch {
	case ruling.Outcome == permit.Refuse:
		c.refuse(ruling.Reason, tool.Refuse("not permitted: %s", ruling.Reason).Result(), event.OutcomeRefused)
		return c.refused(ruling.Reason)
	case ruling.Outcome == permit.Allow && c.suspended == nil && c.effect.LeavesSandbox():
		return unaskedOutside(c, ruling.Reason)
	case began, ruling.Outcome == permit.Allow && c.suspended == nil: // else the answer to what was asked counts
		return nil
	}
	switch {
	case c.run.Questions.Requests == nil:
		c.refuse(ruling.Reason+", and nobody can be asked", tool.Refuse("not permitted: nobody can be asked").Result(), event.OutcomeRefused)
		return c.refused("nobody can be asked")
	case c.suspended == nil && c.run.Questions.Requests.Granted(c.run.SessionID, c.run.Settings.Persona.ID, c.effect):
		if c.effect.LeavesSandbox() {
			return unaskedOutside(c, "allowed for the session")
		}
		return nil
	case c.suspended == nil && c.run.Settings.AsksNobody:
		c.refuse(ruling.Reason+", and nobody is asked", unasked(ruling.Reason), event.OutcomeRefused)
		return c.refused(ruling.Reason + ", and the turn asks nobody")
	}
	return c.ask(ruling)
}

// askHooks asks the hooks about what a call would do. A hook that fails denies. The error is the
// end of the turn, which cuts a hook off and is no fault of it.
func (c *toolCall) askHooks() (permit.HookAnswer, error) {
	answer, err := c.run.Hooks.Before(c.run.Context, permit.HookInput{
		SessionID: c.run.SessionID, TurnID: c.run.ID, ToolCallID: c.id, ProjectRoot: c.run.Lease.Record().ProjectRoot,
		Persona: c.run.Settings.Persona.ID, Agent: c.run.Settings.Persona.ID, Mode: c.run.policy.Mode, Effect: c.effect, Input: c.run.show(c.input),
	})
	if err != nil && c.run.Context.Err() != nil {
		return permit.HookAnswer{}, c.run.Context.Err()
	}
	if err != nil {
		hookFailed(c, c.effect, answer, err)
	}
	return answer, nil
}

// ask puts the question and waits for its answer. The wait ends with the turn,
// and the question with it.
func (c *toolCall) ask(ruling permit.Ruling) error {
	if c.suspended != nil {
		return c.askAgain(ruling)
	}
	defer c.run.StandStill()()
	pending, err := c.run.Questions.Requests.Post(c.run.Context, c.question(ruling))
	if errors.Is(err, permit.ErrTooLong) {
		return unaskable(c)
	} else if err != nil {
		return err
	}
	return c.await(pending)
}

// unaskable refuses a call that is too long for a question. What a call changed is kept.
func unaskable(c *toolCall) error {
	const why = "a question about it would be too long to be shown"
	if c.changes != nil {
		c.verdict = &permit.Decision{Verdict: permit.VerdictDeny, By: permit.ByBelay, Note: why}
		return nil
	}
	c.refuse(why, tool.Refuse("not permitted: %s", why).WithHint("do it in smaller parts").Result(), event.OutcomeRefused)
	return c.refused(why)
}

// question is the question about a call.
func (c *toolCall) question(ruling permit.Ruling) permit.Request {
	now := c.run.Clock().UTC()
	return permit.Request{
		ID: c.questionID(), SessionID: c.run.SessionID, TurnID: c.run.ID, ToolCallID: c.id,
		ProjectRoot: c.run.Lease.Record().ProjectRoot, Persona: c.run.Settings.Persona.ID, Agent: c.run.Settings.Persona.ID,
		Effect: c.effect, Input: c.run.show(c.input), Reason: ruling.Reason,
		Session: true, Created: now, Expires: c.run.until(now),
	}
}

// await notifies the readers of a question and waits for its answer. The turn stands
// still.
func (c *toolCall) await(pending *permit.Pending) error {
	if err := c.run.notifyAsked(pending, c.id, c.name); err != nil {
		return err
	}
	_, span := telemetry.Start(c.traced(c.run.Context), "permission", attribute.String("belay.decision.id", pending.Request.ID))
	decision, err := c.run.answered(pending)
	span.SetAttributes(attribute.String("belay.decision.verdict", string(decision.Verdict)))
	telemetry.End(span, err)
	if errors.Is(err, ErrSuspended) && !c.closes {
		return err
	}
	if err != nil {
		// The readers learn that the question is closed, whatever ended it.
		return errors.Join(err, c.run.resolved(c.id, c.run.Questions.Withdraw(pending, c.run.unanswered())))
	}
	return c.decided(decision)
}

// notifyAsked notifies the readers of a question about a call, under the name of what is
// asked about. A question of which they cannot learn is withdrawn.
func (a *Run) notifyAsked(pending *permit.Pending, call, name string) error {
	err := a.Events.Emit(askedDraft(pending.Request, call, name))
	if err != nil {
		a.Questions.Withdraw(pending, Closing{permit.ByBelay, "nobody could learn of the question"})
	}
	return err
}

// askedDraft is the event that reports a question.
func askedDraft(r permit.Request, call, name string) event.Draft {
	return event.Draft{Type: event.PermissionAsked, Data: event.Permission{
		DecisionID: r.ID, ToolCallID: call, Name: name, Input: r.Input, Reason: r.Reason,
		ExpiresAt: r.Expires.UTC(), Effect: r.Effect, Session: r.Session, Persona: r.Persona,
	}}
}

// decided lets the call run, or not. A note goes to the model either way.
func (c *toolCall) decided(d permit.Decision) error {
	if c.changes != nil {
		c.verdict = &d
	}
	if d.Allowed() {
		c.remark("the person who allowed this call", d.Note)
	} else if c.changes == nil {
		c.refuse(whyDenied(d), denied(d), outcomeOf(d))
	}
	if c.suspended != nil && c.suspended.Reported {
		return nil
	}
	return c.run.resolved(c.id, d)
}

// resolved reports to the readers how a question ended.
func (a *Run) resolved(call string, d permit.Decision) error {
	return a.Events.Emit(ResolvedDraft(call, d))
}

// ResolvedDraft is the event that reports how the question about a call ended.
func ResolvedDraft(call string, d permit.Decision) event.Draft {
	return event.Draft{Type: event.PermissionGiven, Data: event.Verdict{
		DecisionID: d.DecisionID, ToolCallID: call, Verdict: string(d.Verdict), By: d.By, Note: d.Note,
	}}
}

// whyDenied says in a sentence that a person did not allow something.
func whyDenied(d permit.Decision) string {
	switch {
	case d.Timeout:
		return "a person was asked and did not answer in time"
	case d.Note != "":
		return "a person did not allow it: " + d.Note
	}
	return "a person did not allow it"
}

// denied is what the model gets for a person's no.
func denied(d permit.Decision) tool.Result {
	if d.Timeout {
		return tool.Refuse("a person was asked and did not answer in time; the call was not made").Result()
	}
	r := tool.Refuse("a person was asked and did not allow this call")
	if d.Note != "" {
		r = r.WithHint("they said: %s", d.Note)
	}
	return r.Result()
}
