package run_test

import (
	"strings"
	"testing"

	"belay/internal/fault"
)

// What can be known is evaluated before a model is asked: everything of the tasks that
// are certainly done, along the routes that the input chooses, and the run's outputs.
func TestAhead(t *testing.T) {
	t.Parallel()
	const first = `tasks: [{id: one, agent: a, prompt: x, on_success: {next: two}}, `
	tests := []struct{ name, tasks, wrong string }{
		{"a later prompt", first + `{id: two, agent: a, prompt: "{{ .input.none }}"}]`, `tasks[1].prompt: {{ .input.none }}: there is no "none"`},
		{"what a prompt does", first + `{id: two, agent: a, prompt: "{{ index .input.text 9 }}"}]`, "tasks[1].prompt"},
		{"the outputs", first + `{id: two, agent: a, prompt: x}]` + "\noutputs: {a: \"{{ .tasks.one.output.response }}\", b: \"{{ .input.none }}\"}", `outputs.b: {{ .input.none }}`},
		{"the outputs of a task", first + `{id: two, agent: a, prompt: x, outputs: {a: "{{ .output.response }} {{ .env.none }}", b: "{{ .env.none }}"}}]`, `tasks[1].outputs.b`},
		{"what is handed on", first + `{id: two, agent: a, prompt: x, on_success: {next: three, with: {a: "{{ .input.none }}"}}}, {id: three, agent: a, prompt: x}]`, `on_success.with.a`},
		{"beside what is not known", first + `{id: two, agent: a, prompt: "{{ .tasks.one.output.response }}"}]` + "\noutputs: {b: \"{{ .input.none }}\"}", `outputs.b`},
		{"an item", first + `{id: two, type: collection, items: [{a: 1}, {b: 1}], task: {id: it, agent: a, prompt: "{{ .item.a }}"}}]`, `{{ .item.a }}`},
		{"the last of many items", first + `{id: two, type: collection, items: "{{ until 40 | toJson }}", task: {id: it, agent: a, prompt: "{{ if eq .index 39 }}{{ .input.none }}{{ end }}"}}]`, `{{ .input.none }}`},
		{"at the same time", first + `{id: two, type: parallel, tasks: [{id: p, agent: a, prompt: "{{ .input.none }}"}]}]`, `tasks[1].tasks[0].prompt`},
		{"along a route", first + `{id: two, type: router, condition: input.text, routes: {x: three}, default: four}, {id: three, agent: a, prompt: "{{ .input.none }}"}, {id: four, agent: a, prompt: x}]`, `tasks[2].prompt`},
		{"the input of a tool", first + `{id: two, type: tool, tool: read, with: {path: x, limit: "{{ .input.text }}"}}]`, `tasks[1].with: the tool read: .limit: got string, want integer`},
		{"after a route that is not known", first + `{id: two, type: router, condition: tasks.one.output.response, routes: {x: three}, default: four}, {id: three, agent: a, prompt: x, on_success: {next: five}}, {id: four, agent: a, prompt: x, on_success: {next: five}}, {id: five, agent: a, prompt: "{{ .input.none }}"}]`, `tasks[4].prompt: {{ .input.none }}`},
		{"a blank prompt", first + `{id: two, agent: a, prompt: "{{ .input.text | trimAll \"x\" }}"}]`, `tasks[1].prompt: the prompt is blank, and the task has no attachments`},
		{"a prompt that shows nothing", first + `{id: two, agent: a, prompt: "\u200b{{ .input.text | trimAll \"x\" }}\ufeff"}]`, `tasks[1].prompt: the prompt is blank, and the task has no attachments`},
		{"rounds without an end", first + `{id: two, type: repeat, max: 3, until: index > 2, task: {id: r, agent: a, prompt: x}}]`, `tasks[1].until: whatever the task gives, it does not hold after any of its 3 rounds`},
		{"rounds that only the input ends", first + `{id: two, type: repeat, max: 3, until: workflow.input.text == "y", task: {id: r, agent: a, prompt: x}}]`, `tasks[1].until: whatever the task gives, it does not hold after any of its 3 rounds`},
		{"rounds whose end fails", first + `{id: two, type: repeat, max: 3, until: 'workflow.input.text > 3 ? output.response == "" : false', task: {id: r, agent: a, prompt: x}}]`, `tasks[1].until: the condition`},
		{"a part of a text", first + `{id: two, agent: a, prompt: "{{ .tasks.one.output.response }} {{ .input.none }}"}]`, `tasks[1].prompt: {{ .input.none }}`},
		{"a part of a text in an unknown collection", first + `{id: two, type: collection, items: "{{ splitList \",\" .tasks.one.output.response }}", task: {id: it, agent: a, prompt: "{{ .item }} {{ .workflow.input.none }}"}}]`, `tasks[1].task.prompt: {{ .workflow.input.none }}`},
		{"a part of what is handed on", first + `{id: two, type: router, condition: input.text, routes: {x: three}}, {id: three, agent: a, prompt: x, on_success: {next: four, with: {a: "{{ .output.response }} {{ .workflow.input.none }}"}}}, {id: four, agent: a, prompt: x}]`, `tasks[2].on_success.with.a: {{ .workflow.input.none }}`},
		{"a part of a condition", first + `{id: two, type: router, condition: 'input.none == "a" ? tasks.one.output.response == "b" : false', routes: {"true": three}, default: three}, {id: three, agent: a, prompt: x}]`, "no such key: none"},
		{"a route that there is not", first + `{id: two, type: router, condition: 'input.text == "x" || tasks.one.output.response == "b" ? input.text : "d"', routes: {d: three}}, {id: three, agent: a, prompt: x}]`, `the router two has no route for "x" and no default`},
		{"one file written twice", first + `{id: two, type: parallel, tasks: [{id: l, type: tool, tool: write, with: {path: o/x, content: a}}, {id: r, type: tool, tool: write, with: {path: ./o/x, content: b}}]}]`, `tasks[1].tasks[1].with: another task writes o/x at the same time`},
		{"a condition", first + `{id: two, type: router, condition: input.none, routes: {x: three}}, {id: three, agent: a, prompt: x}]`, "no such key: none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, agents+tt.tasks, echo)
			request := b.request(map[string]any{"text": "x"})
			for _, err := range []error{b.r.Check(t.Context(), request), started(b)} {
				if !fault.Is(err, fault.InvalidWorkflow) || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("want %s, got %v", tt.wrong, err)
				}
			}
			if len(b.e.asked()) > 0 {
				t.Errorf("asked: %q", b.e.asked())
			}
		})
	}
}

