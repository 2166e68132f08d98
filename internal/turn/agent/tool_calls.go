package agent

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

// toolCalls makes the tool calls of one agent's answers.
type toolCalls struct {
	run *Run
	// made counts the calls by their ids.
	made map[string]int
	// refusals end the work of an agent that repeats a refused call.
	refusals refusals
	repeats  repeats
}

// parallelCalls bounds the harmless calls of one answer that run at once.
const parallelCalls = 8

// answer answers every call of the model, in the calls' order. Calls that only
// look run at once; any other runs alone, after those before it and before those
// after it. Whatever ends the turn in between, every call gets a result, so that
// the conversation can go on.
func (b *toolCalls) answer(a *conversation.Answer) ([]conversation.Result, error) {
	if len(a.Calls) == 0 {
		return nil, fault.New(fault.SDKFailure, "the model stopped for tools without calling one").
			WithStatus(502).With("category", "API_RESPONSE_ERROR")
	}
	if err := b.run.openEnvironment(); err != nil {
		return nil, err
	}
	calls, err := b.begin(a.Calls)
	if err != nil {
		return nil, err
	}
	err = b.take(calls)
	for _, c := range calls {
		c.endSpan()
	}
	out, recorded := b.results(calls, err)
	return out, errors.Join(err, recorded)
}

// begin emits the events for the calls that the model asks for.
func (b *toolCalls) begin(asked []model.ToolCall) ([]*toolCall, error) {
	drafts := b.run.Events.TakeOwed()
	if b.made == nil {
		b.made = map[string]int{}
	}
	calls := make([]*toolCall, len(asked))
	for i, c := range asked {
		name, _ := b.run.Tools.Canonical(c.Name)
		b.made[c.ID]++
		calls[i] = &toolCall{run: b.run, id: c.ID, nth: b.made[c.ID], name: name, input: conversation.ToolCall(session.Block{Input: c.Input}).Input}
		drafts = append(drafts, event.Draft{Type: event.ToolCall, Data: event.ToolUse{
			ToolCallID: c.ID, Name: name, Input: b.run.show(calls[i].input), ParentToolCallID: b.run.agent,
		}})
	}
	return calls, b.run.Events.Emit(drafts...)
}

// take handles the calls in their order. An error is the end of the turn.
func (b *toolCalls) take(calls []*toolCall) error {
	var reads []*toolCall // calls that wait to run at once
	b.refusals.answer++
	for _, s := range calls {
		if err := b.run.Context.Err(); err != nil {
			return err
		}
		if b.refusals.stuck != "" {
			s.settle(tool.Result{Text: resultNotRun, Failed: true})
			if err := s.publish(); err != nil {
				return err
			}
			continue
		}
		refusal := b.repeats.refusal(s)
		if refusal != nil {
			s.refuse(refusal.Reason, refusal.Result(), event.OutcomeRefused)
		} else if s.prepare(); s.onlyReads() {
			if reads = append(reads, s); len(reads) == parallelCalls {
				if err := b.runReads(&reads); err != nil {
					return err
				}
			}
			continue
		}
		if len(reads) > 0 {
			if err := b.runReads(&reads); err != nil {
				return err
			}
			if refusal == nil {
				// It may be about what those before it have shown: it is checked
				// as things stand now.
				*s = toolCall{run: s.run, id: s.id, nth: s.nth, name: s.name, input: s.input, suspended: s.suspended, span: s.span}
				s.prepare()
			}
		}
		if err := b.takeOne(s); err != nil {
			return err
		}
	}
	return b.runReads(&reads)
}

// onlyReads reports whether a call may run beside others, because neither a person
// nor a hook is asked about it.
func (c *toolCall) onlyReads() bool {
	return !c.settled && c.suspended == nil && c.effect.Kind == permit.Read &&
		c.run.policy.Judge(c.effect).Outcome == permit.Allow && !c.run.Hooks.Concern(c.effect)
}

// runReads runs the calls that only look.
func (b *toolCalls) runReads(reads *[]*toolCall) error {
	var all sync.WaitGroup
	for _, s := range *reads {
		all.Go(func() { s.execute() })
	}
	all.Wait()
	var errs []error
	for _, s := range *reads {
		errs = append(errs, s.publish())
	}
	*reads = nil
	return errors.Join(errs...)
}

// takeOne asks for one call where that is needed, runs it, and tells.
func (b *toolCalls) takeOne(s *toolCall) error {
	if !s.settled && !s.ranBefore() {
		if err := s.allow(); err != nil {
			return err
		}
	}
	if !s.settled {
		s.execute()
	}
	if s.result.Changes != nil {
		if err := s.decideChanges(); errors.Is(err, ErrSuspended) {
			return err
		} else if err != nil {
			return errors.Join(err, s.publish())
		}
	}
	return s.publish()
}

// prepare checks a call's input. A panic in a tool ends this turn alone.
func (c *toolCall) prepare() {
	defer c.recovered("prepare")
	c.begin()
	call, err := c.run.Tools.Prepare(c.traced(c.run.Context), c.run.environment, c.name, c.input)
	if err != nil {
		c.fail(err)
		c.rejected = c.err == nil
		return
	}
	c.call, c.effect = call, call.Effect()
	if c.effect.Outside {
		c.effect.Runs = c.run.risks.mayExecute(c.effect)
		c.effect = c.effect.Shown()
	}
}

func (c *toolCall) execute() {
	defer c.recovered("run")
	c.began = time.Now()
	result, err := c.call.Run(c.context())
	switch {
	case err == nil:
		c.settle(result)
		c.overreach = result.Overreach
	case c.run.Context.Err() != nil:
		c.err = c.run.Context.Err()
	default:
		c.fail(err)
	}
}
