package turn

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/turn/ending"
)

// calls is a provider that wants a tool every time, each time for something else,
// and uses tokens for it.
func calls(used model.Usage) play {
	return func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		id := newID()
		_ = yield(model.TextDelta{Text: "."}, nil) && yield(model.Block{Content: model.Text{Text: "."}}, nil) &&
			yield(model.Block{Content: model.ToolCall{ID: id, Name: "none", Input: []byte(`{"for":"` + id + `"}`)}}, nil) &&
			yield(used, nil) && yield(model.Stop{Reason: model.StopToolUse}, nil)
	}
}

// fills is a provider that answers as much as it may.
func fills(_ context.Context, r model.Request, yield func(model.Chunk, error) bool) {
	_ = yield(model.TextDelta{Text: "long"}, nil) && yield(model.Usage{InputTokens: 10, OutputTokens: r.MaxTokens}, nil) &&
		yield(model.Stop{Reason: model.StopMaxTokens}, nil)
}

// wordy is calls with an answer that alone is more than the context.
func wordy(ctx context.Context, r model.Request, yield func(model.Chunk, error) bool) {
	_ = yield(model.Block{Content: model.Text{Text: strings.Repeat("words ", 60_000)}}, nil)
	calls(model.Usage{OutputTokens: 10})(ctx, r, yield)
}

// Budgets end a turn with their own stop reason, exit code 0 and one warning.
//
// Covers: turn-api REQ-07, REQ-12
func TestBudgets(t *testing.T) {
	t.Parallel()
	used := model.Usage{InputTokens: 1000, OutputTokens: 40}
	roomy := model.Limits{ContextTokens: 100_000, OutputTokens: 1000, Attachments: catalog.Default.Attachments}
	tests := []struct {
		name   string
		play   play
		o      Opts
		limits model.Limits
		calls  int
		stop   string
		most   int64 // of the last call, 0 for any
	}{
		{"turns", calls(used), Opts{MaxTurns: ptr(3)}, roomy, 3, "max_turns", 0},
		{"one turn", calls(used), Opts{MaxTurns: ptr(1)}, roomy, 1, "max_turns", 0},
		{"setting's turns", calls(used), Opts{}, roomy, 5, "max_turns", 0},
		{"tokens used up", calls(used), Opts{MaxTokens: ptr(int64(80))}, roomy, 2, "budget", 40},
		{"tokens cut", fills, Opts{MaxTokens: ptr(int64(80))}, roomy, 1, "max_tokens", 80},
		{"the model's own limit", fills, Opts{}, roomy, 1, "max_tokens", 1000},
		{"context full", wordy, Opts{}, roomy, 1, "context_window", 0},
		{"money cut", fills, Opts{MaxCostUSD: ptr(0.02)}, roomy, 1, "budget", 0},
		{"money enough", fills, Opts{MaxCostUSD: ptr(5.0)}, roomy, 1, "max_tokens", 1000},
		{"money used up", calls(model.Usage{InputTokens: 200_000, OutputTokens: 900}), Opts{MaxCostUSD: ptr(1.0)}, roomy, 2, "budget", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.provider.play, r.provider.limits = tt.play, func(string) model.Limits { return tt.limits }
			events := r.say(r.session(), "go", func(q *Request) { q.Opts = tt.o })
			if exit := exitOf(t, events); exit.ExitCode != 0 {
				t.Fatalf("exit %+v", exit)
			}
			if c := payload[event.Complete](t, events, event.SessionComplete); c.StopReason != tt.stop {
				t.Errorf("stop reason %q, want %q", c.StopReason, tt.stop)
			}
			if n := r.provider.calls(); n != tt.calls {
				t.Errorf("%d calls, want %d", n, tt.calls)
			}
			if tt.most > 0 && r.provider.last(t).MaxTokens != tt.most {
				t.Errorf("the last call was allowed %d tokens, want %d", r.provider.last(t).MaxTokens, tt.most)
			}
			if n := strings.Count(names(events), string(event.TurnWarning)); n != 1 {
				t.Errorf("%d warnings: %s", n, names(events))
			}
			if w := payload[event.Warning](t, events, event.TurnWarning); w.Code != strings.ToUpper(tt.stop) {
				t.Errorf("warning %+v", w)
			}
			if !strings.HasSuffix(names(events), "chat:complete turn:warning session:complete process:exit") {
				t.Errorf("the end is %s", names(events))
			}
		})
	}
}

