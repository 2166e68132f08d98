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

// PermissionRequests takes the questions that a person must answer; [permit.Requests] is one.
type PermissionRequests interface {
	Post(ctx context.Context, r permit.Request) (*permit.Pending, error)
	Granted(sessionID, agent string, e permit.Effect) bool
	List(ctx context.Context, sessionID string) ([]permit.Request, error)
	Decide(ctx context.Context, sessionID, id string, v permit.Verdict, by, note string, only ...string) (permit.Decision, error)
	// Verdict knows the answers given while nobody waited; Reopen takes up a
	// question whose asker died.
	Verdict(id string) (permit.Decision, bool, error)
	Reopen(id string) (*permit.Pending, bool, error)
}

// allow decides whether a call may run; where it may not, the call is settled
// with the reason. An error ends the turn.
func (t *agentRun) allow(s *toolCall) error {
	hooked, err := t.hooks(s)
	if err != nil { // it fails closed: the answer is a denial
		t.l.o.Logger.Error("a hook failed", "session", t.session, "tool", s.name, "error", err)
	}
	s.remark("a hook", hooked.Note)
	ruling := t.policy.JudgeWith(s.effect, hooked)
	began := s.suspended != nil && s.suspended.inner != nil // a subagent, which waits itself
	switch {
	case ruling.Outcome == permit.Refuse:
		s.refuse(tool.Refuse("not permitted: %s", ruling.Reason).Result(), event.OutcomeRefused)
		return t.auditRefusal(s, ruling.Reason)
	case ruling.Outcome == permit.Allow && s.suspended == nil && s.effect.Outside:
		return t.auditOutside(s, ruling)
	case began, ruling.Outcome == permit.Allow && s.suspended == nil: // else the answer to what was asked counts
		return nil
	}
	switch {
	case t.l.o.Requests == nil:
		s.refuse(tool.Refuse("not permitted: nobody can be asked").Result(), event.OutcomeRefused)
		return t.auditRefusal(s, "nobody can be asked")
	case s.suspended == nil && t.l.o.Requests.Granted(t.session, t.settings.persona.ID, s.effect):
		return nil
	case s.suspended == nil && t.settings.onQuestion == OnQuestionRefuse:
		s.refuse(unasked(ruling.Reason), event.OutcomeRefused)
		return t.auditRefusal(s, ruling.Reason+", and the turn asks nobody (opts.onQuestion)")
	}
	return t.ask(s, ruling)
}

// hooks asks the hooks about what a call would do.
func (t *agentRun) hooks(s *toolCall) (permit.HookAnswer, error) {
	return t.l.o.Hooks.Before(t.ctx, permit.HookInput{
		SessionID: t.session, TurnID: t.id, ToolCallID: s.id, ProjectRoot: t.lease.Record().ProjectRoot,
		Persona: t.settings.persona.ID, Agent: t.settings.persona.ID, Mode: t.policy.Mode, Effect: s.effect, Input: t.l.show(s.input),
	})
}

// ask puts the question and waits for its answer. The wait ends with the turn,
// and the question with it.
func (t *agentRun) ask(s *toolCall, ruling permit.Ruling) error {
	if s.suspended != nil {
		return t.askAgain(s, ruling)
	}
	defer t.standStill()()
	now := t.l.o.Clock().UTC()
	pending, err := t.l.o.Requests.Post(t.ctx, permit.Request{
		ID: t.questionID(s), SessionID: t.session, TurnID: t.id, ToolCallID: s.id,
		ProjectRoot: t.lease.Record().ProjectRoot, Persona: t.settings.persona.ID, Agent: t.settings.persona.ID,
		Effect: s.effect, Input: t.l.show(s.input), Reason: ruling.Reason,
		Session: true, Created: now, Expires: t.until(now),
	})
	if err != nil {
		return err
	}
	return t.await(s, pending)
}

// await notifies the readers of a question and waits for its answer. The turn stands
// still.
func (t *agentRun) await(s *toolCall, pending *permit.Pending) error {
	if err := t.notifyAsked(pending, s.id, s.name); err != nil {
		return err
	}
	decision, err := t.answered(pending)
	if errors.Is(err, ErrLeft) && !s.closes {
		return err
	}
	if err != nil {
		// The readers learn that the question is closed, whatever ended it.
		return errors.Join(err, t.resolved(s.id, t.l.withdraw(pending, t.unanswered())))
	}
	return t.decided(s, decision)
}

