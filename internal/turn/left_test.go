package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/ending"
)

// left begins a turn that asks a person, and ends its server. What opens next is another
// process.
func (r *rig) left() (id string, q permit.Request) {
	r.t.Helper()
	r.open(writesFreely(r.t), r.withRequests)
	r.provider.does(asks(call("c", "writes")))
	id = r.session()
	r.engine.Recovery.Stay()
	_ = r.begin(id, Opts{OnQuestion: OnQuestionWait})
	q = r.asked(id)
	must(r.t, r.engine.Close(r.ctx()))
	r.open(writesFreely(r.t), r.withRequests)
	return id, q
}

// abandoned reports whether the next server finds the turn of a session.
func (r *rig) abandoned(id string) bool {
	r.t.Helper()
	ids, err := r.store.Signals.Abandoned(r.ctx())
	must(r.t, err)
	return slices.Contains(ids, id)
}

// Whoever looks at a session whose turn waits for a person leaves it to the next server.
func TestALookKeepsAWaitingTurn(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	id, q := r.left()
	_, err := r.engine.Decide(r.ctx(), DecisionRequest{SessionID: id, DecisionID: q.ID, Verdict: permit.VerdictAllow})
	must(t, err)
	for range 2 {
		_, err := r.store.Upkeep.Verify(r.ctx(), id)
		must(t, err)
		lease, err := r.store.Acquire(r.ctx(), id)
		must(t, err)
		must(t, lease.Release())
		if !r.abandoned(id) {
			t.Fatal("the next server does not find the turn")
		}
	}
	r.engine.Recovery.Stay()
	must(t, r.engine.Recovery.Resume(r.ctx(), id))
	eventually(t, "the turn's end", func() bool {
		entries, err := r.engine.Transcript(r.ctx(), id)
		must(t, err)
		last := session.LastStep(entries)
		return last.Kind == session.EntryEnd && last.StopReason == string(model.StopEndTurn)
	})
	if r.abandoned(id) {
		t.Error("a turn that has ended is found again")
	}
}

// late is a source whose tools are there once somebody waited for them.
type late struct {
	set     *tool.Set
	awaited string
	never   chan struct{} // where it is closed, and nothing more comes
}

func (l *late) With(_ context.Context, base *tool.Set, _ []string) (*tool.Set, []string) {
	if l.awaited == "" {
		return base, []string{"the tools of the MCP server x are missing"}
	}
	return l.set, nil
}

func (l *late) Await(ctx context.Context, name string) {
	if l.awaited = name; l.never != nil {
		close(l.never)
		<-ctx.Done()
	}
}

func (l *late) Names() []string { return l.set.Names() }

// A question about a call of a program outside waits for that program, which starts with the
// server. It is not closed for want of the tool.
func TestAQuestionWaitsForItsTool(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	id, q := r.left()
	must(t, r.engine.Close(r.ctx()))
	var outside *late
	r.open(writesFreely(t), r.withRequests, func(o *Options) {
		outside = &late{set: o.Tools}
		o.Tools, o.MoreTools = tool.NoTools(), outside
	})
	r.engine.Recovery.Stay()
	must(t, r.engine.Recovery.Resume(r.ctx(), id))
	if again := r.allow(id, permit.VerdictAllow); again.ID != q.ID || outside.awaited != "writes" {
		t.Errorf("the question is %s, before it was %s, and %q was awaited", again.ID, q.ID, outside.awaited)
	}
	eventually(t, "the turn's end", func() bool {
		entries, err := r.engine.Transcript(r.ctx(), id)
		must(t, err)
		return session.LastStep(entries).Kind == session.EntryEnd
	})
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	if !slices.ContainsFunc(entries, func(e session.Entry) bool { return strings.Contains(fmt.Sprint(e.Blocks), "written") }) {
		t.Errorf("the call was not made: %+v", entries)
	}
}

// Where that program does not start, the question is closed, and the turn says why.
func TestAQuestionWhoseToolIsMissing(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	id, q := r.left()
	must(t, r.engine.Close(r.ctx()))
	r.open(writesFreely(t), r.withRequests, func(o *Options) { o.Tools, o.MoreTools = tool.NoTools(), outside{} })
	r.engine.Recovery.Stay()
	must(t, r.engine.Recovery.Resume(r.ctx(), id))
	eventually(t, "the turn's end", func() bool {
		entries, err := r.engine.Transcript(r.ctx(), id)
		must(t, err)
		return session.LastStep(entries).Kind == session.EntryEnd
	})
	var all strings.Builder
	for _, e := range r.log(id) {
		fmt.Fprintf(&all, "%s %s\n", e.Type, e.Data)
	}
	if !strings.Contains(all.String(), q.ID) || !strings.Contains(all.String(), "the tools of the MCP server x are missing") {
		t.Errorf("it does not say why:\n%s", &all)
	}
}

