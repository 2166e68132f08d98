package turn

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"time"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/tool"
)

// toolCall is one tool call of an answer, from its announcement to its result.
type toolCall struct {
	id string
	// nth tells calls of one turn apart whose ids are the same, from 1: ids are
	// the provider's, and not every provider takes care.
	nth   int
	name  string // canonical
	input json.RawMessage

	// suspended is set for the call that the turn waited on when its process died.
	suspended *suspendedCall

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
	// remarks are what people and hooks have to say about a call that they let run.
	remarks []string
	// changes are what the call changed, until their outcome is decided;
	// verdict is a person's answer to that.
	changes tool.Changes
	verdict *permit.Decision
	// closes is set where the question about them is closed when the server stops,
	// because the turn has failed and no other process takes it up.
	closes bool
	// overreach is what of the call the agent may never do, for the audit log.
	overreach string
	err       error
}

// remark adds for the model, with the call's result, what somebody said about it.
func (s *toolCall) remark(who, note string) {
	if note != "" {
		s.remarks = append(s.remarks, "["+who+" says: "+note+"]")
	}
}

func (s *toolCall) settle(r tool.Result) { s.result, s.settled = r, true }

// refuse settles a call that is not permitted.
func (s *toolCall) refuse(r tool.Result, o event.Outcome) {
	s.settle(r)
	s.outcome = o
}

// fail takes what a tool said instead of doing its work: a refusal is the
// model's, everything else ends the turn.
func (s *toolCall) fail(err error) {
	if r, ok := tool.AsRefusal(err); ok {
		s.settle(r.Result())
		if r.Authority {
			s.overreach, s.outcome = r.Reason, event.OutcomeRefused
		}
		return
	}
	s.err, s.settled = err, true
}

func (s *toolCall) recovered(what string) {
	if v := recover(); v != nil {
		s.err, s.settled = panicked("the tool "+s.name+" crashed", v, debug.Stack()), true
	}
}

// callKey finds the call that a tool runs in, for tools that need the turn
// itself: delegation.
type callKey struct{}

type callContext struct {
	turn *agentRun
	step *toolCall
}

func withCall(ctx context.Context, t *agentRun, s *toolCall) context.Context {
	ctx = tool.WithOrigin(ctx, tool.Origin{SessionID: t.session, TurnID: t.id, Agent: t.agent, CallID: s.id, ChangeID: t.changeID(s)})
	return context.WithValue(ctx, callKey{}, callContext{t, s})
}
