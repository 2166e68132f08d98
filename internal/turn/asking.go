package turn

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/tool"
)

// Requests takes the questions that a person must answer.
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
		c.run.logger.Error("a hook failed", "session", c.run.session, "tool", c.name, "error", err)
	}
	c.remark("a hook", hooked.Note)
	ruling := c.run.policy.JudgeWith(c.effect, hooked)
	began := c.suspended != nil && c.suspended.inner != nil // a subagent, which waits itself
	switch {
	case ruling.Outcome == permit.Refuse:
		c.refuse(tool.Refuse("not permitted: %s", ruling.Reason).Result(), event.OutcomeRefused)
		return c.auditRefusal(ruling.Reason)
	case ruling.Outcome == permit.Allow && c.suspended == nil && c.effect.Outside:
		return c.auditOutside(ruling)
	case began, ruling.Outcome == permit.Allow && c.suspended == nil: // else the answer to what was asked counts
		return nil
	}
	switch {
	case c.run.questions.requests == nil:
		c.refuse(tool.Refuse("not permitted: nobody can be asked").Result(), event.OutcomeRefused)
		return c.auditRefusal("nobody can be asked")
	case c.suspended == nil && c.run.questions.requests.Granted(c.run.session, c.run.settings.persona.ID, c.effect):
		return nil
	case c.suspended == nil && c.run.settings.asksNobody:
		c.refuse(unasked(ruling.Reason), event.OutcomeRefused)
		return c.auditRefusal(ruling.Reason + ", and the turn asks nobody (opts.onQuestion)")
	}
	return c.ask(ruling)
}

// askHooks asks the hooks about what a call would do.
func (c *toolCall) askHooks() (permit.HookAnswer, error) {
	return c.run.hooks.Before(c.run.ctx, permit.HookInput{
		SessionID: c.run.session, TurnID: c.run.id, ToolCallID: c.id, ProjectRoot: c.run.lease.Record().ProjectRoot,
		Persona: c.run.settings.persona.ID, Agent: c.run.settings.persona.ID, Mode: c.run.policy.Mode, Effect: c.effect, Input: c.run.show(c.input),
	})
}

// ask puts the question and waits for its answer. The wait ends with the turn,
// and the question with it.
func (c *toolCall) ask(ruling permit.Ruling) error {
	if c.suspended != nil {
		return c.askAgain(ruling)
	}
	defer c.run.standStill()()
	now := c.run.clock().UTC()
	pending, err := c.run.questions.requests.Post(c.run.ctx, permit.Request{
		ID: c.questionID(), SessionID: c.run.session, TurnID: c.run.id, ToolCallID: c.id,
		ProjectRoot: c.run.lease.Record().ProjectRoot, Persona: c.run.settings.persona.ID, Agent: c.run.settings.persona.ID,
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
	decision, err := c.run.answered(pending)
	if errors.Is(err, errSuspended) && !c.closes {
		return err
	}
	if err != nil {
		// The readers learn that the question is closed, whatever ended it.
		return errors.Join(err, c.run.resolved(c.id, c.run.questions.withdraw(pending, c.run.unanswered())))
	}
	return c.decided(decision)
}

// notifyAsked notifies the readers of a question about a call, under the name of what is
// asked about. A question of which they cannot learn is withdrawn.
func (t *agentRun) notifyAsked(pending *permit.Pending, call, name string) error {
	r := pending.Request
	err := t.events.emit(event.Draft{Type: event.PermissionAsked, Data: event.Permission{
		DecisionID: r.ID, ToolCallID: call, Name: name, Input: r.Input, Reason: r.Reason,
		ExpiresAt: r.Expires.UTC(), Effect: r.Effect, Session: r.Session, Persona: r.Persona,
	}})
	if err != nil {
		t.questions.withdraw(pending, closing{permit.ByBelay, "nobody could learn of the question"})
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
		outcome := event.OutcomeRefused
		if d.Timeout {
			outcome = event.OutcomeExpired
		}
		c.refuse(denied(d), outcome)
	}
	return c.run.resolved(c.id, d)
}

// resolved reports to the readers how a question ended.
func (t *agentRun) resolved(call string, d permit.Decision) error {
	return t.events.emit(resolvedDraft(call, d))
}

func resolvedDraft(call string, d permit.Decision) event.Draft {
	return event.Draft{Type: event.PermissionGiven, Data: event.Verdict{
		DecisionID: d.DecisionID, ToolCallID: call, Verdict: string(d.Verdict), By: d.By, Note: d.Note,
	}}
}

// questionID is the id of the question about a call or, once it has run, about its
// changes.
func (c *toolCall) questionID() string {
	if c.changes != nil {
		return changesQuestion(c.run.session, c.run.id, c.run.key, c.id, c.nth)
	}
	return decisionID(c.run.session, c.run.id, c.run.key, c.id, c.nth)
}

// changesQuestion is the id of the question about what a call changed.
func changesQuestion(session, turn, agent, call string, nth int) string {
	return decisionID(session, turn, agent+" changes", call, nth)
}

// changeID names the changes of a call while they are not real.
func (c *toolCall) changeID() string {
	return "chg_" + strings.TrimPrefix(changesQuestion(c.run.session, c.run.id, c.run.key, c.id, c.nth), "dec_")
}

// decisionID is the id of the question about the nth call of that id of one agent
// in a turn: the same after a restart.
func decisionID(session, turn, agent, call string, nth int) string {
	sum := fingerprint(session, turn, agent, call, strconv.Itoa(nth))
	return "dec_" + hex.EncodeToString(sum[:12])
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

// equip gives the turn's own agent its tools, with those that delegate to others, and
// says what it may do with them.
func (t *agentRun) equip(delegates []tool.Tool, allow, deny []string) (err error) {
	if t.tools, err = t.settings.tools.With(delegates...); err != nil {
		return err
	}
	var bad []string
	if t.policy, bad = t.policyOf(allow, deny); len(bad) > 0 {
		t.settings.warn("BAD_RULES", "these rules cannot be read and do not count: "+fault.List(bad))
	}
	return nil
}

// policyOf is what the turn's persona may do in its mode.
func (t *agentRun) policyOf(allow, deny []string) (permit.Policy, []string) {
	s := &t.settings
	p := permit.Policy{Mode: permit.ModeOf(s.mode), Allowed: s.allowed, Denied: s.denied, AskBefore: s.askBefore, Outside: s.outside}
	if t.destination != nil && t.services.publish != nil {
		p.Publish = t.services.publish(*t.destination)
	}
	if s.persona.Blocking == "never" {
		p.NeverAsk = fmt.Sprintf("persona %s works without asking (BLOCKING never)", s.persona.ID)
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
	p.Allowed = add(p.Allowed, "auto_approve_tools", s.persona.AutoApproveTools)
	p.Allowed = add(p.Allowed, "--allow", allow)
	p.Denied = add(p.Denied, "disallowed_tools", s.persona.DisallowedTools)
	p.Denied = add(p.Denied, "permissions.deny", deny)
	return p, bad
}
