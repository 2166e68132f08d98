package turn

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/agent"
	"belay/internal/turn/ending"
)

// allow answers the session's open question, and returns it.
func (r *rig) allow(id string, v permit.Verdict) permit.Request {
	r.t.Helper()
	q := r.asked(id)
	_, err := r.engine.Decide(r.ctx(), DecisionRequest{SessionID: id, DecisionID: q.ID, Verdict: v})
	must(r.t, err)
	return q
}

// begin starts a turn with options.
func (r *rig) begin(id string, o Opts) Stream {
	r.t.Helper()
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go", Opts: o})
	must(r.t, err)
	return s
}

// asksOrHangs makes a turn call writes, unless its message says to hang.
func asksOrHangs(hung chan struct{}) play {
	hangs := blocks(hung)
	return func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if strings.Contains(heardIn(q.Messages()[0]), "hang") {
			hangs(ctx, q, yield)
			return
		}
		asks(call("c", "writes"))(ctx, q, yield)
	}
}

// A turn's time stands still while it waits for a person: of two turns with one
// limit, the one that began first outlives the other.
//
// Covers: turn-api REQ-04, REQ-12
func TestTheWallClockStopsWhileAQuestionWaits(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writesFreely(t), r.withRequests, func(o *Options) { o.Rules.Limits.Wall = 10 * time.Second })
	r.provider.does(asksOrHangs(make(chan struct{})))
	waits, hangs := r.session(), r.session()
	s := r.begin(waits, Opts{OnQuestion: OnQuestionWait})
	r.asked(waits)
	if e := exitOf(t, r.say(hangs, "hang")); e.ExitCode != ending.TimedOut {
		t.Fatalf("the turn that hangs ended with %+v", e)
	}
	r.allow(waits, permit.VerdictAllow)
	if e := exitOf(t, r.drain(s)); e.ExitCode != ending.Done {
		t.Errorf("the turn that waited ended with %+v", e)
	}
}

// A turn that waits for a person leaves its place to another, and goes on although
// that has it.
func TestAWaitingTurnHasNoPlace(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writesFreely(t), r.withRequests, func(o *Options) { o.Rules.Limits.InFlight = 1 })
	hung := make(chan struct{})
	r.provider.does(asksOrHangs(hung))
	waits, hangs, third := r.session(), r.session(), r.session()
	s := r.begin(waits, Opts{OnQuestion: OnQuestionWait})
	r.asked(waits)
	other, err := r.engine.Start(r.ctx(), Request{SessionID: hangs, Message: "hang"})
	must(t, err)
	wait(t, hung)
	if _, err := r.engine.Start(r.ctx(), Request{SessionID: third, Message: "go"}); !fault.Is(err, fault.Overloaded) {
		t.Errorf("a third turn: %v", err)
	}
	r.allow(waits, permit.VerdictAllow)
	if e := exitOf(t, r.drain(s)); e.ExitCode != ending.Done {
		t.Errorf("the turn that waited ended with %+v", e)
	}
	must(t, r.engine.Interrupt(r.ctx(), hangs, ""))
	exitOf(t, r.drain(other))
	eventually(t, "the place is free", func() bool { return r.engine.Counts().Running == 0 })
	exitOf(t, r.say(third, "go", func(q *Request) { q.Opts.OnQuestion = OnQuestionRefuse }))
}

// How long a question waits follows from what the turn says of it.
//
// Covers: turn-api REQ-04
func TestHowLongAQuestionWaits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		opts       Opts
		unattended time.Duration
		want       time.Duration // 0 for no limit
	}{
		"nobody said":       {Opts{}, time.Hour, time.Hour},
		"somebody waits":    {Opts{OnQuestion: OnQuestionWait}, time.Hour, 0},
		"no limit is set":   {Opts{}, 0, 0},
		"of a subagent too": {Opts{Persona: "ENGINEER", SubagentGovernance: json.RawMessage(sealed)}, time.Hour, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := emptyRig(t)
			r.open(writesFreely(t), r.withRequests, func(o *Options) {
				if o.Rules.Limits.Unattended = tt.unattended; tt.opts.Persona != "" {
					askingHelper(t)(o)
				}
			})
			r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
				c := call("c", "writes")
				if tt.opts.Persona != "" && !strings.Contains(q.System[0], "You are the agent CHECKER.") {
					c = model.ToolCall{ID: "c1", Name: "agent_CHECKER", Input: json.RawMessage(`{"task":"write"}`)}
				}
				asks(c)(ctx, q, yield)
			})
			id := r.session()
			s := r.begin(id, tt.opts)
			q := r.allow(id, permit.VerdictDeny)
			events := r.drain(s)
			asked := payload[event.Permission](t, events, event.PermissionAsked)
			var end time.Time
			if tt.want > 0 {
				end = r.clock().Add(tt.want)
			}
			if !q.Expires.Equal(end) || !asked.ExpiresAt.Equal(end) {
				t.Errorf("the question waits until %v, its event says %v, want %v", q.Expires, asked.ExpiresAt, end)
			}
			for _, e := range events {
				if e.Type == event.PermissionAsked && strings.Contains(string(e.Data), "expiresAt") != (tt.want > 0) {
					t.Errorf("the event is %s", e.Data)
				}
			}
		})
	}
}

