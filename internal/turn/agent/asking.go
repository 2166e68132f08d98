package agent

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"belay/internal/event"
	"belay/internal/fault"
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
	if err != nil { // it fails closed: the answer is a denial
		c.run.Logger.Error("a hook failed", "tool", c.name, "error", err)
	}
	c.remark("a hook", hooked.Note)
	ruling := c.run.policy.JudgeWith(c.effect, hooked)
	began := c.suspended != nil && c.suspended.Inner != nil // a subagent, which waits itself
	switch {
	case ruling.Outcome == permit.Refuse:
		c.refuse(ruling.Reason, tool.Refuse("not permitted: %s", ruling.Reason).Result(), event.OutcomeRefused)
		return c.refused(ruling.Reason)
	case ruling.Outcome == permit.Allow && c.suspended == nil && c.effect.Outside:
		return c.audit(permit.Entry{
			Kind: auditOutside, Summary: c.act(), Verdict: string(permit.VerdictAllow), Reason: ruling.Reason, Note: c.effect.Why, Effect: c.effect.Fingerprint(),
		})
	case began, ruling.Outcome == permit.Allow && c.suspended == nil: // else the answer to what was asked counts
		return nil
	}
	switch {
	case c.run.Questions.Requests == nil:
		c.refuse(ruling.Reason+", and nobody can be asked", tool.Refuse("not permitted: nobody can be asked").Result(), event.OutcomeRefused)
		return c.refused("nobody can be asked")
	case c.suspended == nil && c.run.Questions.Requests.Granted(c.run.SessionID, c.run.Settings.Persona.ID, c.effect):
		return nil
	case c.suspended == nil && c.run.Settings.AsksNobody:
		c.refuse(ruling.Reason+", and nobody is asked", unasked(ruling.Reason), event.OutcomeRefused)
		return c.refused(ruling.Reason + ", and the turn asks nobody")
	}
	return c.ask(ruling)
}

// askHooks asks the hooks about what a call would do.
func (c *toolCall) askHooks() (permit.HookAnswer, error) {
	return c.run.Hooks.Before(c.run.Context, permit.HookInput{
		SessionID: c.run.SessionID, TurnID: c.run.ID, ToolCallID: c.id, ProjectRoot: c.run.Lease.Record().ProjectRoot,
		Persona: c.run.Settings.Persona.ID, Agent: c.run.Settings.Persona.ID, Mode: c.run.policy.Mode, Effect: c.effect, Input: c.run.show(c.input),
	})
}

// ask puts the question and waits for its answer. The wait ends with the turn,
// and the question with it.
func (c *toolCall) ask(ruling permit.Ruling) error {
	if c.suspended != nil {
		return c.askAgain(ruling)
	}
	defer c.run.StandStill()()
	now := c.run.Clock().UTC()
	pending, err := c.run.Questions.Requests.Post(c.run.Context, permit.Request{
		ID: c.questionID(), SessionID: c.run.SessionID, TurnID: c.run.ID, ToolCallID: c.id,
		ProjectRoot: c.run.Lease.Record().ProjectRoot, Persona: c.run.Settings.Persona.ID, Agent: c.run.Settings.Persona.ID,
		Effect: c.effect, Input: c.run.show(c.input), Reason: ruling.Reason,
		Session: true, Created: now, Expires: c.run.until(now),
	})
	if err != nil {
		return err
	}
	return c.await(pending)
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
	r := pending.Request
	err := a.Events.Emit(event.Draft{Type: event.PermissionAsked, Data: event.Permission{
		DecisionID: r.ID, ToolCallID: call, Name: name, Input: r.Input, Reason: r.Reason,
		ExpiresAt: r.Expires.UTC(), Effect: r.Effect, Session: r.Session, Persona: r.Persona,
	}})
	if err != nil {
		a.Questions.Withdraw(pending, Closing{permit.ByBelay, "nobody could learn of the question"})
	}
	return err
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

// questionID is the id of the question about a call or, once it has run, about its
// changes.
func (c *toolCall) questionID() string {
	switch {
	case c.changes != nil && c.changes.Second():
		return AutomaticQuestion(c.run.SessionID, c.run.ID, c.run.key, c.id, c.nth)
	case c.changes != nil:
		return ChangesQuestion(c.run.SessionID, c.run.ID, c.run.key, c.id, c.nth)
	}
	return DecisionID(c.run.SessionID, c.run.ID, c.run.key, c.id, c.nth)
}

// ChangesQuestion is the id of the question about what a call changed.
func ChangesQuestion(session, turn, agent, call string, nth int) string {
	return DecisionID(session, turn, agent+" changes", call, nth)
}

// AutomaticQuestion is the id of the question about what a call changed and other programs run
// by themselves, where it changed other files as well.
func AutomaticQuestion(session, turn, agent, call string, nth int) string {
	return DecisionID(session, turn, agent+" automatic changes", call, nth)
}

// changeID names the changes of a call while they are not real.
func (c *toolCall) changeID() string {
	return ChangeID(ChangesQuestion(c.run.SessionID, c.run.ID, c.run.key, c.id, c.nth))
}

// ChangeID names the changes that a [ChangesQuestion] is about.
func ChangeID(question string) string { return "chg_" + strings.TrimPrefix(question, "dec_") }

// DecisionID is the id of the question about the nth call of that id of one agent
// in a turn: the same after a restart.
func DecisionID(session, turn, agent, call string, nth int) string {
	sum := fingerprint(session, turn, agent, call, strconv.Itoa(nth))
	return "dec_" + hex.EncodeToString(sum[:12])
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

// Equip gives the turn's own agent its tools, with those that delegate to others, and
// says what it may do with them.
func (a *Run) Equip(delegates []tool.Tool, allow, deny []string) (err error) {
	if a.Tools, err = a.Settings.Tools.With(delegates...); err != nil {
		return err
	}
	var bad []string
	if a.policy, bad = a.policyOf(allow, deny); len(bad) > 0 {
		a.Settings.Warn("BAD_RULES", "these rules cannot be read and do not count: "+fault.List(bad))
	}
	return nil
}

// policyOf is what the turn's persona may do in its mode.
func (a *Run) policyOf(allow, deny []string) (permit.Policy, []string) {
	s := &a.Settings
	p := permit.Policy{Mode: permit.ModeOf(s.Mode), Allowed: s.Allowed, Denied: s.Denied, AskBefore: s.AskBefore, Outside: s.Outside, Added: a.Services.AddedRules}
	if a.Destination != nil && a.Services.Publish != nil {
		p.Publish = a.Services.Publish(*a.Destination)
	}
	if s.Persona.Blocking == "never" {
		p.NeverAsk = fmt.Sprintf("persona %s works without asking (BLOCKING never)", s.Persona.ID)
	}
	var bad []string
	add := func(to []permit.Rule, where string, texts []string) []permit.Rule {
		to = to[:len(to):len(to)] // the rules before are other turns', too
		for _, text := range texts {
			rule, err := permit.ParseRule(text)
			if err != nil {
				bad = append(bad, fmt.Sprintf("%s: %v", where, err))
				continue
			}
			to = append(to, rule)
		}
		return to
	}
	p.Allowed = add(p.Allowed, "auto_approve_tools", s.Persona.AutoApproveTools)
	p.Allowed = add(p.Allowed, "--allow", allow)
	p.Denied = add(p.Denied, "disallowed_tools", s.Persona.DisallowedTools)
	p.Denied = add(p.Denied, "permissions.deny", deny)
	return p, bad
}
