package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/scripted"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
)

// dumps is a tool whose result is as long as its input says; under the name read
// it notes what it showed, as that tool does.
func dumps(name string) act {
	return act{name, permit.Read, func(_ context.Context, w *tool.Environment, in json.RawMessage) (tool.Result, error) {
		var size struct{ Bytes int }
		if err := json.Unmarshal(in, &size); err != nil {
			return tool.Result{}, err
		}
		text := strings.Repeat(fmt.Sprintf("%s of %d. ", name, size.Bytes), size.Bytes/10+1)[:size.Bytes]
		return tool.Result{Text: text}, nil
	}}
}

func dump(id, name string, bytes int) model.ToolCall {
	return model.ToolCall{ID: id, Name: name, Input: fmt.Appendf(nil, `{"Bytes":%d}`, bytes)}
}

// roomyOutput lets tools tell more than small models hold.
func roomyOutput(o *Options) {
	o.Rules.Tools.OutputBytes = 1 << 20
	o.Rules.Limits.MaxTurns = 200
}

// strictly answers with p what a provider with these limits does not refuse.
func strictly(limits model.Limits, p play) play {
	strict := scripted.New(scripted.Options{Catalog: &model.Catalog{Default: limits}})
	return func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		for _, err := range strict.Stream(ctx, q) {
			if err != nil {
				yield(nil, fmt.Errorf("strict: %w", fault.From(err)))
				return
			}
		}
		p(ctx, q, yield)
	}
}

// works is a model that thinks and calls a tool for so many rounds, whatever it
// still sees of them, and keeps its notes when it is asked for a summary.
func works(rounds int, call func(n int) []model.ToolCall) play {
	n, notes := 0, 0
	return func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		switch {
		case q.Summary:
			notes++
			says(fmt.Sprintf("NOTES %d: the work goes on.", notes))(ctx, q, yield)
		case n == rounds:
			n++
			says("all done")(ctx, q, yield)
		case n > rounds:
			says("at your service")(ctx, q, yield)
		default:
			n++
			_ = yield(model.Block{Content: model.Thinking{Text: fmt.Sprint("thought ", n), Signature: fmt.Sprint("signed ", n)}}, nil)
			for _, c := range call(n) {
				_ = yield(model.Block{Content: c}, nil)
			}
			_ = yield(model.Usage{InputTokens: 10, OutputTokens: 5}, nil) && yield(model.Stop{Reason: model.StopToolUse}, nil)
		}
	}
}

// A turn whose results fill the context goes on from a summary of its own
// beginning: what is sent always fits, calls keep their results and reasoning its
// signatures, and the transcript keeps everything.
//
// Covers: turn-api REQ-04
func TestTurnOutgrowsTheModel(t *testing.T) {
	t.Parallel()
	const rounds = 35
	r := newRig(t, withTools(t, dumps("dump")), roomyOutput)
	r.provider.limits = func(string) model.Limits { return small() }
	r.provider.does(strictly(small(), works(rounds, func(n int) []model.ToolCall {
		return []model.ToolCall{dump(fmt.Sprint("c", n), "dump", 8_000+n)}
	})))
	id := r.session()
	events := r.say(id, "the task")
	if c := payload[event.Complete](t, events, event.SessionComplete); c.StopReason != string(model.StopEndTurn) {
		t.Fatalf("the turn ended with %q: %s", c.StopReason, names(events))
	}
	if text := payload[event.Text](t, events, event.ChatComplete).Text; text != "all done" {
		t.Errorf("the answer is %q", text)
	}
	summaries := 0
	for _, q := range r.provider.requests {
		if problem := malformed(q); problem != "" {
			t.Fatal(problem)
		}
		if q.Summary {
			summaries++
			continue
		}
		if got := heardIn(q.Messages()[0]); !strings.HasPrefix(got, "the task") {
			t.Errorf("a request begins with %.80q", got)
		}
		unsigned(t, q)
	}
	if summaries < 2 || summaries > rounds/3 {
		t.Errorf("%d summaries in %d rounds", summaries, rounds)
	}
	last := r.provider.last(t)
	if got, want := textOf(last.Messages()[0].Content[1]), fmt.Sprintf("NOTES %d", summaries); !strings.Contains(got, want) || !strings.Contains(got, "left out") {
		t.Errorf("the last request says of what is left out %.300q, want %q", got, want)
	}
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	results, folded := 0, 0
	for _, e := range entries {
		for _, b := range e.Blocks {
			if b.Type == session.BlockToolResult && len(b.Text) > 8_000 {
				results++
			}
		}
		if e.Kind == session.EntrySummary {
			if folded >= e.Rounds || e.Through != e.Turn {
				t.Errorf("summary through %s, %d rounds after one of %d", e.Through, e.Rounds, folded)
			}
			folded = e.Rounds
		}
	}
	if results != rounds {
		t.Errorf("the transcript has %d whole results, want %d", results, rounds)
	}

	// The next turn, also one of another process, sees this one as it ended.
	begins := last.Messages()[:3]
	r.open(withTools(t, dumps("dump")), roomyOutput)
	r.say(id, "and now?")
	next := r.provider.last(t)
	if problem := malformed(next); problem != "" || next.Summary {
		t.Errorf("the next turn: summary %v, %s", next.Summary, problem)
	}
	for i, m := range next.Messages()[:3] {
		if got, want := fmt.Sprint(m), fmt.Sprint(thoughtless(begins[i])); got != want {
			t.Errorf("message %d of the next turn is … %.300s, want … %.300s", i, got[max(0, len(got)-200):], want[max(0, len(want)-200):])
		}
	}
}

