package turn

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/tool"
)

// withHelper has delegation on, with an instruction root whose ENGINEER delegates to CHECKER. In
// the files of both each text is replaced by the one after it.
func withHelper(t testing.TB, replaced ...string) func(*Options) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("../../examples/agent/instructions")))
	for _, name := range []string{"CHECKER", "ENGINEER"} {
		path := filepath.Join(dir, "agents", "AGENT_"+name+".md")
		text, err := os.ReadFile(path)
		must(t, err)
		must(t, os.WriteFile(path, []byte(strings.NewReplacer(replaced...).Replace(string(text))), 0o600))
	}
	root, err := persona.Open(dir)
	must(t, err)
	return func(o *Options) { o.Root, o.Rules.SubagentsEnabled = root, "true" }
}

// helped plays an ENGINEER that delegates once, and the CHECKER as helper does.
func helped(helper play) play {
	return func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		if strings.Contains(q.System[0], "You are the agent CHECKER.") {
			helper(ctx, q, yield)
			return
		}
		task := model.ToolCall{ID: "c1", Name: "agent_CHECKER", Input: json.RawMessage(`{"task":"count the bridges"}`)}
		answered(q, func() { use(yield, task) }, func() { says("all done")(ctx, q, yield) })
	}
}

// What keeps a subagent from its work is its parent's to know, or a warning of the turn, and the
// turn goes on.
//
// Covers: workspace 9.7
func TestWhatASubagentLacks(t *testing.T) {
	t.Parallel()
	const tools, never = "tools: [read, grep, glob, list]\n", "| **BLOCKING** | never |"
	writes := asks(call("sub", "writes"))
	long := strings.Repeat("X", persona.MaxSubagentID+1)
	for name, c := range map[string]struct {
		replaced []string
		helper   play
		want     string
	}{
		"a remark after never": {[]string{tools, "", never, "| **BLOCKING** | never (but may return FAILED_INPUTS) |"}, writes,
			"nobody can be asked: persona CHECKER works without asking (BLOCKING never)"},
		"tools that cannot be read": {[]string{tools, "tools: {a: b}\n"}, writes, "subagent CHECKER: tools is neither a list"},
		"a denial that is misspelt": {[]string{tools, "disallowed_tools: [wrties]\n"}, writes, "which cannot be followed: the agent goes without the tool writes"},
		"tools that others lack":    {nil, writes, "subagent CHECKER: it goes without these tools, which the agent that delegates lacks, too: glob, grep, list, read"},
		"a model that nobody knows": {[]string{tools, "model: no-such-model\n"}, says("ok"), "is not known here; its limits are assumed"},
		"a provider that fails": {nil, func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
			yield(nil, fault.New(fault.SDKFailure, "no such model").WithStatus(404))
		}, "[The agent did not finish: no such model]"},
		"no more model calls": {[]string{tools, "", "max_turns: 10", "max_turns: 1"}, writes, "[The agent did not finish: it has made as many model calls as it may"},
		"no file":             {[]string{"subagents: CHECKER", "subagents: [CHECKER, GONE]"}, says("ok"), "subagent GONE has no readable file"},
		"a long name":         {[]string{"subagents: CHECKER", "subagents: [CHECKER, " + long + "]"}, says("ok"), "subagent " + long + ": its name is too long; 58 characters are the most"},
		"a gate that is shut": {[]string{"AGENT_TYPE: 1", "AGENT_TYPE: 2"}, says("ok"), "nothing is delegated, although the turn approves it: persona ENGINEER is not allowlisted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := emptyRig(t)
			with := withHelper(t, c.replaced...)
			r.open(writesFreely(t), r.withRequests, with, func(o *Options) {
				text, err := os.ReadFile("../../examples/agent/instructions/agents/AGENT_CHECKER.md")
				must(t, err)
				must(t, os.WriteFile(filepath.Join(o.Root.Path(), "agents", "AGENT_"+long+".md"), text, 0o600))
			})
			r.provider.does(helped(c.helper))
			events := r.say(r.session(), "go", func(q *Request) {
				q.Opts.Persona, q.Opts.SubagentGovernance = "ENGINEER", json.RawMessage(sealed)
			})
			if e := exitOf(t, events); e.ExitCode != 0 {
				t.Errorf("exit %+v", e)
			}
			said := ""
			for _, e := range events {
				said += string(e.Data) + "\n"
			}
			if !strings.Contains(said, c.want) {
				t.Errorf("no %q in\n%s", c.want, said)
			}
		})
	}
}

// The first word of INTERACTION_SURFACE counts, as that of other properties does.
func TestSurfaceWithARemark(t *testing.T) {
	t.Parallel()
	r := newRig(t, writesFreely(t), withHelper(t, "| chat |", "| both (a person or a brief) |", "| INIT-TASK |", "| `spawned` (by others) |"))
	r.provider.does(helped(says("ok")))
	events := r.say(r.session(), "go", func(q *Request) {
		q.Opts.Persona, q.Opts.SubagentGovernance = "ENGINEER", json.RawMessage(sealed)
	})
	if w := payload[event.Init](t, events, event.SessionInit).Warnings; len(w) > 0 {
		t.Errorf("%+v", w)
	}
}

// A call that is too long for a question is refused, and the turn goes on.
func TestCallTooLongForAQuestion(t *testing.T) {
	t.Parallel()
	r := emptyRig(t)
	r.open(r.withRequests, withTools(t, act{"writes", permit.Write, func(context.Context, *tool.Environment, json.RawMessage) (tool.Result, error) {
		t.Error("the call was made")
		return tool.Result{}, nil
	}}))
	c := call("c", "writes")
	c.Input = json.RawMessage(`{"text":"` + strings.Repeat("x", 600<<10) + `"}`)
	r.provider.does(asks(c))
	events := r.say(r.session(), "go")
	if e := exitOf(t, events); e.ExitCode != 0 || e.Calls.Refused != 1 {
		t.Errorf("exit %+v", e)
	}
	if got := payload[event.ToolOutcome](t, events, event.ToolResult); !strings.HasPrefix(got.Output, "not permitted: a question about it would be too long to be shown") {
		t.Errorf("%+v", got)
	}
}
