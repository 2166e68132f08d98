package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
)

// act is a tool that does what its test says.
type act struct {
	name string
	kind permit.Kind
	run  func(ctx context.Context, w *tool.Environment, input json.RawMessage) (tool.Result, error)
}

func (a act) Spec() tool.Spec {
	return tool.Spec{Name: a.name, Description: "acts", Schema: json.RawMessage(`{"type":"object"}`)}
}

func (a act) Prepare(_ context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	return acting{a, w, input}, nil
}

type acting struct {
	act
	w     *tool.Environment
	input json.RawMessage
}

func (a acting) Effect() permit.Effect {
	return permit.Effect{Tool: a.name, Kind: a.kind, Summary: a.name + " " + string(a.input)}
}

func (a acting) Run(ctx context.Context) (tool.Result, error) { return a.run(ctx, a.w, a.input) }

// open is a scope without limits.
type open struct{}

func (open) Allows(string, bool) error               { return nil }
func (open) HasZones(string) bool                    { return false }
func (open) KeepsZones(string, []byte, []byte) error { return nil }
func (open) Hidden(string) bool                      { return false }
func (open) Describe() string                        { return "Everything." }

// withTools offers tools to turns that can ask nobody.
func withTools(t testing.TB, tools ...tool.Tool) func(*Options) {
	set, err := tool.NewSet(tools...)
	must(t, err)
	return func(o *Options) {
		o.Tools = set
		o.Scope = func(string, persona.Persona) tool.Scope { return open{} }
		o.Rules.Tools = tool.Limits{OutputBytes: 1 << 10}
	}
}

// asks makes a model call tools, then answer.
func asks(cs ...model.ToolCall) play {
	return func(ctx context.Context, r model.Request, yield func(model.Chunk, error) bool) {
		messages := r.Messages()
		for _, c := range messages[len(messages)-1].Content {
			if _, ok := c.(model.ToolOutput); ok {
				says("done")(ctx, r, yield)
				return
			}
		}
		for _, c := range cs {
			if !yield(model.Block{Content: c}, nil) {
				return
			}
		}
		_ = yield(model.Usage{InputTokens: 10, OutputTokens: 5}, nil) && yield(model.Stop{Reason: model.StopToolUse}, nil)
	}
}

func call(id, name string) model.ToolCall {
	return model.ToolCall{ID: id, Name: name, Input: json.RawMessage(`{"for":"` + id + `"}`)}
}

// outputs are the results that the model got last, by call.
func (f *fake) outputs(t testing.TB) map[string]string {
	out := map[string]string{}
	messages := f.last(t).Messages()
	for _, c := range messages[len(messages)-1].Content {
		if o, ok := c.(model.ToolOutput); ok {
			for _, p := range o.Parts {
				out[o.CallID] += partText(p)
			}
		}
	}
	return out
}

// Covers: turn-api REQ-04
func TestCallsThatLookRunAtOnceAndAnswerInOrder(t *testing.T) {
	t.Parallel()
	const n = 5
	var all sync.WaitGroup
	all.Add(n)
	r := newRig(t, withTools(t, act{"look", permit.Read, func(ctx context.Context, _ *tool.Environment, in json.RawMessage) (tool.Result, error) {
		all.Done()
		met := make(chan struct{})
		go func() { all.Wait(); close(met) }()
		select {
		case <-met: // only when all of them are here
			return tool.Result{Text: "saw " + string(in)}, nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	}}))
	var cs []model.ToolCall
	for i := range n {
		cs = append(cs, call(fmt.Sprint("c", i), "look"))
	}
	r.provider.does(asks(cs...))
	events := r.say(r.session(), "look around")
	if code := exitOf(t, events).ExitCode; code != 0 {
		t.Fatalf("exit %d: %s", code, names(events))
	}
	messages := r.provider.last(t).Messages()
	for i, c := range messages[len(messages)-1].Content {
		if o := c.(model.ToolOutput); o.CallID != cs[i].ID || !strings.Contains(partText(o.Parts[0]), cs[i].ID) {
			t.Errorf("result %d is of call %s: %v", i, o.CallID, o.Parts)
		}
	}
	if got := strings.Count(names(events), "tool:call"); got != n {
		t.Errorf("%d calls were announced, want %d: %s", got, n, names(events))
	}
}

// However many calls look, each has one result: in the log, on record, and for the
// model.
func TestManyLooksAnswerOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{mostParallelCalls - 1, mostParallelCalls, mostParallelCalls + 1, 2*mostParallelCalls + 1} {
		var ran atomic.Int64
		r := newRig(t, withTools(t, act{"look", permit.Read, func(_ context.Context, _ *tool.Environment, in json.RawMessage) (tool.Result, error) {
			ran.Add(1)
			return tool.Result{Text: "saw " + string(in)}, nil
		}}))
		var cs []model.ToolCall
		for i := range n {
			cs = append(cs, call(fmt.Sprint("c", i), "look"))
		}
		r.provider.does(asks(cs...))
		id := r.session()
		events := r.say(id, "look around")
		entries, err := r.engine.Transcript(r.ctx(), id)
		must(t, err)
		kept := 0
		for _, e := range entries {
			if e.Kind == session.EntryTools {
				kept += len(e.Blocks)
			}
		}
		told := 0
		for _, e := range events {
			if e.Type == event.ToolResult {
				told++
			}
		}
		if ran.Load() != int64(n) || told != n || kept != n || len(r.provider.outputs(t)) != n {
			t.Errorf("%d calls: %d ran, %d results in the log, %d on record, %d for the model", n, ran.Load(), told, kept, len(r.provider.outputs(t)))
		}
	}
}