// unsigned finds reasoning that is not as the model said it.
func unsigned(t *testing.T, q model.Request) {
	t.Helper()
	for _, m := range q.Messages() {
		for i, c := range m.Content {
			call, ok := c.(model.ToolCall)
			if !ok || i != 1 {
				continue
			}
			n := strings.TrimPrefix(call.ID, "c")
			if got, ok := m.Content[0].(model.Thinking); !ok || got.Text != "thought "+n || got.Signature != "signed "+n {
				t.Errorf("before call %s stands %+v", call.ID, m.Content[0])
			}
		}
	}
}

// thoughtless is a message of an earlier turn, where reasoning is not repeated.
func thoughtless(m model.Message) model.Message {
	out := model.Message{Role: m.Role}
	for _, c := range m.Content {
		if _, ok := c.(model.Thinking); !ok {
			out.Content = append(out.Content, c)
		}
	}
	return out
}

// Results that are too large for the model even alone are cut, each with a note
// that names where the whole of it is, and the model counts as not having seen it.
func TestResultsTooLargeForTheModel(t *testing.T) {
	t.Parallel()
	var place *tool.Environment
	r := newRig(t, withTools(t, dumps("dump"), sights{&place}), roomyOutput)
	r.provider.limits = func(string) model.Limits { return small() }
	r.provider.does(strictly(small(), works(1, func(int) []model.ToolCall {
		return []model.ToolCall{dump("c1", "dump", 300_000), dump("c2", "read", 200_000), dump("c3", "dump", 900)}
	})))
	id := r.session()
	events := r.say(id, "go")
	if e := exitOf(t, events); e.ExitCode != 0 {
		t.Fatalf("exit %+v", e)
	}
	if told := payloads(events, event.TurnWarning); len(told) != 1 || !strings.Contains(told[0], "RESULT_CUT") {
		t.Errorf("the person was told %q", told)
	}
	got := r.provider.outputs(t)
	if !strings.Contains(got["c1"], "cut here to fit the model: these were 300000 bytes") || len(got["c1"]) < 10_000 {
		t.Errorf("the first result has %d bytes and ends with %.300q", len(got["c1"]), got["c1"][max(0, len(got["c1"])-300):])
	}
	if !strings.HasSuffix(got["c2"], "call read again to see the rest]") {
		t.Errorf("what was read ends with %.300q", got["c2"][max(0, len(got["c2"])-300):])
	}
	if len(got["c3"]) != 900 {
		t.Errorf("a short result has %d bytes, want 900", len(got["c3"]))
	}
	path := regexp.MustCompile(`all of it is in (\S+),`).FindStringSubmatch(got["c1"])
	if path == nil {
		t.Fatal("the first result does not say where all of it is")
	}
	if kept, err := os.ReadFile(path[1]); err != nil || len(kept) != 300_000 || filepath.Dir(filepath.Dir(path[1])) != place.Scratch {
		t.Errorf("kept in %s: %d bytes, %v", path[1], len(kept), err)
	}
	// The next turn still has the beginning of it, not a summary.
	r.say(id, "what did it say?")
	last := r.provider.last(t)
	if text := fmt.Sprint(last.History); last.Summary || !strings.Contains(text, "dump of 300000") || malformed(last) != "" {
		t.Errorf("the next turn's history: %.300s %s", text, malformed(last))
	}
}