// A server that stops while it waits for that program leaves the question to the next one.
func TestAQuestionWhoseToolDoesNotComeIsLeft(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	id, q := r.left()
	must(t, r.engine.Close(r.ctx()))
	outside := &late{never: make(chan struct{})}
	r.open(writesFreely(t), r.withRequests, func(o *Options) {
		outside.set = o.Tools
		o.Tools, o.MoreTools = tool.NoTools(), outside
	})
	r.engine.Recovery.Stay()
	resumed := make(chan error, 1)
	go func() { resumed <- r.engine.Recovery.Resume(r.ctx(), id) }()
	wait(t, outside.never)
	must(t, r.engine.Close(r.ctx()))
	<-resumed
	r.open(writesFreely(t), r.withRequests)
	r.engine.Recovery.Stay()
	must(t, r.engine.Recovery.Resume(r.ctx(), id))
	if again := r.asked(id); again.ID != q.ID {
		t.Errorf("the question is %s, before it was %s", again.ID, q.ID)
	}
}

// A message that is refused closes no question of a turn that died.
func TestARefusedMessageClosesNoQuestion(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	id, q := r.left()
	for name, change := range map[string]func(*Request){
		"too long":      func(q *Request) { q.Message = strings.Repeat("x", 5<<20) },
		"no persona":    func(q *Request) { q.Opts.Persona = "NOBODY" },
		"an attachment": func(q *Request) { q.Attachments = []string{"/nowhere/x.txt"}; q.Message = "" },
		"no money":      func(q *Request) { q.Opts.MaxCostUSD = ptr(0.000001) },
	} {
		req := Request{SessionID: id, Message: "go on"}
		change(&req)
		if s, err := r.engine.Start(r.ctx(), req); err == nil {
			t.Errorf("%s: the turn began: %v", name, s.Turn())
			must(t, s.Close())
		}
		if open, err := r.engine.Decisions(r.ctx(), id); err != nil || len(open) != 1 || open[0].ID != q.ID {
			t.Errorf("%s: the open questions are %+v, %v", name, open, err)
		}
		if !r.abandoned(id) {
			t.Errorf("%s: the next server does not find the turn", name)
		}
	}
}

// An interrupt ends a turn that no process runs and that waits for a person, or whose answer
// cannot be carried out: otherwise its session could be neither used nor deleted.
func TestInterruptOfATurnThatIsLeft(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]bool{"unanswered": false, "answered": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := emptyRig(t)
			id, q := r.left()
			if answer {
				_, err := r.engine.Decide(r.ctx(), DecisionRequest{SessionID: id, DecisionID: q.ID, Verdict: permit.VerdictAllow})
				must(t, err)
			}
			if err := r.engine.Interrupt(r.ctx(), id, "turn_other"); !fault.Is(err, fault.SessionNotFound) {
				t.Errorf("another turn: %v", err)
			}
			must(t, r.engine.Interrupt(r.ctx(), id, ""))
			if open, err := r.engine.Decisions(r.ctx(), id); err != nil || len(open) > 0 || r.abandoned(id) {
				t.Errorf("left are %+v, %v", open, err)
			}
			if err := r.engine.Interrupt(r.ctx(), id, ""); !fault.Is(err, fault.SessionNotFound) {
				t.Errorf("once more: %v", err)
			}
			log := r.log(id)
			if e := payload[event.Exit](t, log, event.ProcessExit); e.ExitCode != ending.Interrupted || strings.Contains(fmt.Sprint(names(log)), "turn:error") {
				t.Errorf("the log ends with %+v: %v", e, names(log))
			}
			must(t, r.engine.Delete(r.ctx(), id))
		})
	}
}