// notifyAsked notifies the readers of a question about a call, under the name of what is
// asked about. A question of which they cannot learn is withdrawn.
func (t *agentRun) notifyAsked(pending *permit.Pending, call, name string) error {
	r := pending.Request
	err := t.emit(event.Draft{Type: event.PermissionAsked, Data: event.Permission{
		DecisionID: r.ID, ToolCallID: call, Name: name, Input: r.Input, Reason: r.Reason,
		ExpiresAt: r.Expires.UTC(), Effect: r.Effect, Session: r.Session, Persona: r.Persona,
	}})
	if err != nil {
		t.l.withdraw(pending, closing{permit.ByBelay, "nobody could learn of the question"})
	}
	return err
}

// decided lets the call run, or not. A note goes to the model either way.
func (t *agentRun) decided(s *toolCall, d permit.Decision) error {
	if s.changes != nil {
		s.verdict = &d
	}
	if d.Allowed() {
		s.remark("the person who allowed this call", d.Note)
	} else if s.changes == nil {
		outcome := event.OutcomeRefused
		if d.Timeout {
			outcome = event.OutcomeExpired
		}
		s.refuse(denied(d), outcome)
	}
	return t.resolved(s.id, d)
}

// resolved reports to the readers how a question ended.
func (t *agentRun) resolved(call string, d permit.Decision) error {
	return t.emit(resolvedDraft(call, d))
}

func resolvedDraft(call string, d permit.Decision) event.Draft {
	return event.Draft{Type: event.PermissionGiven, Data: event.Verdict{
		DecisionID: d.DecisionID, ToolCallID: call, Verdict: string(d.Verdict), By: d.By, Note: d.Note,
	}}
}

// questionID is the id of the question about a call or, once it has run, about its
// changes.
func (t *agentRun) questionID(s *toolCall) string {
	if s.changes != nil {
		return changesQuestion(t.session, t.id, t.key, s.id, s.nth)
	}
	return decisionID(t.session, t.id, t.key, s.id, s.nth)
}

// changesQuestion is the id of the question about what a call changed.
func changesQuestion(session, turn, agent, call string, nth int) string {
	return decisionID(session, turn, agent+" changes", call, nth)
}

// changeID names the changes of a call while they are not real.
func (t *agentRun) changeID(s *toolCall) string {
	return "chg_" + strings.TrimPrefix(changesQuestion(t.session, t.id, t.key, s.id, s.nth), "dec_")
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

// policyOf is what the turn's persona may do in its mode.
func (t *agentRun) policyOf(r Request) (permit.Policy, []string) {
	s := &t.settings
	p := permit.Policy{Mode: permit.ModeOf(s.mode), Allowed: s.rules.Allowed, Denied: s.rules.Denied, AskBefore: s.rules.AskBefore, Outside: s.rules.Outside}
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
	p.Allowed = add(p.Allowed, "--allow", r.Allow)
	p.Denied = add(p.Denied, "disallowed_tools", s.persona.DisallowedTools)
	p.Denied = add(p.Denied, "permissions.deny", r.Deny)
	return p, bad
}

// Decisions implements [Control].
func (l *Local) Decisions(ctx context.Context, sessionID string) ([]permit.Request, error) {
	if sessionID != "" {
		if _, err := l.o.Store.Get(ctx, sessionID); err != nil {
			return nil, err
		}
	}
	if l.o.Requests == nil {
		return nil, nil
	}
	return l.o.Requests.List(ctx, sessionID)
}

// Decide implements [Control].
func (l *Local) Decide(ctx context.Context, r DecisionRequest) (permit.Decision, error) {
	if r.SessionID != "" {
		if _, err := l.o.Store.Get(ctx, r.SessionID); err != nil {
			return permit.Decision{}, err
		}
	}
	if l.o.Requests == nil {
		return permit.Decision{}, fault.New(fault.NotFound, "there is no decision %q", r.DecisionID)
	}
	return l.o.Requests.Decide(ctx, r.SessionID, r.DecisionID, r.Verdict, r.By, r.Note, r.Only...)
}
