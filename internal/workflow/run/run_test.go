package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

const agents = `id: flow
agents:
  - id: a
    instructions: "You are {{ .workflow.id }}."
    tools: [read]
`

// Every key of the context is seen by every field, in the file's order of what is
// given: the workflow's input, what the task before hands on, the task's own with.
//
// Covers: attachments T1
func TestContext(t *testing.T) {
	t.Parallel()
	b := newBench(t, `id: flow
version: "2"
input: {type: object, properties: {n: {type: integer, default: 1000000}}}
env: {word: "w-{{ .workflow.input.n }}"}
agents:
  - id: the-agent
    model: m1
    instructions: "{{ .workflow.id }} {{ .env.word }} {{ index .agents \"the-agent\" \"model\" }}"
    with: {low: agent, mid: agent}
    attachments: [{type: file, path: "{{ .env.word }}-agent.txt"}]
    actions:
      - id: act
        with: {mid: action, high: action}
        prompt: "{{ .with.low }} {{ .with.mid }} {{ .input.high }} {{ .workflow.exec_id }} {{ .workflow.status }} {{ .tools.read.id }} {{ len .trigger }}"
        attachments: [{type: file, path: "{{ .with.mid }}.txt"}, {type: file, path: seen.txt, name: again}]
tasks:
  - id: first-task
    agent: the-agent
    action: act
    attachments: [{type: file, path: seen.txt}]
    outputs: {said: "{{ .output.response }}", n: "{{ .workflow.input.n }}"}
    on_success: {next: second, with: {from: "{{ .tasks.first-task.output.n }}"}}
  - id: second
    agent: the-agent
    action: act
    prompt: "{{ .input.from }} {{ .with.mine }} {{ .tasks.first-task.status }} {{ .tasks.first-task.error }}{{ len .tasks.first-task.children }}{{ .tasks.first-task.input.mid }}"
    with: {mine: "got {{ .with.from }}", low: l, mid: m, high: h}
outputs: {all: "{{ .tasks.second.output.response }}", status: "{{ .workflow.status }}", n: "{{ .tasks.first-task.output.n }}"}
`, echo)
	r := b.run(nil)
	if r.Status != run.Success {
		t.Fatalf("%s: %+v", r.Status, r.Error)
	}
	first := "agent action action " + r.ID + " running read 0"
	second := "l m h " + r.ID + " running read 0\n\n1000000 got 1000000 success 0action"
	want := map[string]any{"all": second, "status": "success", "n": int64(1000000)}
	if diff := cmp.Diff(want, r.Outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{first, second}, b.e.asked()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	request := b.e.requests[0]
	if request.Agent.Instructions != "flow w-1000000 m1" || request.Agent.Name != "the-agent" || request.Opts.Model != "m1" {
		t.Errorf("%+v", request.Agent)
	}
	var names []string
	for _, it := range request.Items {
		names = append(names, it.Name)
	}
	if got := strings.Join(names, " "); got != "seen.txt w-1000000-agent.txt action.txt" {
		t.Errorf("attached: %s", got)
	}
	if b.e.created[0].Persona != "workflow:the-agent" {
		t.Errorf("the session's persona is %s", b.e.created[0].Persona)
	}
}

// What follows a task is said by the file alone: routes, success, failure; a final
// task ends the run, and nothing falls through to the next of the list.
//
// Covers: attachments 2
func TestWays(t *testing.T) {
	t.Parallel()
	const tail = `
  - {id: left, agent: a, prompt: left, final: true}
  - {id: right, agent: a, prompt: right, on_success: {next: end}}
  - {id: end, agent: a, prompt: end}
  - {id: never, agent: a, prompt: never}
`
	tests := []struct {
		name, tasks string
		input       map[string]any
		asked       string
		wrong       string
	}{
		{"a route", `tasks: [{id: r, type: router, condition: input.way, routes: {l: left, r: right}}` + flow(tail), map[string]any{"way": "l"}, "left", ""},
		{"on and on", `tasks: [{id: r, type: router, condition: input.way, routes: {l: left, r: right}}` + flow(tail), map[string]any{"way": "r"}, "right end", ""},
		{"the default", `tasks: [{id: r, type: router, condition: input.way, routes: {l: left}, default: end}` + flow(tail), map[string]any{"way": "x"}, "end", ""},
		{"no route", `tasks: [{id: r, type: router, condition: input.way, routes: {l: left, q: end}}` + flow(tail), map[string]any{"way": "x"}, "", `no route for "x" and no default; its routes are l, q`},
		{"a router that fails", `tasks: [{id: r, type: router, condition: input.none, routes: {l: left}, on_error: {next: right, with: {why: "{{ .tasks.r.error }}"}}}` + flow(tail), map[string]any{}, "right end", ""},
		{"a failure that is handled", `tasks: [{id: f, agent: a, prompt: FAIL, on_error: {next: left}, on_success: {next: right}}` + flow(tail), nil, "FAIL left", ""},
		{"a failure that is not", `tasks: [{id: f, agent: a, prompt: FAIL, on_success: {next: right}}` + flow(tail), nil, "FAIL", "the task f failed: no luck"},
		{"no fall-through", `tasks: [{id: f, agent: a, prompt: only}` + flow(tail), nil, "only", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, agents+tt.tasks, func(r turn.Request) reply {
				if r.Message == "FAIL" {
					return reply{fails: "no luck"}
				}
				return echo(r)
			})
			sum, err := b.r.Start(t.Context(), b.request(tt.input))
			if err != nil && tt.asked == "" && strings.Contains(err.Error(), tt.wrong) {
				return // found before anything was asked
			} else if err != nil {
				t.Fatal(err)
			}
			r := b.ended(sum.ID)
			if got := strings.Join(b.e.asked(), " "); got != tt.asked {
				t.Errorf("asked %q, want %q", got, tt.asked)
			}
			if tt.wrong == "" && r.Status != run.Success || tt.wrong != "" && (r.Status != run.Failed || !strings.Contains(r.Error.Message, tt.wrong)) {
				t.Errorf("%s: %+v", r.Status, r.Error)
			}
		})
	}
}