// A turn that asks nobody refuses what it would ask about, says what helps, and
// makes what needs no question: a call that was allowed for the session, for one.
//
// Covers: turn-api REQ-04
func TestATurnThatAsksNobody(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writesFreely(t), r.withRequests)
	r.provider.does(asks(call("c", "writes")))
	id := r.session()
	refuses := func(q *Request) { q.Opts.OnQuestion = OnQuestionRefuse }
	events := r.say(id, "go", refuses)
	result := payload[event.ToolOutcome](t, events, event.ToolResult)
	if strings.Contains(names(events), string(event.PermissionAsked)) || result.OK || result.Outcome != event.OutcomeRefused {
		t.Errorf("%s: %+v", names(events), result)
	}
	for _, text := range []string{result.Output, r.provider.outputs(t)["c"]} {
		if !strings.Contains(text, "it changes project files") || !strings.Contains(text, "--wait") || !strings.Contains(text, "opts.onQuestion") {
			t.Errorf("the result is %q", text)
		}
	}
	if c := exitOf(t, events).Calls; c == nil || *c != (event.Calls{Refused: 1}) {
		t.Errorf("the end counts %+v", c)
	}
	if lines := r.audited("refusal"); len(lines) != 1 || !strings.Contains(lines[0].Reason, "the turn asks nobody") {
		t.Errorf("the audit log has %+v", lines)
	}

	s := r.begin(id, Opts{OnQuestion: OnQuestionWait})
	r.allow(id, permit.VerdictAllowSession)
	exitOf(t, r.drain(s))
	if e := exitOf(t, r.say(id, "again", refuses)); e.Calls != nil || r.provider.outputs(t)["c"] != "written" {
		t.Errorf("what was allowed for the session: %+v, %q", e, r.provider.outputs(t))
	}
}

// The end of a turn counts what was not permitted, whatever that was and however
// the turn ends, and what its subagents tried.
//
// Covers: turn-api REQ-03, REQ-04
func TestTheEndCountsWhatWasNotPermitted(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	overreaches := act{"bash", permit.Read, func(_ context.Context, w *tool.Environment, _ json.RawMessage) (tool.Result, error) {
		w.Ledger.Note(session.Change{Path: "_STATUS.md", Restored: true})
		return tool.Result{Text: "_STATUS.md was restored"}, nil
	}}
	fails := act{"fails", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		return tool.Result{}, tool.Refuse("there is no such file")
	}}
	writes := act{"writes", permit.Write, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: "written"}, nil
	}}
	r.open(withTools(t, overreaches, fails, writes), r.withRequests, func(o *Options) { o.Rules.Limits.Unattended = time.Hour })
	r.provider.does(asks(call("a", "bash"), call("b", "fails"), call("c", "nobody"), call("d", "writes"), call("e", "writes"), call("f", "writes")))
	id := r.session()
	s := r.begin(id, Opts{})
	first := r.allow(id, permit.VerdictDeny)
	var second permit.Request
	eventually(t, "the second question", func() bool { second = r.asked(id); return second.ID != first.ID })
	r.now.Add(int64(2 * time.Hour)) // nobody answers it
	eventually(t, "the third question", func() bool {
		open, err := r.engine.Decisions(r.ctx(), id)
		must(t, err)
		return len(open) > 0 && open[0].ID != second.ID
	})
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	events := r.drain(s)
	if c := exitOf(t, events).Calls; c == nil || *c != (event.Calls{Refused: 1, Expired: 1, LeftOut: 1}) {
		t.Errorf("the end counts %+v: %s", c, names(events))
	}
	outcomes := map[string]event.Outcome{}
	for _, e := range events {
		var d event.ToolOutcome
		if e.Type == event.ToolResult && decode(e, &d) == nil {
			outcomes[d.ToolCallID] = d.Outcome
		}
	}
	if outcomes["a"] != event.OutcomeLeftOut || outcomes["b"] != "" || outcomes["c"] != "" || outcomes["d"] != event.OutcomeRefused || outcomes["e"] != event.OutcomeExpired {
		t.Errorf("the results say %v", outcomes)
	}
}

// A turn that a dead process left waiting is taken up, also where all places are
// taken: it waits on, and has none.
func TestAWaitingTurnIsTakenUpWithoutAPlace(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writesFreely(t), r.withRequests, func(o *Options) { o.Rules.Limits.InFlight = 1 })
	waits, hangs := r.session(), r.session()
	lease, err := r.store.Acquire(r.ctx(), waits)
	must(t, err)
	must(t, lease.Begin("turn_x"))
	_, err = lease.Emit("turn_x", event.Draft{Type: event.SessionInit, Data: event.Init{TurnID: "turn_x"}})
	must(t, err)
	c := call("c", "writes")
	must(t, lease.Append(
		session.Entry{Kind: session.EntryTurn, Turn: "turn_x", Time: session.Time{Time: r.clock()}, Message: "go", Options: json.RawMessage(`{"onQuestion":"wait"}`)},
		session.Entry{Kind: session.EntryAssistant, Turn: "turn_x", Time: session.Time{Time: r.clock()}, Blocks: []session.Block{
			{Type: session.BlockToolCall, ID: c.ID, Name: c.Name, Input: c.Input},
		}},
	))
	_, err = r.options.Requests.Post(r.ctx(), permit.Request{
		ID: agent.DecisionID(waits, "turn_x", "", c.ID, 1), SessionID: waits, TurnID: "turn_x", ToolCallID: c.ID, Agent: "WORKING_ITEMS",
		Effect: acting{act: act{name: "writes", kind: permit.Write}, input: c.Input}.Effect(), Session: true,
	})
	must(t, err)
	must(t, lease.Release())

	other := r.started(hangs)
	r.provider.does(asks(c))
	must(t, r.engine.Recovery.Resume(r.ctx(), waits))
	r.allow(waits, permit.VerdictAllow)
	s, err := r.engine.Events(r.ctx(), waits, 0, "turn_x")
	must(t, err)
	if e := exitOf(t, r.drain(s)); e.ExitCode != ending.Done {
		t.Errorf("the turn that was taken up ended with %+v", e)
	}
	must(t, r.engine.Interrupt(r.ctx(), hangs, ""))
	exitOf(t, r.drain(other))
}
