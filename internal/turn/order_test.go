package turn

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/fault"
	"belay/internal/persona"
	"belay/internal/session"
)

// The faults that one request can have at the same time, in the order in which
// they must be told (compatible contract 1.7, 5 to 10; the steps before belong
// to the surface). Every pair of them is tried.
//
// Covers: turn-api REQ-02, REQ-10, REQ-11, REQ-13; attachment-resolver REQ-08
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	type world struct {
		*rig
		q    Request
		root string
	}
	faults := []struct {
		name  string
		apply func(w *world)
		want  fault.Type
	}{
		{"option out of range", func(w *world) { w.q.Opts.MaxTurns = ptr(0) }, fault.InvalidRequest},
		{"message too long", func(w *world) { w.q.Message = strings.Repeat(" ", 1001) }, fault.RequestTooLarge},
		{"unknown session", func(w *world) { w.q.SessionID = "nobody" }, fault.SessionNotFound},
		{"key used before", func(w *world) { w.q.IdempotencyKey, w.q.BodyDigest = "key", "other" }, fault.IdempotencyConflict},
		{"no key", func(w *world) { w.provider.ready = fault.New(fault.MissingAPIKey, "no key") }, fault.MissingAPIKey},
		{"busy", func(w *world) { w.started(w.q.SessionID) }, fault.TurnInProgress},
		{"project gone", func(w *world) { must(w.t, os.RemoveAll(w.project)) }, fault.WorkingRootInaccessible},
		{"instruction root broken", func(w *world) { must(w.t, os.Remove(filepath.Join(w.root, "README.md"))) }, fault.InstructionRootInvalid},
		{"unknown persona", func(w *world) { w.q.Opts.Persona = "NOBODY" }, fault.PersonaNotFound},
		{"cost without price", func(w *world) { w.q.Opts.MaxCostUSD, w.q.Opts.Model = ptr(1.0), "no-price" }, fault.InvalidRequest},
		{"nothing to send", func(w *world) { w.q.Message, w.q.Attachments = w.q.Message[:0], []string{"gone.txt"} }, fault.AttachmentFailure},
	}
	for i, first := range faults {
		for _, second := range faults[i:] {
			if first.name == "message too long" && second.name == "nothing to send" {
				continue // a message cannot be both
			}
			t.Run(first.name+", "+second.name, func(t *testing.T) {
				t.Parallel()
				w := &world{root: instructionRoot(t)}
				w.rig = emptyRig(t)
				away := t.TempDir() // sessions outlive their project there
				w.stored = func(o *session.Options) { o.SessionRoot = away }
				w.open(func(o *Options) {
					root, err := persona.Open(w.root)
					must(t, err)
					o.Root, o.Rules.Limits.MessageBytes = root, 1000
				})
				id := w.session()
				w.say(id, "hello", func(q *Request) { q.IdempotencyKey, q.BodyDigest = "key", "digest" })
				w.q = Request{SessionID: id, Message: "hello again"}
				// A running turn has to begin before there are faults.
				for _, f := range []string{"busy", ""} {
					if (first.name == "busy") == (f != "") {
						first.apply(w)
					}
					if second.name != first.name && (second.name == "busy") == (f != "") {
						second.apply(w)
					}
				}
				_, err := w.engine.Start(w.ctx(), w.q)
				if got := fault.From(err); got == nil || got.Type != first.want {
					t.Errorf("got %v, want %s", err, first.want)
				}
			})
		}
	}
}

// instructionRoot is a folder that passes for one.
func instructionRoot(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"AGENTS.md": "---\nmodel: from-agents\n---\nRules.\n", "README.md": "Read.\n",
		"docs/DIRECTIVE.md": "x\n", "docs/CONTRACT.md": "x\n", "docs/SPEC.md": "x\n", "docs/TYPES.md": "x\n", "docs/PLAN.md": "x\n",
		"agents/AGENT_WORKING_ITEMS.md": "# WORKING_ITEMS\n\nAGENT_TYPE: TYPE 1\n",
		"agents/AGENT_BOSS.md":          "---\ntools: [read, grep]\nmax_turns: 7\nsubagents: [HAND, MISSING]\n---\nAGENT_TYPE: TYPE 1\n\nLead.\n",
		"agents/AGENT_HAND.md":          "AGENT_TYPE: TYPE 2\nAGENT_CLASS: TASK\n\nWork.\n",
		"agents/AGENT_LONER.md":         "---\nsubagents: [HAND]\n---\nAGENT_TYPE: TYPE 2\n\nWork.\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// Every option that is out of range is named, all in one answer.
//
// Covers: turn-api REQ-07
func TestOptionsOutOfRange(t *testing.T) {
	t.Parallel()
	tests := map[string]Opts{
		"maxTurns":     {MaxTurns: ptr(-1)},
		"maxTokens":    {MaxTokens: ptr(int64(0))},
		"maxCostUsd":   {MaxCostUSD: ptr(math.Inf(1))},
		"timeoutMs":    {TimeoutMS: ptr(int64(math.MaxInt64))},
		"onBusy":       {OnBusy: "wait"},
		"onDisconnect": {OnDisconnect: "cry"},
		"onQuestion":   {OnQuestion: "shout"},
	}
	for field, o := range tests {
		if err := o.Validate(); !fault.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "opts."+field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	all := Opts{MaxTurns: ptr(0), MaxTokens: ptr(int64(-5)), MaxCostUSD: ptr(math.NaN()), TimeoutMS: ptr(int64(0)), OnBusy: "x", OnDisconnect: "y", OnQuestion: "z"}
	if problems := fault.From(all.Validate()).Details["problems"].([]fault.Problem); len(problems) != len(tests) {
		t.Errorf("problems %v", problems)
	}
	fine := Opts{MaxTurns: ptr(1), TimeoutMS: ptr(int64(1)), OnBusy: onBusyQueue, OnDisconnect: onDisconnectInterrupt, OnQuestion: OnQuestionWait}
	if err := fine.Validate(); err != nil || !fine.InterruptOnDisconnect() {
		t.Errorf("good options: %v", err)
	}
}