// A file of which the model was shown a part, because the rest did not fit, has
// not been seen, for another process neither.
func TestCutFileIsNotSeen(t *testing.T) {
	t.Parallel()
	for _, size := range []int{500, 200_000} {
		var place *tool.Environment
		r := newRig(t, withTools(t, sights{&place}), roomyOutput)
		r.provider.limits = func(string) model.Limits { return small() }
		r.provider.does(works(1, func(int) []model.ToolCall { return []model.ToolCall{dump("c1", "read", size)} }))
		id := r.session()
		r.say(id, "go")
		entries, err := r.engine.Transcript(r.ctx(), id)
		must(t, err)
		want := map[bool]string{true: "sha"}[size < 1000]
		for who, seen := range map[string]*tool.Seen{"this": place.Seen, "another": shownOnRecord(entries)} {
			if got := seen.SHA256("file.txt"); got != want {
				t.Errorf("after %d bytes of it %s process knows the file as %q, want %q", size, who, got, want)
			}
		}
	}
}

// sights reads a file that it has shown then.
type sights struct{ place **tool.Environment }

func (s sights) Spec() tool.Spec { return dumps("read").Spec() }

func (s sights) Prepare(_ context.Context, w *tool.Environment, in json.RawMessage) (tool.Call, error) {
	*s.place = w
	return sighting{acting{dumps("read"), w, in}}, nil
}

type sighting struct{ acting }

func (s sighting) Effect() permit.Effect {
	return permit.Effect{Tool: "read", Kind: permit.Read, Paths: []string{"file.txt"}}
}

func (s sighting) Run(ctx context.Context) (tool.Result, error) {
	s.w.Seen.Note("file.txt", "sha")
	return s.acting.Run(ctx)
}

// What is left out is told with the way to see it again.
func TestLeftOutResultsAreKept(t *testing.T) {
	t.Parallel()
	r := newRig(t, withTools(t, dumps("dump"), dumps("read")), roomyOutput)
	r.provider.limits = func(string) model.Limits { return small() }
	r.provider.does(works(12, func(n int) []model.ToolCall {
		return []model.ToolCall{dump(fmt.Sprint("c", n), []string{"dump", "read"}[n%2], 9_000+n)}
	}))
	r.say(r.session(), "go")
	note := textOf(r.provider.last(t).Messages()[0].Content[1])
	path := regexp.MustCompile(`- dump \{"Bytes":(\d+)\}, (\d+) bytes: all of it is in (\S+), which read shows`).FindStringSubmatch(note)
	if path == nil || path[1] != path[2] {
		t.Fatalf("the note is %q", note)
	}
	if kept, err := os.ReadFile(path[3]); err != nil || fmt.Sprint(len(kept)) != path[1] {
		t.Errorf("kept: %d bytes, %v", len(kept), err)
	}
	if !regexp.MustCompile(`- read \{"Bytes":\d+\}, \d+ bytes: call read again`).MatchString(note) {
		t.Errorf("the note does not say how to read again: %q", note)
	}
}

// The summary is paid for by the turn: its tokens are in the totals, it is not
// asked for where the budget does not allow it, and the turn goes on without.
func TestSummaryIsPaidFor(t *testing.T) {
	t.Parallel()
	for _, budget := range []int64{0, 200} {
		r := newRig(t, withTools(t, dumps("dump")), roomyOutput)
		r.provider.limits = func(string) model.Limits { return small() }
		r.provider.does(strictly(small(), works(12, func(n int) []model.ToolCall {
			return []model.ToolCall{dump(fmt.Sprint("c", n), "dump", 8_000+n)}
		})))
		events := r.say(r.session(), "go", func(q *Request) {
			if budget > 0 {
				q.Opts.MaxTokens = &budget
			}
		})
		var total event.UsageReport
		for _, e := range events {
			if e.Type == event.Usage {
				must(t, decode(e, &total))
			}
		}
		if got, want := total.Totals.OutputTokens, 5*int64(r.provider.calls()); got != want {
			t.Errorf("budget %d: the totals are %d tokens, want %d", budget, got, want)
		}
		asked := 0
		for _, q := range r.provider.requests {
			if q.Summary {
				asked++
			}
		}
		if (asked > 0) != (budget == 0) {
			t.Errorf("budget %d: %d summaries were asked for", budget, asked)
		}
		if told := strings.Join(payloads(events, event.TurnWarning), " "); strings.Contains(told, "NOT_SUMMARISED") == (budget == 0) {
			t.Errorf("budget %d: the person was told %q", budget, told)
		}
		if c := payload[event.Complete](t, events, event.SessionComplete); c.StopReason != string(model.StopEndTurn) {
			t.Errorf("budget %d: the turn ended with %q", budget, c.StopReason)
		}
	}
}