// A message into a turn with a key is taken once, however many requests bring it at once.
func TestSteerWithOneKeyIsTakenOnce(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writesFreely(t), r.withRequests)
	r.provider.does(asks(call("c", "writes")))
	id := r.session()
	s := r.begin(id, Opts{OnQuestion: OnQuestionWait})
	r.asked(id)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := r.engine.Steer(context.Background(), SteerRequest{SessionID: id, Message: "shorter", Key: "k1"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if in, err := r.engine.Inputs(r.ctx(), id); err != nil || len(in) != 1 {
		t.Errorf("%d inputs wait, %v", len(in), err)
	}
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(s)
}

// A subagent acts as itself: what it may do in the project, and what is signed, follow its
// own name and not that of who delegates.
func TestASubagentActsAsItself(t *testing.T) {
	t.Parallel()
	var agents []string
	r := newRig(t, withTools(t, act{"looks", permit.Read, func(_ context.Context, w *tool.Environment, _ json.RawMessage) (tool.Result, error) {
		agents = append(agents, w.Agent)
		return tool.Result{Text: "seen"}, nil
	}}), func(o *Options) { o.Rules.SubagentsEnabled = "true" })
	r.provider.does(handsOver)
	if e := exitOf(t, r.say(r.session(), "go", delegating)); e.ExitCode != 0 || !slices.Equal(agents, []string{"TASK"}) {
		t.Errorf("exit %+v, and the tool was called by %q", e, agents)
	}
}

// What a failed attempt used counts before the next one: retries do not pass the budget.
func TestRetriesKeepToTheBudget(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	attempts, most := 0, []int64{}
	r.provider.limits = func(string) model.Limits {
		return model.Limits{ContextTokens: 100_000, OutputTokens: 1000, Attachments: catalog.Default.Attachments}
	}
	r.provider.does(func(_ context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		most = append(most, q.MaxTokens)
		for range 5 {
			attempts++
			if !yield(model.Usage{InputTokens: 10, OutputTokens: 60}, nil) || !yield(model.Retry{Cause: "the stream broke", After: time.Millisecond}, nil) {
				return
			}
		}
		_ = yield(model.TextDelta{Text: "done"}, nil) && yield(model.Stop{Reason: model.StopEndTurn}, nil)
	})
	events := r.say(r.session(), "go", func(q *Request) { q.Opts.MaxTokens = ptr(int64(100)) })
	exitOf(t, events)
	if attempts != 2 || !slices.Equal(most, []int64{100, 40}) {
		t.Errorf("%d attempts, which may answer with %v tokens", attempts, most)
	}
}

// A call that fails again and again, and is billed each time, ends with what the provider said.
func TestFailuresThatTheBudgetDoesNotCover(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	attempts := 0
	r.provider.does(func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		for {
			attempts++
			if !yield(model.Usage{InputTokens: 10, OutputTokens: 1}, nil) || !yield(model.Retry{Cause: "the stream broke", After: time.Millisecond}, nil) {
				return
			}
		}
	})
	events := r.say(r.session(), "go", func(q *Request) { q.Opts.MaxTokens = ptr(int64(100)) })
	if e := exitOf(t, events); e.ErrorType != string(fault.BudgetExceeded) || !strings.Contains(e.Error, "the stream broke") || attempts != 5 {
		t.Errorf("after %d attempts: %+v", attempts, e)
	}
}

// One key is one message, whether it began a turn or was sent into one.
func TestAKeyOfATurnAndOfAMessageIntoIt(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writesFreely(t), r.withRequests)
	r.provider.does(asks(call("c", "writes")))
	id := r.session()
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go", IdempotencyKey: "k1", BodyDigest: "d", Opts: Opts{OnQuestion: OnQuestionWait}})
	must(t, err)
	r.asked(id)
	must(t, r.engine.Steer(r.ctx(), SteerRequest{SessionID: id, Message: "go", Key: "k1", BodyDigest: "d1"}))
	for range 2 {
		must(t, r.engine.Steer(r.ctx(), SteerRequest{SessionID: id, Message: "shorter", Key: "k2", BodyDigest: "d2"}))
	}
	for _, other := range []SteerRequest{{Message: "stop", Key: "k1", BodyDigest: "d3"}, {Message: "go", Attachments: []string{"a.md"}, Key: "k1", BodyDigest: "d3"}, {Message: "longer", Key: "k2", BodyDigest: "d3"}} {
		other.SessionID = id
		if err := r.engine.Steer(r.ctx(), other); !fault.Is(err, fault.IdempotencyConflict) {
			t.Errorf("%q under a key that was used: %v", other.Message, err)
		}
	}
	if in, err := r.engine.Inputs(r.ctx(), id); err != nil || len(in) != 1 || in[0].Message != "shorter" {
		t.Errorf("the inputs are %+v, %v", in, err)
	}
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(s)
	if _, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "shorter", IdempotencyKey: "k2", BodyDigest: "d"}); !fault.Is(err, fault.IdempotencyConflict) {
		t.Errorf("after the turn: %v", err)
	}
}

// never is a source whose programs start, and are not ready while anybody waits.
type never struct {
	late
	waits chan struct{}
}

func (n never) Await(ctx context.Context, _ string) {
	n.waits <- struct{}{}
	<-ctx.Done()
}

// A question whose tool comes late holds up no other turn that a server takes up.
func TestAQuestionThatWaitsForItsToolHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	var ids []string
	for range 2 {
		id, _ := r.left()
		must(t, r.engine.Close(r.ctx()))
		ids = append(ids, id)
	}
	outside := never{waits: make(chan struct{})}
	r.open(writesFreely(t), r.withRequests, func(o *Options) {
		outside.set = o.Tools
		o.Tools, o.MoreTools = tool.NoTools(), &outside
	})
	resumed := make(chan error, 1)
	go func() { resumed <- r.engine.Recovery.Resume(r.ctx(), ids...) }()
	wait(t, outside.waits)
	wait(t, outside.waits)
	must(t, r.engine.Close(r.ctx()))
	<-resumed
}
