package agent

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/otel/trace"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/turn/ending"
)

// toolCall is one tool call of an answer, from its announcement to its result.
type toolCall struct {
	run *Run
	id  string
	// nth tells calls of one turn apart whose ids are the same, from 1: ids are
	// the provider's, and not every provider takes care.
	nth   int
	name  string // canonical
	input json.RawMessage

	// suspended is set for the call that the turn waited on when its process died.
	suspended *SuspendedCall

	call   tool.Call
	effect permit.Effect
	began  time.Time

	// settled is set when result is what the model gets; err ends the turn.
	settled bool
	result  tool.Result
	// outcome is the result of a call that was not permitted; rejected is
	// set where the tool itself refused the call before it ran.
	outcome  event.Outcome
	rejected bool
	// reason is why the call was not permitted or not made, for people; kept is set where
	// what it changed waits for a person.
	reason string
	kept   bool
	// remarks are what people and hooks have to say about a call that they let run.
	remarks []string
	// changes are what the call changed, until their outcome is decided;
	// verdict is a person's answer to that.
	changes tool.Changes
	verdict *permit.Decision
	// split is set where they are decided on in two parts.
	split bool
	// closes is set where the question about them is closed when the server stops,
	// because the turn has failed and no other process takes it up.
	closes bool
	// overreach is what of the call the agent may never do, for the audit log.
	overreach string
	err       error

	// span is that of the call, nil before it is prepared.
	span trace.Span
}

// remark adds for the model, with the call's result, what somebody said about it.
func (c *toolCall) remark(who, note string) {
	if note != "" {
		c.remarks = append(c.remarks, "["+who+" says: "+note+"]")
	}
}

func (c *toolCall) settle(r tool.Result) { c.result, c.settled = r, true }

// refuse settles a call that is not permitted. Reason says why, for people.
func (c *toolCall) refuse(reason string, r tool.Result, o event.Outcome) {
	c.settle(r)
	c.reason, c.outcome = reason, o
}

// fail takes what a tool said instead of doing its work: a refusal is the
// model's, everything else ends the turn.
func (c *toolCall) fail(err error) {
	if r, ok := tool.AsRefusal(err); ok {
		c.settle(r.Result())
		c.reason = r.Reason
		if r.Authority {
			c.overreach, c.outcome = r.Reason, event.OutcomeRefused
		}
		return
	}
	c.err, c.settled = err, true
}

func (c *toolCall) recovered(what string) {
	if v := recover(); v != nil {
		c.err, c.settled = ending.Panicked("the tool "+c.name+" crashed", v, debug.Stack()), true
	}
}

// callKey finds the call that a tool runs in, for tools that need the turn
// itself: delegation.
type callKey struct{}

// callOf is the call that a tool runs in, nil for none.
func callOf(ctx context.Context) *toolCall {
	c, _ := ctx.Value(callKey{}).(*toolCall)
	return c
}

// context is that of the call's tool.
func (c *toolCall) context() context.Context {
	ctx := tool.WithOrigin(c.traced(c.run.Context), tool.Origin{SessionID: c.run.SessionID, TurnID: c.run.ID, Agent: c.run.agent, CallID: c.id, ChangeID: c.changeID()})
	return context.WithValue(ctx, callKey{}, c)
}