// A provider that counts more than was estimated is believed: the next requests
// are smaller.
func TestDenseTokens(t *testing.T) {
	t.Parallel()
	real := small()
	real.ContextTokens = 11_000 // by the provider's own rate, as if each token held less
	r := newRig(t, withTools(t, dumps("dump")), roomyOutput)
	r.provider.limits = func(string) model.Limits { return small() }
	refused := 0
	judged := strictly(real, works(12, func(n int) []model.ToolCall {
		return []model.ToolCall{dump(fmt.Sprint("c", n), "dump", 8_000+n)}
	}))
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		judged(ctx, q, func(c model.Chunk, err error) bool {
			if err != nil {
				refused++
			}
			return yield(c, err)
		})
	})
	id := r.session()
	events := r.say(id, "go")
	if e := exitOf(t, events); e.ExitCode != 0 || refused == 0 || refused > 8 {
		t.Errorf("exit %+v after %d refusals", e, refused)
	}
}

// Words that are never taken end the turn with the provider's own error, after a
// few tries.
func TestPromptThatIsNeverTaken(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.provider.does(func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		yield(nil, model.UpstreamFailure("fake", 400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", 0, nil))
	})
	if e := exitOf(t, r.say(r.session(), "go")); e.ExitCode != 1 || !strings.Contains(e.Error, "too long") {
		t.Errorf("exit %+v", e)
	}
	if n := r.provider.calls(); n < 2 || n > 6 {
		t.Errorf("%d calls", n)
	}
}

// A subagent's conversation is compacted as its parent's is, and stays its own.
func TestSubagentOutgrowsTheModel(t *testing.T) {
	t.Parallel()
	r := newRig(t, withTools(t, dumps("dump")), roomyOutput, func(o *Options) { o.Rules.SubagentsEnabled = "true" })
	r.provider.limits = func(string) model.Limits { return small() }
	sub := works(12, func(n int) []model.ToolCall { return []model.ToolCall{dump(fmt.Sprint("c", n), "dump", 8_000+n)} })
	r.provider.does(strictly(small(), func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if q.Summary || isTask(q) {
			sub(ctx, q, yield)
			return
		}
		handsOver(ctx, q, yield)
	}))
	id := r.session()
	if e := exitOf(t, r.say(id, "go", delegating)); e.ExitCode != 0 {
		t.Fatalf("exit %+v", e)
	}
	if got := r.provider.outputs(t)["c1"]; got != "all done" {
		t.Errorf("the manager got %q", got)
	}
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	kept := 0
	for _, e := range entries {
		if e.Kind == session.EntrySummary {
			kept++
			if e.Agent != "c1" {
				t.Errorf("the summary is on record as of %q", e.Agent)
			}
		}
	}
	r.provider.does(says("ok"))
	r.say(id, "and now?")
	if text := fmt.Sprint(r.provider.last(t).Messages()); kept == 0 || strings.Contains(text, "NOTES") {
		t.Errorf("%d summaries; the next turn's history: %.300s", kept, text)
	}
}