func started(b *bench) error {
	_, err := b.r.Start(b.t.Context(), b.request(map[string]any{"text": "x"}))
	return err
}

// A task that may not be done at all, or whose failure the author expects, keeps nothing
// from beginning.
func TestAheadOfWhatMayNotBeDone(t *testing.T) {
	t.Parallel()
	for _, tasks := range []string{
		`tasks: [{id: r, type: router, condition: input.text, routes: {y: bad}, default: good}, {id: bad, agent: a, prompt: "{{ .input.none }}"}, {id: good, agent: a, prompt: x}]`,
		`tasks: [{id: r, agent: a, prompt: x, on_success: {next: s}}, {id: s, type: router, condition: tasks.r.output.response, routes: {x: good}, default: bad}, {id: bad, agent: a, prompt: "{{ .input.none }}"}, {id: good, agent: a, prompt: x}]`,
		`tasks: [{id: bad, type: repeat, max: 2, until: index > 0, task: {id: r, agent: a, prompt: x}}]`,
		`tasks: [{id: bad, type: repeat, max: 2, until: "false", task: {id: r, agent: a, prompt: x}, on_error: {next: good}}, {id: good, agent: a, prompt: x}]`,
		`tasks: [{id: r, agent: a, prompt: x, on_success: {next: s}}, {id: s, type: repeat, max: 2, until: 'workflow.input.text == "y" || output.response == "x"', task: {id: t, agent: a, prompt: x}}]`,
		`tasks: [{id: r, agent: a, prompt: x, on_success: {next: s}}, {id: s, agent: a, prompt: '{{ if eq .tasks.r.output.response "y" }}{{ .input.none }}{{ end }}{{ .input.none | default "" }}z'}]`,
		`tasks: [{id: r, agent: a, prompt: x, on_success: {next: s}}, {id: s, type: router, condition: 'tasks.r.output.response == "x" || input.none == "y"', routes: {"true": good}, default: good}, {id: good, agent: a, prompt: x}]`,
		`tasks: [{id: bad, agent: a, prompt: "{{ .input.none }}", on_error: {next: good}}, {id: good, agent: a, prompt: x}]`,
		`tasks: [{id: r, agent: a, prompt: x, on_success: {next: s, with: {none: 1}}}, {id: s, agent: a, prompt: "{{ .input.none }}"}]`,
	} {
		b := newBench(t, agents+tasks, echo)
		if r := b.run(map[string]any{"text": "x"}); r.Status != "success" {
			t.Errorf("%s: %+v", tasks, r.Error)
		}
	}
}

// The outputs of a task, and what it hands on, see what the task was given.
func TestOutputsSeeWhatTheTaskWasGiven(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks:
  - {id: one, agent: a, prompt: x, with: {own: mine}, outputs: {a: "{{ .with.own }} {{ .input.own }} {{ .output.response }}"}, on_success: {next: two, with: {b: "{{ .with.own }} {{ .output.a }}"}}}
  - {id: two, agent: a, prompt: "{{ .with.b }}", outputs: {c: "{{ .with.b }}"}}
outputs: {c: "{{ .tasks.two.output.c }} {{ .input.text }}"}
`, echo)
	if r := b.run(map[string]any{"text": "whole"}); r.Status != "success" || r.Outputs["c"] != "mine mine mine x whole" {
		t.Errorf("%+v %v", r.Error, r.Outputs)
	}
}
