package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/turn/ending"
)

// keeps is a model that makes these calls, one per answer, over and over.
func keeps(cs ...model.ToolCall) play {
	n := 0
	return func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		c := cs[n%len(cs)]
		c.ID = fmt.Sprint("c", n)
		n++
		_ = yield(model.Block{Content: c}, nil) && yield(model.Stop{Reason: model.StopToolUse}, nil)
	}
}

// A model that repeats a call after it was refused is stopped at the third refusal,
// whoever refuses it and whatever it does in between.
//
// Covers: turn-api REQ-04, REQ-07
func TestARepeatedRefusalEndsTheTurn(t *testing.T) {
	t.Parallel()
	writes, looks, none := call("w", "writes"), call("l", "looks"), call("n", "nobody")
	again := writes
	again.Input = json.RawMessage(`{"for":"something else"}`)
	spaced := again
	spaced.Input = json.RawMessage("{ \"for\" :\n\"something else\" }")
	for name, tt := range map[string]struct {
		play  play
		opts  Opts
		stop  string
		calls int
	}{
		"the mode":            {keeps(writes), Opts{Mode: "plan"}, "repeated_refusal", 3},
		"nobody to ask":       {keeps(writes), Opts{}, "repeated_refusal", 3},
		"something between":   {keeps(writes, looks), Opts{Mode: "plan"}, "repeated_refusal", 5},
		"two in turn":         {keeps(writes, again), Opts{Mode: "plan"}, "repeated_refusal", 5},
		"laid out otherwise":  {keeps(again, spaced), Opts{Mode: "plan"}, "repeated_refusal", 3},
		"a tool that is none": {keeps(none), Opts{}, "repeated_refusal", 3},
		"fixed in between":    {keeps(none, looks), Opts{}, "max_turns", 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, withTools(t,
				act{"looks", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
					return tool.Result{Text: "seen"}, nil
				}},
				act{"writes", permit.Write, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
					return tool.Result{Text: "written"}, nil
				}}), func(o *Options) { o.Rules.Limits.MaxTurns = 8 })
			r.provider.does(tt.play)
			id := r.session()
			events := r.say(id, "go", func(q *Request) { q.Opts = tt.opts })
			if exit := exitOf(t, events); exit.ExitCode != ending.Done {
				t.Fatalf("exit %+v", exit)
			}
			if c := payload[event.Complete](t, events, event.SessionComplete); c.StopReason != tt.stop || r.provider.calls() != tt.calls {
				t.Errorf("stop reason %q after %d model calls, want %q after %d", c.StopReason, r.provider.calls(), tt.stop, tt.calls)
			}
			if w := payload[event.Warning](t, events, event.TurnWarning); w.Code != strings.ToUpper(tt.stop) {
				t.Errorf("warning %+v", w)
			}
			r.provider.does(says("ok"))
			exitOf(t, r.say(id, "and now?")) // the record has no gap
		})
	}
}

// Refusals of one answer count once, because the model has not seen them; what is
// left of the answer that is one too many is neither made nor asked about.
func TestRefusalsOfOneAnswer(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	ran := 0
	r.open(withTools(t, act{"writes", permit.Write, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: "written"}, nil
	}}, act{"looks", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		ran++
		return tool.Result{Text: "seen"}, nil
	}}))
	n := 0
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		var cs []model.ToolCall
		for i, c := range []model.ToolCall{call("w", "writes"), call("w", "writes"), call("w", "writes"), call("w", "writes"), call("l", "looks")} {
			c.ID = fmt.Sprintf("c%d-%d", n, i)
			cs = append(cs, c)
		}
		n++
		asksOnly(cs...)(ctx, q, yield)
	})
	id := r.session()
	events := r.say(id, "go", func(q *Request) { q.Opts.Mode = "plan" })
	if c := payload[event.Complete](t, events, event.SessionComplete); c.StopReason != string(model.StopRepeats) || n != 3 || ran != 2 {
		t.Errorf("stop reason %q after %d answers, the last call ran %d times", c.StopReason, n, ran)
	}
	if results := strings.Count(names(events), string(event.ToolResult)); results != 15 {
		t.Errorf("%d results, want one for each of 15 calls", results)
	}
	r.provider.does(says("ok"))
	exitOf(t, r.say(id, "and now?"))
}

// A person who allows a call after all lets the model begin anew.
func TestAnAllowedCallForgetsItsRefusals(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writesFreely(t), r.withRequests)
	looks := call("n", "nobody") // keeps the calls of writes from coming in a row
	r.provider.does(keeps(call("w", "writes"), looks))
	id := r.session()
	s := r.begin(id, Opts{OnQuestion: OnQuestionWait, MaxTurns: ptr(30)})
	last := ""
	for _, v := range []permit.Verdict{
		permit.VerdictDeny, permit.VerdictDeny, permit.VerdictAllow, permit.VerdictDeny, permit.VerdictDeny, permit.VerdictDeny,
	} {
		eventually(t, "the next question", func() bool {
			open, err := r.engine.Decisions(r.ctx(), id)
			must(t, err)
			return len(open) > 0 && open[0].ID != last
		})
		last = r.allow(id, v).ID
	}
	events := r.drain(s)
	if c := payload[event.Complete](t, events, event.SessionComplete); c.StopReason != string(model.StopRepeats) {
		t.Errorf("stop reason %q", c.StopReason)
	}
	if c := exitOf(t, events).Calls; c == nil || c.Refused != 5 {
		t.Errorf("the end counts %+v", c)
	}
}

// A subagent is stopped like any agent; who sent it learns of it and goes on.
func TestARepeatedRefusalEndsASubagent(t *testing.T) {
	t.Parallel()
	r := delegationRig(t, func(o *Options) { o.Rules.Limits.MaxTurns = 20 })
	sub := keeps(call("w", "writes"))
	tried := 0
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if isTask(q) {
			tried++
			sub(ctx, q, yield)
			return
		}
		handsOver(ctx, q, yield)
	})
	events := r.say(r.session(), "go", delegating)
	if e := exitOf(t, events); e.ExitCode != ending.Done || e.Calls == nil || e.Calls.Refused != 3 || tried != 3 {
		t.Errorf("exit %+v with %+v after %d model calls", e, e.Calls, tried)
	}
	if c := payload[event.Complete](t, events, event.SessionComplete); c.StopReason != string(model.StopEndTurn) {
		t.Errorf("the turn stopped with %q", c.StopReason)
	}
	if got := r.provider.outputs(t)["c1"]; !strings.Contains(got, "refused 3 times") {
		t.Errorf("the manager got %q", got)
	}
}
