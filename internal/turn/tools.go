package turn

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
)

// parallelCalls bounds the harmless calls of one answer that run at once.
const parallelCalls = 8

// step is one tool call of an answer on its way.
type step struct {
	id string
	// nth tells calls of one turn apart whose ids are the same, from 1: ids are
	// the provider's, and not every provider takes care.
	nth   int
	name  string // canonical
	input json.RawMessage

	// halt is set for the call that the turn waited on when its process died.
	halt *halt

	call   tool.Call
	effect permit.Effect
	began  time.Time

	// settled is set when result is what the model gets; err ends the turn.
	settled bool
	result  tool.Result
	// outcome says of a call that was not permitted what became of it; rejected is
	// set where the tool itself refused the call before it ran.
	outcome  event.Outcome
	rejected bool
	// remarks are what people and hooks have to say about a call that they let run.
	remarks []string
	// changes are what the call changed, until it is decided what becomes of them;
	// verdict is a person's answer to that.
	changes tool.Changes
	verdict *permit.Decision
	// job is set where they are a background job's: its call has a result, so that no
	// other process takes the question up.
	job bool
	// overreach is what of the call the agent may never do, for the audit log.
	overreach string
	err       error
}

// remark tells the model, with the call's result, what somebody said about it.
func (s *step) remark(who, note string) {
	if note != "" {
		s.remarks = append(s.remarks, "["+who+" says: "+note+"]")
	}
}

func (s *step) settle(r tool.Result) { s.result, s.settled = r, true }

// refuse settles a call that is not permitted.
func (s *step) refuse(r tool.Result, o event.Outcome) {
	s.settle(r)
	s.outcome = o
}

// fail takes what a tool said instead of doing its work: a refusal is the
// model's, everything else ends the turn.
func (s *step) fail(err error) {
	if r, ok := tool.AsRefusal(err); ok {
		s.settle(r.Result())
		if r.Authority {
			s.overreach, s.outcome = r.Reason, event.OutcomeRefused
		}
		return
	}
	s.err, s.settled = err, true
}

// runTools answers every call of the model, in the calls' order. Calls that only
// look run at once; any other runs alone, after those before it and before those
// behind it. Whatever ends the turn in between, every call gets a result, so that
// the conversation can go on.
func (t *running) runTools(a *answer) ([]result, error) {
	if len(a.calls) == 0 {
		return nil, fault.New(fault.SDKFailure, "the model stopped for tools without calling one").
			WithStatus(502).With("category", "API_RESPONSE_ERROR")
	}
	if err := t.openPlace(); err != nil {
		return nil, err
	}
	steps, err := t.announce(a.calls)
	if err != nil {
		return nil, err
	}
	err = t.takeSteps(steps)
	out, recorded := t.results(steps, err)
	return out, errors.Join(err, recorded)
}

// announce tells the readers what the model asks for.
func (t *running) announce(calls []model.ToolCall) ([]*step, error) {
	drafts := t.settle()
	if t.made == nil {
		t.made = map[string]int{}
	}
	steps := make([]*step, len(calls))
	for i, c := range calls {
		name, _ := t.tools.Canonical(c.Name)
		t.made[c.ID]++
		steps[i] = &step{id: c.ID, nth: t.made[c.ID], name: name, input: toolCall(session.Block{Input: c.Input}).Input}
		drafts = append(drafts, event.Draft{Type: event.ToolCall, Data: event.ToolUse{
			ToolCallID: c.ID, Name: name, Input: t.l.show(steps[i].input), ParentToolCallID: t.agent,
		}})
	}
	return steps, t.emit(drafts...)
}

// takeSteps takes the calls as far as they go. An error is the end of the turn.
func (t *running) takeSteps(steps []*step) error {
	var looks []*step // calls that wait to run at once
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
				*s = step{id: s.id, nth: s.nth, name: s.name, input: s.input, halt: s.halt}
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
func (t *running) onlyLooks(s *step) bool {
	return !s.settled && s.halt == nil && s.effect.Kind == permit.Read &&
		t.policy.Judge(s.effect).Outcome == permit.Allow && !t.l.o.Hooks.Concern(s.effect)
}

// runLooks runs the calls that only look.
func (t *running) runLooks(looks *[]*step) error {
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
func (t *running) takeStep(s *step) error {
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
func (t *running) prepareStep(s *step) {
	defer s.recovered("prepare")
	call, err := t.tools.Prepare(t.ctx, t.place, s.name, s.input)
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

func (t *running) runStep(s *step) {
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

func (s *step) recovered(what string) {
	if v := recover(); v != nil {
		s.err, s.settled = panicked("the tool "+s.name+" crashed", v, debug.Stack()), true
	}
}

// callKey finds the call that a tool runs in, for tools that need the turn
// itself: delegation.
type callKey struct{}

type callContext struct {
	turn *running
	step *step
}

func withCall(ctx context.Context, t *running, s *step) context.Context {
	ctx = tool.WithOrigin(ctx, tool.Origin{SessionID: t.session, TurnID: t.id, Agent: t.agent, CallID: s.id, ChangeID: t.changeID(s)})
	return context.WithValue(ctx, callKey{}, callContext{t, s})
}