// A turn that is taken up after a crash goes on from the summary that it had.
func TestTakenUpBehindASummary(t *testing.T) {
	t.Parallel()
	r := newRig(t, withTools(t, dumps("dump")), roomyOutput, func(o *Options) { o.Requests = answeredRequests{} })
	r.provider.limits = func(string) model.Limits { return small() }
	id := r.session()
	lease, err := r.store.Acquire(r.ctx(), id)
	must(t, err)
	must(t, lease.Begin("turn_x"))
	entry := func(kind session.EntryKind, change func(*session.Entry)) {
		e := session.Entry{Kind: kind, Turn: "turn_x", Time: session.Time{Time: r.clock()}}
		change(&e)
		must(t, lease.Append(e))
	}
	entry(session.EntryTurn, func(e *session.Entry) { e.Message = "the task" })
	_, err = lease.Emit("turn_x", event.Draft{Type: event.SessionInit, Data: event.Init{TurnID: "turn_x"}})
	must(t, err)
	for n := 1; n <= 4; n++ {
		c := dump(fmt.Sprint("c", n), "dump", 3_000)
		entry(session.EntryAssistant, func(e *session.Entry) {
			e.Blocks = []session.Block{{Type: session.BlockToolCall, ID: c.ID, Name: c.Name, Input: c.Input}}
		})
		switch n {
		case 3:
			entry(session.EntrySummary, func(e *session.Entry) { e.Summary, e.Through, e.Rounds = "NOTES: half done", "turn_x", 2 })
			fallthrough
		case 1, 2:
			entry(session.EntryTools, func(e *session.Entry) {
				e.Blocks = []session.Block{{Type: session.BlockToolResult, ID: c.ID, Name: c.Name, Text: "result of " + c.ID}}
			})
		}
	}
	must(t, lease.Release())
	r.provider.does(strictly(small(), says("finished")))
	must(t, r.engine.Recovery.Resume(r.ctx(), id))
	s, err := r.engine.Events(r.ctx(), id, 0, "turn_x")
	must(t, err)
	events := r.drain(s)
	if e := exitOf(t, events); e.ExitCode != 0 {
		t.Fatalf("exit %+v: %s", e, names(events))
	}
	q := r.provider.requests[0]
	text := fmt.Sprint(q.Messages())
	if problem := malformed(q); problem != "" || q.Folded != 2 || !strings.Contains(text, "NOTES: half done") || strings.Contains(text, "result of c2") || !strings.Contains(text, "result of c3") {
		t.Errorf("%s; %d folded: %.600s", problem, q.Folded, text)
	}
	if got := r.provider.outputs(t)["c4"]; !strings.HasPrefix(got, "dump of 3000") {
		t.Errorf("the call that waited gave %.80q", got)
	}
}

// answeredRequests is a store with which somebody has allowed everything.
type answeredRequests struct{ PermissionRequests }

func (answeredRequests) Verdict(id string) (permit.Decision, bool, error) {
	about := permit.Effect{Tool: "dump", Kind: permit.Read, Summary: `dump {"Bytes":3000}`}.Fingerprint()
	return permit.Decision{DecisionID: id, Verdict: permit.VerdictAllow, About: about}, true, nil
}

func (answeredRequests) Granted(string, string, permit.Effect) bool { return true }

// List is asked where the turn has ended before anybody follows it.
func (answeredRequests) List(context.Context, string) ([]permit.Request, error) { return nil, nil }

// What people send into a turn fits, too: words are cut, files become less.
func TestSteeringTooLargeForTheModel(t *testing.T) {
	t.Parallel()
	r, id := emptyRig(t), ""
	path := r.file("large.csv", strings.Repeat("a,b,c,d\n", 40_000))
	r.open(withTools(t, act{"looks", permit.Read, func(ctx context.Context, _ *tool.Environment, _ json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: "seen"}, r.engine.Steer(ctx, SteerRequest{SessionID: id, Message: strings.Repeat("left! ", 30_000), Attachments: []string{path}})
	}}), roomyOutput, func(o *Options) { o.Rules.Policy = attachment.Policy{FileBytes: 1 << 20, TurnBytes: 1 << 20} })
	r.provider.limits = func(string) model.Limits { return small() }
	r.provider.does(strictly(small(), asks(call("a", "looks"))))
	id = r.session()
	if e := exitOf(t, r.say(id, "walk")); e.ExitCode != 0 {
		t.Fatalf("exit %+v", e)
	}
	messages := r.provider.last(t).Messages()
	if heard := heardIn(messages[len(messages)-1]); !strings.Contains(heard, "left! left!") || !strings.Contains(heard, "cut here") {
		t.Errorf("the model heard %.200q", heard)
	}
	r.provider.does(strictly(small(), says("ok")))
	if e := exitOf(t, r.say(id, "and on")); e.ExitCode != 0 {
		t.Errorf("the next turn: %+v", e)
	}
}

// shownOnRecord is what another process knows of what the model was shown.
func shownOnRecord(entries []session.Entry) *tool.Seen {
	seen := &tool.Seen{}
	for _, e := range entries {
		if e.Agent == "" && e.Kind != session.EntryIntent && len(e.Seen)+len(e.Changes) > 0 {
			seen.Recall(e)
		}
	}
	return seen
}
