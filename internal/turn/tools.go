package turn

import (
	"errors"
	"sync"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// parallelCalls bounds the harmless calls of one answer that run at once.
const parallelCalls = 8

// runTools answers every call of the model, in the calls' order. Calls that only
// look run at once; any other runs alone, after those before it and before those
// after it. Whatever ends the turn in between, every call gets a result, so that
// the conversation can go on.
func (t *agentRun) runTools(a *conversation.Answer) ([]conversation.Result, error) {
	if len(a.Calls) == 0 {
		return nil, fault.New(fault.SDKFailure, "the model stopped for tools without calling one").
			WithStatus(502).With("category", "API_RESPONSE_ERROR")
	}
	if err := t.openEnvironment(); err != nil {
		return nil, err
	}
	steps, err := t.notifyOfCalls(a.Calls)
	if err != nil {
		return nil, err
	}
	err = t.takeSteps(steps)
	out, recorded := t.results(steps, err)
	return out, errors.Join(err, recorded)
}

// notifyOfCalls emits the events for the calls that the model asks for.
func (t *agentRun) notifyOfCalls(calls []model.ToolCall) ([]*toolCall, error) {
	drafts := t.settle()
	if t.made == nil {
		t.made = map[string]int{}
	}
	steps := make([]*toolCall, len(calls))
	for i, c := range calls {
		name, _ := t.tools.Canonical(c.Name)
		t.made[c.ID]++
		steps[i] = &toolCall{id: c.ID, nth: t.made[c.ID], name: name, input: conversation.ToolCall(session.Block{Input: c.Input}).Input}
		drafts = append(drafts, event.Draft{Type: event.ToolCall, Data: event.ToolUse{
			ToolCallID: c.ID, Name: name, Input: t.l.show(steps[i].input), ParentToolCallID: t.agent,
		}})
	}
	return steps, t.emit(drafts...)
}

// takeSteps takes the calls as far as they go. An error is the end of the turn.
func (t *agentRun) takeSteps(steps []*toolCall) error {
	var looks []*toolCall // calls that wait to run at once
	t.refusals.answer++
	for _, s := range steps {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if t.refusals.stuck != "" {
			s.settle(tool.Result{Text: resultNotRun, Failed: true})
			if err := t.tell(s); err != nil {
				return err
			}
			continue
		}
		circles := t.repeated(s)
		if circles != nil {
			s.refuse(circles.Result(), event.OutcomeRefused)
		} else if t.prepareStep(s); t.onlyLooks(s) {
			if looks = append(looks, s); len(looks) == parallelCalls {
				if err := t.runLooks(&looks); err != nil {
					return err
				}
			}
			continue
		}
		if len(looks) > 0 {
			if err := t.runLooks(&looks); err != nil {
				return err
			}
			if circles == nil {
				// It may be about what those before it have shown: it is checked
				// as things stand now.
				*s = toolCall{id: s.id, nth: s.nth, name: s.name, input: s.input, suspended: s.suspended}
				t.prepareStep(s)
			}
		}
		if err := t.takeStep(s); err != nil {
			return err
		}
	}
	return t.runLooks(&looks)
}

// onlyLooks reports whether a call may run beside others, because neither a person
// nor a hook is asked about it.
func (t *agentRun) onlyLooks(s *toolCall) bool {
	return !s.settled && s.suspended == nil && s.effect.Kind == permit.Read &&
		t.policy.Judge(s.effect).Outcome == permit.Allow && !t.l.o.Hooks.Concern(s.effect)
}

// runLooks runs the calls that only look.
func (t *agentRun) runLooks(looks *[]*toolCall) error {
	var all sync.WaitGroup
	for _, s := range *looks {
		all.Go(func() { t.runStep(s) })
	}
	all.Wait()
	var errs []error
	for _, s := range *looks {
		errs = append(errs, t.tell(s))
	}
	*looks = nil
	return errors.Join(errs...)
}

// takeStep asks for one call where that is needed, runs it, and tells.
func (t *agentRun) takeStep(s *toolCall) error {
	if !s.settled && !t.waits(s) {
		if err := t.allow(s); err != nil {
			return err
		}
	}
	if !s.settled {
		t.runStep(s)
	}
	if s.result.Changes != nil {
		if err := t.decideChanges(s); errors.Is(err, ErrLeft) {
			return err
		} else if err != nil {
			return errors.Join(err, t.tell(s))
		}
	}
	return t.tell(s)
}

// prepareStep checks a call's input. A panic in a tool ends this turn alone.
func (t *agentRun) prepareStep(s *toolCall) {
	defer s.recovered("prepare")
	call, err := t.tools.Prepare(t.ctx, t.environment, s.name, s.input)
	if err != nil {
		s.fail(err)
		s.rejected = s.err == nil
		return
	}
	s.call, s.effect = call, call.Effect()
	if s.effect.Outside {
		s.effect.Runs = t.mayExecute(s.effect)
		s.effect = s.effect.Shown()
	}
}

func (t *agentRun) runStep(s *toolCall) {
	defer s.recovered("run")
	s.began = time.Now()
	result, err := s.call.Run(withCall(t.ctx, t, s))
	switch {
	case err == nil:
		s.settle(result)
		s.overreach = result.Overreach
	case t.ctx.Err() != nil:
		s.err = t.ctx.Err()
	default:
		s.fail(err)
	}
}
