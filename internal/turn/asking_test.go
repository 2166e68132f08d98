package turn

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
)

// withRequests gives an engine a store and an audit log in the rig's state folder.
func (r *rig) withRequests(o *Options) {
	r.t.Helper()
	audit, err := permit.OpenAudit(filepath.Join(r.state, "audit.jsonl"), r.clock)
	must(r.t, err)
	requests, err := permit.OpenRequests(permit.RequestsOptions{Dir: filepath.Join(r.state, "permit"), Clock: r.clock, Audit: audit})
	must(r.t, err)
	r.t.Cleanup(func() { _ = requests.Close() })
	o.Requests, o.Audit = requests, audit
}

// audited are the lines of the audit log of a kind.
func (r *rig) audited(kind string) (lines []permit.Entry) {
	r.t.Helper()
	f, err := os.Open(filepath.Join(r.state, "audit.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	must(r.t, err)
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		var e permit.Entry
		must(r.t, json.Unmarshal(in.Bytes(), &e))
		if e.Kind == kind {
			lines = append(lines, e)
		}
	}
	return lines
}

// asked waits for the session's open question.
func (r *rig) asked(id string) (q permit.Request) {
	r.t.Helper()
	eventually(r.t, "a question", func() bool {
		open, err := r.engine.Decisions(r.ctx(), id)
		must(r.t, err)
		if len(open) > 0 {
			q = open[0]
		}
		return len(open) > 0
	})
	return q
}

func writesFreely(t testing.TB) func(*Options) {
	return withTools(t, act{"writes", permit.Write, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: "written"}, nil
	}})
}

// What the log says of a question that an interrupt closed, the audit log says.
//
// Covers: turn-api REQ-04
func TestInterruptedQuestion(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writesFreely(t), r.withRequests)
	r.provider.does(asks(call("c", "writes")))
	id := r.session()
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go"})
	must(t, err)
	r.asked(id)
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	given := payload[event.Verdict](t, r.drain(s), event.PermissionGiven)
	lines := r.audited("decision")
	if len(lines) != 1 {
		t.Fatalf("the audit log has %d decisions", len(lines))
	}
	if e := lines[0]; given.By != permit.ByInterrupt || e.By != given.By || e.Note != given.Note || e.Verdict != given.Verdict || e.DecisionID != given.DecisionID {
		t.Errorf("the log says %+v, the audit log %+v", given, e)
	}
}

// withHook gives an engine a hook that answers so to the calls that rules name.
func withHook(t testing.TB, answer string, calls ...string) func(*Options) {
	t.Helper()
	rules, err := permit.ParseRules(calls)
	must(t, err)
	hooks, err := permit.NewHooks(permit.HookOptions{
		Dir: t.TempDir(), Env: []string{childEnv + "=hook"},
		Hooks: []permit.Hook{{Name: "h", Command: []string{os.Args[0], "", "", answer}, Calls: rules, Timeout: time.Minute}},
	})
	must(t, err)
	return func(o *Options) { o.Hooks = hooks }
}

// A hook is asked about every call that it names, also those that only look and
// would run beside others.
//
// Covers: turn-api REQ-04
func TestHooksAreAskedAboutLooking(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(r.withRequests, withTools(t,
		act{"looks", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
			t.Error("the call was made")
			return tool.Result{}, nil
		}},
		act{"sees", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
			return tool.Result{Text: "seen"}, nil
		}}), withHook(t, `{"verdict":"deny","note":"not today"}`, "looks"))
	r.provider.does(asks(call("a", "sees"), call("b", "looks"), call("c", "sees")))
	exitOf(t, r.say(r.session(), "go"))
	got := r.provider.outputs(t)
	if got["a"] != "seen" || got["c"] != "seen" || !strings.Contains(got["b"], "a hook refuses it: not today") {
		t.Errorf("the model got %q", got)
	}
}

// A question about a call that writes many files names some of them, and can be asked. Rules
// hear of all.
func TestQuestionAboutManyFiles(t *testing.T) {
	t.Parallel()
	for name, denied := range map[string]string{"asked": "write(other/**)", "denied": "writes(many/19999)"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules, err := permit.ParseRules([]string{denied})
			must(t, err)
			r := emptyRig(t)
			r.open(withTools(t, writesMany{}), r.withRequests, func(o *Options) { o.Rules.Denied = rules })
			r.provider.does(asks(call("c", "writes")))
			id := r.session()
			s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go"})
			must(t, err)
			if name == "asked" {
				q := r.asked(id)
				if n := len(q.Effect.Paths); n == 0 || n > 200 {
					t.Errorf("the question names %d files", n)
				}
				_, err = r.engine.Decide(r.ctx(), DecisionRequest{SessionID: id, DecisionID: q.ID, Verdict: permit.VerdictAllow, By: "a person"})
				must(t, err)
			}
			if shown := payload[event.ToolOutcome](t, r.drain(s), event.ToolResult); shown.OK != (name == "asked") {
				t.Errorf("the call ended with %+v", shown)
			}
		})
	}
}