func TestFaultsOfToolsReachTheModelAndNobodyElse(t *testing.T) {
	t.Parallel()
	r := newRig(t, withTools(t,
		act{"refuses", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
			return tool.Result{}, tool.Refuse("no such file").WithHint("look again")
		}},
		act{"floods", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
			return tool.Result{Text: strings.Repeat("x", 1<<20)}, nil
		}},
		act{"writes", permit.Write, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
			return tool.Result{Text: "written"}, nil
		}}))
	r.provider.does(asks(call("a", "refuses"), call("b", "floods"), call("c", "nobody"), call("d", "writes"),
		model.ToolCall{ID: "e", Name: "refuses", Input: json.RawMessage(`[1]`)}))
	events := r.say(r.session(), "go")
	if code := exitOf(t, events).ExitCode; code != 0 {
		t.Fatalf("exit %d: %s", code, names(events))
	}
	got := r.provider.outputs(t)
	for id, want := range map[string]string{
		"a": "no such file (look again)", "b": "cut here", "c": "no tool named nobody",
		"d": "nobody can be asked", // the turn has no store for questions
		"e": "no such file",        // an input that is no object is an empty one
	} {
		if !strings.Contains(got[id], want) {
			t.Errorf("call %s was answered %.80q, want %q", id, got[id], want)
		}
	}
	if len(got["b"]) > 2<<10 {
		t.Errorf("a flood of %d bytes reached the model", len(got["b"]))
	}
}

func TestPanicOfAToolEndsTheTurnAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, withTools(t, act{"bursts", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		panic("burst")
	}}))
	id := r.session()
	r.provider.does(asks(call("a", "bursts")))
	if e := exitOf(t, r.say(id, "go")); e.ExitCode != 1 || e.ErrorDetails["category"] != "PANIC" {
		t.Errorf("exit %+v", e)
	}
	r.provider.does(says("still here"))
	if e := exitOf(t, r.say(id, "and now?")); e.ExitCode != 0 {
		t.Errorf("the next turn: %+v", e)
	}
}

// An interrupt in the middle of a call leaves a conversation that goes on.
func TestInterruptInMidCall(t *testing.T) {
	t.Parallel()
	running := make(chan struct{})
	r := newRig(t, withTools(t,
		act{"looks", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
			return tool.Result{Text: "seen"}, nil
		}},
		act{"hangs", permit.Read, func(ctx context.Context, _ *tool.Environment, _ json.RawMessage) (tool.Result, error) {
			close(running)
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}}))
	id := r.session()
	r.provider.does(asks(call("a", "looks"), call("b", "hangs"), call("c", "nobody")))
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go"})
	must(t, err)
	wait(t, running)
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	if e := exitOf(t, r.drain(s)); e.ExitCode != 130 {
		t.Fatalf("exit %+v", e)
	}
	r.provider.does(says("back"))
	r.say(id, "go on")
	var results []string
	for _, m := range r.provider.last(t).History {
		for _, c := range m.Content {
			if o, ok := c.(model.ToolOutput); ok {
				results = append(results, o.CallID)
			}
		}
	}
	if got := strings.Join(results, " "); got != "a b c" {
		t.Errorf("the next request has results of %q, want of a b c", got)
	}
}