// A cost budget that does not pay for the first call refuses the turn before any
// stream, and the session is as it was. What the refusal asks for is enough.
//
// Covers: turn-api REQ-12
func TestBudgetBelowOneCall(t *testing.T) {
	t.Parallel()
	for _, before := range []int{0, 3} {
		r := newRig(t)
		id := r.session()
		for range before {
			r.say(id, "hi")
		}
		budget := func(usd float64) func(*Request) {
			return func(q *Request) { q.Opts.MaxCostUSD, q.IdempotencyKey, q.BodyDigest = &usd, "key", "digest" }
		}
		was, calls := contents(t, r.project), r.provider.calls()
		q := Request{SessionID: id, Message: "go"}
		budget(0.000001)(&q)
		_, err := r.engine.Start(r.ctx(), q)
		f := fault.From(err)
		if f == nil || f.Type != fault.BudgetExceeded || f.Status != 400 || f.NextStep() == "" {
			t.Fatalf("after %d turns: %v", before, err)
		}
		if diff := cmp.Diff(was, contents(t, r.project)); diff != "" || r.provider.calls() != calls {
			t.Errorf("after %d turns: %d calls, and the record changed (-before +after):\n%s", before, r.provider.calls()-calls, diff)
		}
		need, ok := f.Details["neededUsd"].(float64)
		if !ok || need <= 0.000001 || f.Details["budgetUsd"] != 0.000001 {
			t.Fatalf("details %v", f.Details)
		}
		if exit := exitOf(t, r.say(id, "go", budget(need))); exit.ExitCode != 0 || r.provider.calls() != calls+1 {
			t.Errorf("with $%.6f: %+v after %d calls", need, exit, r.provider.calls()-calls)
		}
	}
}

// A configured budget refuses as well, and so does what an earlier conversation costs
// to send again.
func TestConfiguredBudgetBelowOneCall(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.Limits.MaxCostUSD = 0.15 })
	id := r.session()
	r.provider.play = says(strings.Repeat("many words ", 20_000))
	if exit := exitOf(t, r.say(id, "go")); exit.ExitCode != 0 {
		t.Fatalf("the first turn: %+v", exit)
	}
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go on"})
	if !fault.Is(err, fault.BudgetExceeded) {
		t.Errorf("the second turn: %v", err)
	}
}

// contents are the files below dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	}))
	return all
}

func TestTotalsAddUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.provider.play = calls(model.Usage{InputTokens: 1000, OutputTokens: 100, CacheReadTokens: 10, CacheWriteTokens: 1})
	id := r.session()
	events := r.say(id, "go", func(q *Request) { q.Opts.MaxTurns = ptr(3) })
	var last event.UsageReport
	for _, e := range events {
		if e.Type == event.Usage {
			must(t, decode(e, &last))
		}
	}
	if last.Totals.InputTokens != 3000 || last.Totals.OutputTokens != 300 || last.Totals.CostUSD == nil || *last.Totals.CostUSD <= 2**last.CostUSD {
		t.Errorf("totals %+v", last)
	}
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	if u := session.LastStep(entries).Usage; u == nil || u.OutputTokens != 300 {
		t.Errorf("the transcript has %+v", u)
	}
}

// A call that fails is billed as far as the provider said.
func TestFailedCallsAreBilled(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.provider.play = func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		_ = yield(model.Usage{InputTokens: 77}, nil) && yield(nil, fault.New(fault.SDKFailure, "broken"))
	}
	events := r.say(r.session(), "go")
	if want := "session:init usage turn:error process:exit"; names(events) != want {
		t.Errorf("%s, want %s", names(events), want)
	}
	if u := payload[event.UsageReport](t, events, event.Usage); u.Totals.InputTokens != 77 {
		t.Errorf("usage %+v", u)
	}
}

// So is a call that was tried again: each try is paid for.
func TestEveryTryIsBilled(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.provider.play = func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if yield(model.Usage{InputTokens: 77}, nil) && yield(model.Retry{Attempt: 1, Cause: "junk"}, nil) {
			says("at last")(ctx, q, yield)
		}
	}
	events := r.say(r.session(), "go")
	var last event.UsageReport
	for _, e := range events {
		if e.Type == event.Usage {
			must(t, decode(e, &last))
		}
	}
	if last.Totals.InputTokens != 87 || last.Totals.OutputTokens != 5 || last.InputTokens != 10 {
		t.Errorf("usage %+v of %s", last, names(events))
	}
}

func TestTimeBudget(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.provider.play = blocks(make(chan struct{}))
	events := r.say(r.session(), "go", func(q *Request) { q.Opts.TimeoutMS = ptr(int64(30)) })
	exit := exitOf(t, events)
	if exit.ExitCode != ending.TimedOut || exit.ErrorType != string(fault.TurnTimeout) || exit.Status != 504 || fmt.Sprint(exit.ErrorDetails["limitMs"]) != "30" {
		t.Errorf("exit %+v", exit)
	}
}

// A wait for another try is no stall.
func TestRetryIsNoStall(t *testing.T) {
	t.Parallel()
	const stall = time.Second
	r := newRig(t, func(o *Options) { o.Rules.Limits.Stall = stall })
	r.provider.play = func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if !yield(model.Retry{Attempt: 1, After: patience, Cause: "busy"}, nil) {
			return
		}
		if err := model.Sleep(ctx, 3*stall/2); err != nil {
			yield(nil, err)
			return
		}
		says("at last")(ctx, q, yield)
	}
	events := r.say(r.session(), "go")
	if exit := exitOf(t, events); exit.ExitCode != 0 || payload[event.Warning](t, events, event.TurnWarning).Code != "PROVIDER_RETRY" {
		t.Errorf("exit %+v after %s", exit, names(events))
	}
}
