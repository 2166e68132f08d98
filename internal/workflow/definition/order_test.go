package definition_test

import (
	"strings"
	"testing"

	"belay/internal/workflow/definition"
)

// A template that looks at what is never there is refused: at the result of a task that is
// not done before, or at a field that its output does not have.
func TestResultsThatAreNeverThere(t *testing.T) {
	t.Parallel()
	const head = `id: w
agents:
  - id: a
    instructions: x
    actions: [{id: ask, prompt: x, output: {type: object, properties: {gaps: {type: array}, who: {type: object, properties: {name: {type: string}}}}}}]
tasks:
  - {id: one, agent: a, prompt: x, on_success: {next: two}}
  - {id: two, agent: a, action: ask, on_success: {next: both}}
  - {id: both, type: parallel, tasks: [{id: l, agent: a, prompt: x}, {id: r, agent: a, prompt: x}], on_success: {next: each}}
  - {id: each, type: collection, items: [1], task: {id: it, agent: a, prompt: x}, outputs: {n: 1}, on_success: {next: last}}
`
	tests := []struct{ last, wrong string }{
		{`prompt: "{{ .tasks.one.output.response }} {{ .tasks.two.output.gaps }} {{ .tasks.two.output.who.name }} {{ .tasks.both.output.l.output.response }} {{ .tasks.each.output.n }}"`, ""},
		{`prompt: "{{ .tasks.one.output.text }}"`, `{{ .tasks.one.output.text }}: there is no "text" in .tasks.one.output (it has response`},
		{`prompt: "{{ .tasks.two.output.gap }}"`, `did you mean gaps?`},
		{`prompt: "{{ .tasks.two.output.gaps.first }}"`, `it is a list, which has no field "first" in .tasks.two.output.gaps`},
		{`prompt: "{{ .tasks.two.output.who.age }}"`, `there is no "age" in .tasks.two.output.who`},
		{`prompt: "{{ .tasks.both.output.l.response }}"`, `there is no "response" in .tasks.both.output.l`},
		{`prompt: "{{ .tasks.each.output.m }}"`, `there is no "m" in .tasks.each.output`},
		{`prompt: "{{ .tasks.last.output.response }}"`, `the task "last", which is not done before the task "last"`},
		{`prompt: "{{ .tasks.l.output.response }}"`, `within the task "both", whose output has its result: .tasks.both.output`},
		{`prompt: x, outputs: {a: "{{ .output.none }}"}`, `there is no "none" in .output`},
		{`prompt: "{{ .tasks.never.output.response }}"`, `the task "never", which is not done before`},
		{`prompt: "{{ hasKey .tasks.one.output \"text\" }}"`, ""},
	}
	for _, tt := range tests {
		text := head + "  - {id: last, agent: a, " + tt.last + "}\n  - {id: never, agent: a, prompt: x}\n"
		_, err := definition.Parse(t.Context(), "w.yaml", []byte(text))
		switch {
		case err == nil && tt.wrong != "":
			t.Errorf("%s is taken", tt.last)
		case err != nil && (tt.wrong == "" || !strings.Contains(err.Error(), tt.wrong)):
			t.Errorf("%s: %v", tt.last, err)
		}
	}
}
