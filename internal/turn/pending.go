package turn

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

// waits reports whether a call has run before its process died, and its changes wait.
func (t *agentRun) waits(s *toolCall) bool {
	if s.suspended == nil || s.call == nil {
		return false
	}
	call, ok := s.call.(tool.Resumable)
	return ok && call.Held(withCall(t.ctx, t, s))
}

// decideChanges decides the outcome of what a call changed, which is not real yet,
// and settles the call with its result. Whatever happens on the way, the changes are
// made, dropped, or kept for a person.
func (t *agentRun) decideChanges(s *toolCall) error {
	s.changes, s.result.Changes = s.result.Changes, nil
	if s.suspended != nil && s.suspended.question != t.questionID(s) {
		s.suspended = nil // what was asked before the call ran is answered
	}
	full := s.changes.Effect()
	s.effect = full.Shown()
	hooked, err := t.hooks(s)
	if err != nil { // it fails closed: the answer is a denial
		t.l.o.Logger.Error("a hook failed", "session", t.session, "tool", s.name, "error", err)
	}
	s.remark("a hook", hooked.Note)
	ruling := t.policy.JudgeWith(full, hooked)
	asks := ruling.Outcome == permit.Ask
	switch {
	case ruling.Outcome == permit.Refuse && t.policy.Mode == permit.Plan:
		return t.end(s, func(ctx context.Context) (tool.Result, error) { return s.changes.Discard(ctx, ruling.Reason) })
	case ruling.Outcome == permit.Refuse:
		s.outcome = event.OutcomeRefused
		err := t.end(s, func(ctx context.Context) (tool.Result, error) { return s.changes.Discard(ctx, ruling.Reason) })
		return errors.Join(err, t.auditRefusal(s, ruling.Reason))
	case asks && s.suspended == nil && t.l.o.Requests != nil && t.l.o.Requests.Granted(t.session, t.settings.persona.ID, full):
		asks = false
	case asks && t.l.o.Requests == nil:
		return t.unaskedChanges(s, ruling, "nobody can be asked")
	case asks && s.suspended == nil && t.settings.onQuestion == OnQuestionRefuse:
		return t.unaskedChanges(s, ruling, "the turn asks nobody (opts.onQuestion)")
	}
	if !asks && s.suspended == nil {
		return t.end(s, func(ctx context.Context) (tool.Result, error) { return s.changes.Apply(ctx, nil) })
	}
	return t.askChanges(s, ruling)
}

// unaskedChanges keeps the changes, because nobody is asked about them.
func (t *agentRun) unaskedChanges(s *toolCall, ruling permit.Ruling, why string) error {
	s.outcome = event.OutcomeRefused
	err := t.end(s, func(ctx context.Context) (tool.Result, error) {
		return s.changes.Keep(ctx, ruling.Reason+", and "+why)
	})
	return errors.Join(err, t.auditRefusal(s, ruling.Reason+", and "+why))
}

// askChanges asks a person. The changes are held first: they survive this process,
// and a question that nobody answers drops nothing.
func (t *agentRun) askChanges(s *toolCall, ruling permit.Ruling) error {
	if err := s.changes.Hold(t.ctx, "a person is asked about the changes"); err != nil {
		return errors.Join(err, t.end(s, func(ctx context.Context) (tool.Result, error) { return s.changes.Discard(ctx, "it could not be kept") }))
	}
	asked := t.ask(s, ruling)
	if errors.Is(asked, ErrLeft) && !s.closes {
		return asked
	}
	return errors.Join(asked, t.end(s, func(ctx context.Context) (tool.Result, error) {
		switch d := s.verdict; {
		case d == nil:
			return s.changes.Keep(ctx, "the turn ended before a person answered")
		case d.Allowed():
			return s.changes.Apply(ctx, d.Only)
		case d.Timeout:
			s.outcome = event.OutcomeExpired
			return s.changes.Keep(ctx, "a person was asked and did not answer in time")
		case d.By == permit.ByInterrupt || d.By == permit.ByBelay:
			s.outcome = event.OutcomeRefused
			return s.changes.Keep(ctx, d.Note)
		default:
			s.outcome = event.OutcomeRefused
			why := "a person was asked and did not allow it"
			if d.Note != "" {
				why += "; they said: " + d.Note
			}
			return s.changes.Discard(ctx, why)
		}
	}))
}

// end settles the call with the outcome of its changes. An interrupt does not cut it
// short.
func (t *agentRun) end(s *toolCall, do func(ctx context.Context) (tool.Result, error)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(withCall(t.ctx, t, s)), changesTime)
	defer cancel()
	result, err := do(ctx)
	s.changes = nil
	if err != nil {
		s.fail(err)
		return nil
	}
	s.settle(result)
	return nil
}