// writesMany is a tool that says of 20,000 files that it would write them.
type writesMany struct{}

func (writesMany) Spec() tool.Spec { return act{name: "writes"}.Spec() }

func (writesMany) Prepare(_ context.Context, w *tool.Environment, in json.RawMessage) (tool.Call, error) {
	run := func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: "written"}, nil
	}
	return many{acting{act{"writes", permit.Write, run}, w, in}}, nil
}

type many struct{ acting }

func (many) Effect() permit.Effect {
	e := permit.Effect{Tool: "writes", Kind: permit.Write, Summary: "writes"}
	for i := range 20_000 {
		e.Paths = append(e.Paths, fmt.Sprintf("many/%d", i))
	}
	return e
}

// What a hook and a person remark on a call that they let run reaches the model
// with its result; the hook's is in the question, too.
//
// Covers: turn-api REQ-04
func TestRemarksReachTheModel(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writesFreely(t), r.withRequests, withHook(t, `{"verdict":"","note":"it is Friday"}`))
	r.provider.does(asks(call("c", "writes")))
	id := r.session()
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go"})
	must(t, err)
	q := r.asked(id)
	if !strings.Contains(q.Reason, "a hook says: it is Friday") {
		t.Errorf("the question's reason is %q", q.Reason)
	}
	_, err = r.engine.Decide(r.ctx(), DecisionRequest{SessionID: id, DecisionID: q.ID, Verdict: permit.VerdictAllow, By: "a person", Note: "mind the tests"})
	must(t, err)
	shown := payload[event.ToolOutcome](t, r.drain(s), event.ToolResult).Output
	const want = "written\n\n[a hook says: it is Friday]\n\n[the person who allowed this call says: mind the tests]"
	if got := r.provider.outputs(t)["c"]; got != want || shown != want {
		t.Errorf("the model got %q, the readers %q, want %q", got, shown, want)
	}
}

// A call that is refused before it is worked out is on the audit log with what it
// was called with, and so is a command that had to be taken back, and one that changed
// what it may not.
func TestOverreachIsAudited(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	tools := append(files.New(files.Options{}), act{"bash", permit.Read, func(_ context.Context, w *tool.Environment, _ json.RawMessage) (tool.Result, error) {
		w.Ledger.Note(session.Change{Path: "_STATUS.md", Restored: true})
		return tool.Result{Text: "_STATUS.md was restored"}, nil
	}}, act{"run", permit.Read, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: "it changed .git/config", Overreach: "changed what it may not: .git/config", Failed: true}, nil
	}})
	r.open(withTools(t, tools...), r.withRequests)
	r.provider.does(asks(model.ToolCall{ID: "c", Name: "read", Input: json.RawMessage(`{"path":"../../etc/shadow"}`)}, call("d", "bash"), call("e", "run")))
	exitOf(t, r.say(r.session(), "go"))
	lines := r.audited("refusal")
	if len(lines) != 3 || !strings.Contains(lines[0].Summary, "../../etc/shadow") || !strings.Contains(lines[1].Reason, "_STATUS.md") ||
		!strings.Contains(lines[2].Reason, ".git/config") || r.provider.outputs(t)["e"] != "it changed .git/config" {
		t.Errorf("the audit log has %+v", lines)
	}
}

// askingHelper is an instruction root whose CHECKER may write, and asks.
func askingHelper(t testing.TB) func(*Options) {
	t.Helper()
	return withHelper(t, "tools: [read, grep, glob, list]\n", "", "| **BLOCKING** | never |", "| **BLOCKING** | allowed |")
}

// Two subagents that calls of one id started ask questions of their own.
func TestQuestionsOfSubagentsOfOneCallID(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(writesFreely(t), r.withRequests, askingHelper(t))
	var reports atomic.Int64
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if strings.Contains(q.System[0], "You are the agent CHECKER.") {
			answered(q, func() { use(yield, call("sub", "writes")) }, func() { reports.Add(1); says("the report")(ctx, q, yield) })
			return
		}
		if reports.Load() == 2 {
			says("all done")(ctx, q, yield)
			return
		}
		use(yield, model.ToolCall{ID: "c1", Name: "agent_CHECKER", Input: json.RawMessage(`{"task":"count the bridges"}`)})
	})
	id := r.session()
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go", Opts: Opts{Persona: "ENGINEER", SubagentGovernance: json.RawMessage(sealed)}})
	must(t, err)
	seen := map[string]bool{}
	for len(seen) < 2 {
		q := r.asked(id)
		seen[q.ID] = true
		if _, err := r.engine.Decide(r.ctx(), DecisionRequest{SessionID: id, DecisionID: q.ID, Verdict: permit.VerdictAllow}); err != nil {
			t.Fatal(err)
		}
	}
	if e := exitOf(t, r.drain(s)); e.ExitCode != 0 || reports.Load() != 2 {
		t.Errorf("exit %+v after %d reports", e, reports.Load())
	}
}
