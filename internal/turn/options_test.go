package turn

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
)

// rootedRig is a rig on an instruction root of its own.
func rootedRig(t *testing.T, change ...func(*Options)) *rig {
	return newRig(t, append([]func(*Options){func(o *Options) {
		root, err := persona.Open(instructionRoot(t))
		must(t, err)
		o.Root, o.Rules.DefaultModel = root, "from-default"
	}}, change...)...)
}

// Covers: turn-api REQ-07; workspace 9.8
func TestFallbackChains(t *testing.T) {
	t.Parallel()
	r := rootedRig(t)
	rec := session.Record{Persona: "WORKING_ITEMS", Mode: "plan", Model: "from-record"}
	tests := []struct {
		name   string
		o      Opts
		change func(*Options)
		check  func(s resolved) any
		want   any
	}{
		{"model: opts", Opts{Model: " from-opts "}, func(o *Options) { o.GlobalModel = "from-setting" }, func(s resolved) any { return s.Model }, "from-opts"},
		{"model: setting", Opts{}, func(o *Options) { o.GlobalModel = "from-setting" }, func(s resolved) any { return s.Model }, "from-setting"},
		{"model: AGENTS.md", Opts{}, nil, func(s resolved) any { return s.Model }, "from-agents"},
		{"model: default", Opts{Model: " "}, func(o *Options) { o.Root, _ = persona.Open("") }, func(s resolved) any { return s.Model }, "from-default"},
		{"persona: opts", Opts{Persona: "BOSS"}, nil, func(s resolved) any { return s.Persona.ID }, "BOSS"},
		{"persona: session", Opts{Persona: "  "}, nil, func(s resolved) any { return s.Persona.ID }, "WORKING_ITEMS"},
		{"mode: opts", Opts{Mode: "dontAsk"}, nil, func(s resolved) any { return s.Mode }, "dontAsk"},
		{"mode: session", Opts{}, nil, func(s resolved) any { return s.Mode }, "plan"},
		{"mode: known", Opts{Mode: "dontAsk"}, nil, func(s resolved) any { return warned(s.Warnings, "UNKNOWN_MODE") }, false},
		{"mode: of the workbench", Opts{Mode: "PORTAL"}, nil, func(s resolved) any { return warned(s.Warnings, "UNKNOWN_MODE") }, false},
		{"mode: unknown", Opts{Mode: "plann"}, nil, func(s resolved) any { return warned(s.Warnings, "UNKNOWN_MODE") }, true},
		{"mode: unknown is kept", Opts{Mode: "plann"}, nil, func(s resolved) any { return s.Mode }, "plann"},
		{"maxTurns: opts", Opts{Persona: "BOSS", MaxTurns: ptr(3)}, nil, func(s resolved) any { return s.MaxTurns }, 3},
		{"maxTurns: opts above the setting", Opts{MaxTurns: ptr(99)}, nil, func(s resolved) any { return s.MaxTurns }, 99},
		{"maxTurns: effective persona", Opts{Persona: "BOSS"}, nil, func(s resolved) any { return s.MaxTurns }, 7},
		{"maxTurns: setting", Opts{}, nil, func(s resolved) any { return s.MaxTurns }, 5},
		{"maxTokens: only tighter", Opts{MaxTokens: ptr(int64(900))}, func(o *Options) { o.Rules.Limits.MaxTokens = 100 }, func(s resolved) any { return s.MaxTokens }, int64(100)},
		{"maxTokens: tighter", Opts{MaxTokens: ptr(int64(50))}, func(o *Options) { o.Rules.Limits.MaxTokens = 100 }, func(s resolved) any { return s.MaxTokens }, int64(50)},
		{"maxTokens: no setting", Opts{MaxTokens: ptr(int64(50))}, nil, func(s resolved) any { return s.MaxTokens }, int64(50)},
		{"tools: none asked", Opts{Persona: "BOSS", Tools: &[]string{}}, nil, func(s resolved) any { return warned(s.Warnings, "TOOLS_UNAVAILABLE") }, false},
		{"tools: persona's", Opts{Persona: "BOSS"}, nil, func(s resolved) any { return warned(s.Warnings, "TOOLS_UNAVAILABLE") }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := r.options
			if tt.change != nil {
				tt.change(&o)
			}
			s, err := newResolver(&o).resolve(t.Context(), rec, Request{Opts: tt.o})
			must(t, err)
			if got := tt.check(s); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A turn that nobody waits for any more does not go on once its tools were waited for; what is
// missing is a warning.
func TestToolsOfProgramsOutside(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	rec, err := r.store.Get(r.ctx(), r.session())
	must(t, err)
	o := r.options
	o.MoreTools = outside{}
	s, err := newResolver(&o).resolve(t.Context(), rec, Request{})
	must(t, err)
	if !warned(s.Warnings, "MCP") {
		t.Errorf("warnings %+v", s.Warnings)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(os.ErrClosed)
	if _, err := newResolver(&o).resolve(ctx, rec, Request{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("nobody waits: %v", err)
	}
}

// outside is a source whose program does not answer.
type outside struct{}

func (outside) With(_ context.Context, base *tool.Set, _ []string) (*tool.Set, []string) {
	return base, []string{"the tools of the MCP server x are missing"}
}

func (outside) Await(context.Context, string) {}

func (outside) Names() []string { return []string{"mcp.x.*"} }

func warned(all []event.Warning, code string) bool {
	return slices.ContainsFunc(all, func(w event.Warning) bool { return w.Code == code })
}

// Covers: turn-api REQ-07
func TestUnknownOptions(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := newRig(t, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	events := r.say(r.session(), "hi", func(q *Request) { q.Opts.Unknown = []string{"colour", "speed"} })
	init := payload[event.Init](t, events, event.SessionInit)
	if len(init.Warnings) != 1 || init.Warnings[0].Code != "UNKNOWN_OPTIONS" || !strings.Contains(init.Warnings[0].Message, "colour, speed") {
		t.Errorf("warnings %+v", init.Warnings)
	}
	if n := strings.Count(log.String(), "unknown options"); n != 1 {
		t.Errorf("%d lines in the log: %s", n, &log)
	}
}

// A limit that is written in another way is refused: ignored it would limit nothing.
func TestLimitsWithTypos(t *testing.T) {
	t.Parallel()
	for unknown, want := range map[string]string{"maxCostUSD": "maxCostUsd", "max_cost_usd": "maxCostUsd", "MaxTurns": "maxTurns", "time-outMS": "timeoutMs", "Tools": "tools", "maxCost": "", "colour": ""} {
		err := Opts{Unknown: []string{"speed", unknown}}.Validate()
		if want == "" && err != nil || want != "" && (!fault.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "opts."+unknown) || !strings.Contains(err.Error(), "the option is "+want)) {
			t.Errorf("%s: %v", unknown, err)
		}
	}
}

// Every gate is visible to the client, and none stops the turn.
//
// Covers: workspace 9.7
func TestGovernanceIsVisible(t *testing.T) {
	t.Parallel()
	const all = `{"contextSealed":true,"pipelineRunApproved":true,"approvalRef":"ref-1"}`
	tests := []struct{ gate, enabled, persona, metadata string }{
		{"ENVIRONMENT", "TRUE", "BOSS", all},
		{"PERSONA_ALLOWLIST", "true", "WORKING_ITEMS", all},
		{"PERSONA_ALLOWLIST", "true", "LONER", all},
		{"METADATA_PRESENCE", "true", "BOSS", ``},
		{"METADATA_PRESENCE", "true", "BOSS", `[]`},
		{"CONTEXT_SEALED", "true", "BOSS", `{"contextSealed":"true","pipelineRunApproved":true,"approvalRef":"r"}`},
		{"PIPELINE_RUN_APPROVED", "true", "BOSS", `{"contextSealed":true,"approvalRef":"r"}`},
		{"APPROVAL_REF", "true", "BOSS", `{"contextSealed":true,"pipelineRunApproved":true,"approvalRef":" "}`},
		{"ALLOW", "true", "BOSS", all},
	}
	for _, tt := range tests {
		t.Run(tt.gate, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			r := rootedRig(t, func(o *Options) {
				o.Rules.SubagentsEnabled, o.Logger = tt.enabled, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			})
			events := r.say(r.session(), "hi", func(q *Request) {
				q.Opts.Persona, q.Opts.SubagentGovernance = tt.persona, []byte(tt.metadata)
			})
			g := payload[event.Init](t, events, event.SessionInit).Governance
			if g == nil || g.Gate != tt.gate || g.Allowed != (tt.gate == "ALLOW") || g.Reason == "" {
				t.Errorf("governance %+v", g)
			}
			if exit := exitOf(t, events); exit.ExitCode != 0 {
				t.Errorf("exit %+v", exit)
			}
			if n := strings.Count(log.String(), "evaluationMs"); n != 1 {
				t.Errorf("%d decisions in the log: %s", n, &log)
			}
			if missing := strings.Contains(log.String(), "MISSING"); missing != g.Allowed {
				t.Errorf("the log tells of the missing subagent: %v", missing)
			}
		})
	}
}

// A caller's names go on record with every turn: they are bounded, and a list of
// them is told in part.
func TestNamesOnRecordAreBounded(t *testing.T) {
	t.Parallel()
	for _, name := range []string{strings.Repeat("m", session.MaxNameBytes+1), "two\nlines"} {
		for _, o := range []Opts{{Model: name}, {Mode: name}} {
			if err := o.Validate(); !fault.Is(err, fault.InvalidRequest) {
				t.Errorf("%.20q: %v, want INVALID_REQUEST", name, err)
			}
		}
	}
	if got, want := fault.List([]string{"a", "b"}), "a, b"; got != want {
		t.Errorf("listed = %q, want %q", got, want)
	}
	many := fault.List(slices.Repeat([]string{strings.Repeat("n", 10_000)}, 1000))
	if !strings.HasSuffix(many, " and 980 more") || len(many) > 5000 {
		t.Errorf("listed gives %d bytes, ending in %q", len(many), many[len(many)-20:])
	}
}

// Every problem of a new session is told, always in the same order.
func TestCreateTellsEveryProblem(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for range 20 {
		_, err := r.engine.Create(r.ctx(), CreateRequest{ProjectRoot: r.project, Persona: "a\x00b", Mode: strings.Repeat("m", session.MaxNameBytes+1)})
		f := fault.From(err)
		if f == nil || f.Type != fault.InvalidRequest || f.Details["field"] != "persona" {
			t.Fatalf("got %+v", f)
		}
		if got := f.Details["problems"].([]fault.Problem); len(got) != 2 || got[1].Field != "mode" {
			t.Fatalf("problems %+v", got)
		}
	}
}