func TestTurningInCirclesIsRefused(t *testing.T) {
	t.Parallel()
	ran := 0
	r := newRig(t, withTools(t, act{"same", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		ran++
		return tool.Result{Text: "again"}, nil
	}}), func(o *Options) { o.Rules.Limits.MaxTurns = 20 })
	n := 0
	r.provider.does(func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		n++
		c := call("a", "same")
		c.ID = fmt.Sprint("c", n)
		_ = yield(model.Block{Content: c}, nil) && yield(model.Stop{Reason: model.StopToolUse}, nil)
	})
	events := r.say(r.session(), "go")
	if c := payload[event.Complete](t, events, event.SessionComplete); c.StopReason != string(model.StopRepeats) {
		t.Errorf("stop reason %q", c.StopReason)
	}
	if ran != mostRepeats || n != mostRepeats+mostRefusals {
		t.Errorf("the call ran %d times in %d answers, want %d in %d", ran, n, mostRepeats, mostRepeats+mostRefusals)
	}
}

func TestFilesThatToolsShowAreSentAgain(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	path := r.file("notes.txt", "the plan")
	r.open(withTools(t, act{"shows", permit.Read, func(ctx context.Context, w *tool.Environment, _ json.RawMessage) (tool.Result, error) {
		it, err := w.Files.Admit(ctx, path)
		return tool.Result{Text: "here it is", Items: []attachment.Item{it}}, err
	}}), func(o *Options) { o.Rules.Policy = attachment.Policy{FileBytes: 1 << 20, TurnBytes: 1 << 20} })
	id := r.session()
	r.provider.does(asks(call("a", "shows")))
	events := r.say(id, "show me")
	if a := payload[event.Attachment](t, events, event.AttachmentInput); a.Filename != "notes.txt" || a.ToolCallID != "a" {
		t.Errorf("attachment:input %+v", a)
	}
	if got := r.provider.outputs(t)["a"]; !strings.Contains(got, "notes.txt") {
		t.Errorf("the model got %q", got)
	}
	r.provider.does(says("ok"))
	r.say(id, "and again")
	found := false
	for _, m := range r.provider.last(t).History {
		for _, c := range m.Content {
			if o, ok := c.(model.ToolOutput); ok && len(o.Parts) == 2 {
				found = true
			}
		}
	}
	if !found {
		t.Error("the next turn's history lacks the file that the tool showed")
	}
	m, err := r.engine.Manifest(r.ctx(), id, "")
	must(t, err)
	if len(m.History.Attachments) != 1 {
		t.Errorf("the manifest names %d files of the history, want 1", len(m.History.Attachments))
	}
}

// heardIn are the words of a person in a message.
func heardIn(m model.Message) string {
	var words []string
	for _, c := range m.Content {
		if m, ok := c.(model.Media); ok {
			words = append(words, partText(m.Part))
		}
	}
	return strings.Join(words, "|")
}

// What a person says into a turn reaches the model at the next tool boundary; a
// follow-up waits for the answer. Both are in the transcript and are repeated.
func TestSteerAndFollowUp(t *testing.T) {
	t.Parallel()
	r, id := emptyRig(t), ""
	r.open(withTools(t, act{"looks", permit.Read, func(ctx context.Context, _ *tool.Environment, _ json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: "seen"}, errors.Join(
			r.engine.Steer(ctx, SteerRequest{SessionID: id, Message: "and then stop", Mode: session.FollowUp}),
			r.engine.Steer(ctx, SteerRequest{SessionID: id, Message: "left, not right"}))
	}}))
	id = r.session()
	if err := r.engine.Steer(r.ctx(), SteerRequest{SessionID: id, Message: "too early"}); err == nil || !strings.Contains(err.Error(), "no turn") {
		t.Errorf("steering an idle session: %v", err)
	}
	var heard []string
	script := asks(call("a", "looks"))
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		messages := q.Messages()
		heard = append(heard, heardIn(messages[len(messages)-1]))
		if len(heard) == 1 {
			script(ctx, q, yield)
			return
		}
		says("answer")(ctx, q, yield)
	})
	events := r.say(id, "walk")
	if e := exitOf(t, events); e.ExitCode != 0 {
		t.Fatalf("exit %+v", e)
	}
	if got, want := strings.Join(heard, " / "), "walk / left, not right / and then stop"; got != want {
		t.Errorf("the model heard %q, want %q", got, want)
	}
	if n := strings.Count(names(events), string(event.TurnInput)); n != 2 {
		t.Errorf("%d inputs in the log, want 2: %s", n, names(events))
	}
	r.provider.does(says("ok"))
	r.say(id, "again")
	var all strings.Builder
	for _, m := range r.provider.last(t).History {
		all.WriteString(heardIn(m) + "\n")
	}
	for _, want := range []string{"left, not right", "and then stop"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the next turn's history lacks %q", want)
		}
	}
}