// flow puts block entries of a list into a flow list.
func flow(block string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(block), "\n") {
		b.WriteString(", " + strings.TrimPrefix(strings.TrimSpace(line), "- "))
	}
	return b.String() + "]\n"
}

// A task that holds others succeeds or fails as its strategy says; children see the
// attachments of the task that holds them.
//
// Covers: attachments 3
func TestStrategies(t *testing.T) {
	t.Parallel()
	tests := []struct {
		strategy, bad string
		status        run.Status
		output        any
	}{
		{"wait_all", "", run.Success, map[string]any{"x": done("x"), "y": done("y"), "z": done("z")}},
		{"wait_all", "y", run.Failed, nil},
		{"best_effort", "y", run.Success, map[string]any{"x": done("x"), "z": done("z"), "y": map[string]any{"status": "failed", "output": nil, "error": "no luck"}}},
		{"fail_fast", "y", run.Failed, nil},
		{"race", "y", run.Success, map[string]any{"response": "x"}},
		{"race", "xyz", run.Failed, nil},
	}
	for _, tt := range tests {
		t.Run(tt.strategy+tt.bad, func(t *testing.T) {
			t.Parallel()
			begun := make(chan struct{})
			begin := sync.OnceFunc(func() { close(begun) })
			b := newBench(t, agents+`tasks:
  - id: both
    type: parallel
    strategy: `+tt.strategy+`
    attachments: [{type: file, path: held.txt}]
    tasks: [{id: x, agent: a, prompt: x, attachments: [{type: file, path: own.txt}]}, {id: y, agent: a, prompt: y}, {id: z, agent: a, prompt: z}]
outputs: {both: "{{ .tasks.both.output }}"}
`, func(r turn.Request) reply {
				if r.Message == "x" {
					begin()
				} else if tt.strategy == "fail_fast" {
					<-begun // or x is stopped before there is anything to stop
				}
				switch {
				case strings.Contains(tt.bad, r.Message):
					return reply{fails: "no luck"}
				case tt.strategy == "fail_fast", tt.strategy == "race" && r.Message == "z":
					return reply{hangs: true} // until it is stopped for the sake of another
				}
				return echo(r)
			})
			r := b.run(nil)
			if r.Status != tt.status {
				t.Fatalf("%s: %+v", r.Status, r.Error)
			}
			if tt.status == run.Success {
				if diff := cmp.Diff(tt.output, r.Outputs["both"]); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			for _, q := range b.e.requests {
				if q.Message == "x" && (len(q.Items) != 2 || q.Items[0].Name != "held.txt" || q.Items[1].Name != "own.txt") {
					t.Errorf("x was shown %v", q.Items)
				}
			}
			if tt.strategy == "fail_fast" && task(t, r, "both/x").Status != run.Cancelled {
				t.Errorf("x is %s", task(t, r, "both/x").Status)
			}
		})
	}
}

func done(text string) map[string]any {
	return map[string]any{"status": "success", "output": map[string]any{"response": text}}
}

// A collection does its task for each item, so many at a time, and gives their
// results in the order of the items.
func TestCollection(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks:
  - id: each
    type: collection
    items: "{{ .input.list }}"
    batch: 2
    task: {id: one, agent: a, with: {what: "{{ .item.name }}", outer: "{{ .input.more }}"}, prompt: "{{ .index }} {{ .item.name }} {{ .input.what }} {{ .with.outer }}", attachments: [{type: file, path: "{{ .item.name }}.txt"}]}
    on_success: {next: last}
  - {id: last, agent: a, prompt: "{{ range .tasks.each.children }}{{ .item.name }}={{ .output.response }};{{ end }}"}
`, echo)
	var list []any
	for i := range 7 {
		list = append(list, map[string]any{"name": fmt.Sprintf("n%d", i)})
	}
	r := b.run(map[string]any{"list": list, "more": "x"})
	if r.Status != run.Success {
		t.Fatalf("%+v", r.Error)
	}
	if most := b.e.most.Load(); most > 2 {
		t.Errorf("%d were at work at once", most)
	}
	want := ""
	for i := range 7 {
		want += fmt.Sprintf("n%d=%d n%d n%d x;", i, i, i, i)
	}
	if got := b.e.last().Message; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if k := task(t, r, "each/3/one"); *k.Index != 3 || k.Attachments[0].Origin != "n3.txt" || k.Order <= task(t, r, "each/2/one").Order {
		t.Errorf("%+v", k)
	}
	for items, wrong := range map[string]string{
		`"{{ .input.more }}"`:            `the text "x"`,
		`"{{ until 51 | toJson }}"`:      "there are 51, more than 50 (workflow.max_items)",
		`"{{ .input.none }}"`:            `there is no "none" in .input`,
		`"{{ dict \"a\" 1 | toJson  }}"`: "a mapping",
	} {
		b.file("flow.yaml", agents+"tasks: [{id: each, type: collection, items: "+items+", task: {id: one, agent: a, prompt: x}}]")
		if _, err := b.r.Start(t.Context(), b.request(map[string]any{"more": "x"})); !fault.Is(err, fault.InvalidWorkflow) || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: it begins: %v", items, err)
		}
		b.file("flow.yaml", agents+"tasks: [{id: one, agent: a, prompt: x, on_success: {next: each}}, {id: each, type: collection, items: "+items+", task: {id: each-one, agent: a, prompt: x}}]")
		if _, err := b.r.Start(t.Context(), b.request(map[string]any{"more": "x"})); !fault.Is(err, fault.InvalidWorkflow) || !strings.Contains(err.Error(), wrong) || len(b.e.asked()) != 7+1 {
			t.Errorf("%s as the second task: it begins: %v", items, err)
		}
	}
	b.file("flow.yaml", agents+`tasks: [{id: each, type: collection, items: [], task: {id: one, agent: a, prompt: x}}]`)
	if r := b.run(nil); r.Status != run.Success {
		t.Errorf("no items: %+v", r.Error)
	}
}

// What an agent may do and take is what task and agent say, and no more than the
// person who starts the run allows.
func TestRights(t *testing.T) {
	t.Parallel()
	b := newBench(t, `id: flow
agents:
  - id: a
    instructions: x
    tools: [read, write]
    permissions: {allow: [write], deny: ["bash(rm *)"]}
    budget: {max_turns: 5, max_cost: 2, max_time: 1m}
  - {id: free, instructions: x}
tasks:
  - {id: one, agent: a, prompt: one, tools: [], permissions: {deny: [write]}, budget: {max_turns: 9, max_tokens: 100}, on_success: {next: two}}
  - {id: two, agent: a, prompt: two, on_success: {next: three}}
  - {id: three, agent: free, model: m3, prompt: three}
`, echo)
	q := b.request(nil)
	q.Allow, q.Mode = []string{"read"}, "plan"
	s, err := b.r.Start(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if r := b.ended(s.ID); r.Status != run.Success {
		t.Fatalf("%+v", r.Error)
	}
	one, two, three := b.e.requests[0], b.e.requests[1], b.e.requests[2]
	if diff := cmp.Diff([]string{"bash(rm *)", "write"}, one.Deny); diff != "" {
		t.Error(diff)
	}
	if len(one.Allow) != 1 || one.Allow[0] != "read" || one.Opts.Mode != "plan" {
		t.Errorf("allowed are %v in mode %s: the file allows nothing", one.Allow, one.Opts.Mode)
	}
	if *one.Opts.MaxTurns != 9 || *one.Opts.MaxTokens != 100 || *one.Opts.MaxCostUSD != 2 || *one.Opts.TimeoutMS != 60_000 {
		t.Errorf("%+v", one.Opts)
	}
	if len(*one.Opts.Tools) != 0 || len(*two.Opts.Tools) != 2 || len(*three.Opts.Tools) != 0 || three.Opts.Model != "m3" || three.Opts.MaxTurns != nil {
		t.Errorf("%+v\n%+v\n%+v", one.Opts, two.Opts, three.Opts)
	}
}

// What is wrong is told before anything is on record.
func TestNothingBegins(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		yaml string
		want string
	}{
		"a tool":       {"id: f\nagents: [{id: a, instructions: x, tools: [reed]}]\ntasks: [{id: t, agent: a, prompt: x}]", `agents[0].tools[0]: there is no tool "reed"`},
		"a rule":       {"id: f\nagents: [{id: a, instructions: x, permissions: {deny: ['bash(']}}]\ntasks: [{id: t, agent: a, prompt: x}]", `agents[0].permissions.deny`},
		"a provider":   {"id: f\nagents: [{id: a, instructions: x, model: {provider: other, model: m}}]\ntasks: [{id: t, agent: a, prompt: x}]", "wants the provider other, and scripted is configured"},
		"no provider":  {"id: f\nagents: [{id: a, instructions: x, model: {provider: nope, model: m}}]\ntasks: [{id: t, agent: a, prompt: x}]", `there is no provider "nope"`},
		"a snapshot":   {"id: f\nagents: [{id: a, instructions: x}]\ntasks: [{id: t, agent: a, prompt: x}]\nsnapshot: {root: ../out}", "snapshot.root: it must be a tool root"},
		"a first glob": {"id: f\nagents: [{id: a, instructions: x}]\ntasks: [{id: t, agent: a, prompt: x, attachments: [{type: image, paths: ['*.png']}]}]", `flow.yaml:3:`},
		"an escape":    {"id: f\nagents: [{id: a, instructions: x}]\ntasks: [{id: t, agent: a, prompt: x, attachments: [{type: image, path: ../x.png}]}]", "leads out of the folder"},
		"an input":     {"id: f\ninput: {type: object, required: [k]}\nagents: [{id: a, instructions: x}]\ntasks: [{id: t, agent: a, prompt: x}]", "input: missing property 'k'"},
		"env":          {"id: f\nenv: {a: '{{ .input.nope }}'}\nagents: [{id: a, instructions: x}]\ntasks: [{id: t, agent: a, prompt: x}]", `flow.yaml:2:10: env.a`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tt.yaml, echo)
			_, err := b.r.Start(t.Context(), b.request(nil))
			if !fault.Is(err, fault.InvalidWorkflow) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			left, err := filepath.Glob(filepath.Join(b.project, ".belay", "runs", "*"))
			if err != nil || len(left) > 0 || len(b.e.asked()) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
			if all, _, err := b.r.List(t.Context(), b.project, 0); err != nil || len(all) > 0 {
				t.Errorf("%v %v", all, err)
			}
		})
	}
}

// A snapshot holds the outputs, the record and each answer, and names no folder of
// the machine.
func TestPublished(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: "hello"}]
snapshot: {root: _Aggregation, label: mine}
`, echo)
	r := b.run(nil)
	if r.Status != run.Success || !strings.HasPrefix(r.Snapshot, "_Aggregation/mine_") {
		t.Fatalf("%s %+v", r.Snapshot, r.Error)
	}
	for name, want := range map[string]string{"tasks/t.md": "hello\n", "outputs.json": `"response": "hello"`, "run.json": `"id": "` + r.ID, "workflow/flow.yaml": "id: flow"} {
		data, err := os.ReadFile(filepath.Join(b.project, r.Snapshot, name))
		if err != nil || !strings.Contains(string(data), want) || strings.Contains(string(data), b.project) {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
}

// The workflow's own files keep their names in a snapshot, and replace nothing of it.
func TestPublishedNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"run.json", "outputs.json", "tasks", "workflow"} {
		b := newBench(t, "id: x\ntasks: []\n", echo)
		used := map[string]string{"run.json": "outputs.json"}[name]
		if used == "" {
			used = "run.json"
		}
		b.file(name, `{"id":"flow","use":["`+used+`"],"snapshot":{"root":"_Aggregation"},"tasks":[{"id":"t","agent":"a","prompt":"hello"}]}`)
		b.file(used, `{"agents":[{"id":"a","instructions":"i"}]}`)
		s, err := b.r.Start(t.Context(), run.Request{Project: b.project, File: filepath.Join(b.project, name)})
		if err != nil {
			t.Fatal(err)
		}
		r := b.ended(s.ID)
		if r.Status != run.Success {
			t.Fatalf("%s: %+v", name, r.Error)
		}
		for file, want := range map[string]string{
			"tasks/t.md": "hello\n", "outputs.json": `"response": "hello"`, "run.json": `"id": "` + r.ID, "workflow/" + name: `"use"`, "workflow/" + used: `"instructions"`,
		} {
			data, err := os.ReadFile(filepath.Join(b.project, r.Snapshot, file))
			if err != nil || !strings.Contains(string(data), want) {
				t.Errorf("of %s, %s: %v\n%s", name, file, err, data)
			}
		}
	}
}
