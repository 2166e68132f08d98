package definition_test

import (
	"context"
	"strings"
	"testing"

	"belay/internal/workflow/definition"
)

// What a file says of the kinds of values is held against what templates, conditions and
// routes do with them: in entries of lists too, and for the folder of the snapshot.
func TestKindsOfValues(t *testing.T) {
	t.Parallel()
	const head = `id: k
agents:
  - {id: w, instructions: x, actions: [{id: rate, prompt: r, output: {type: object, required: [score], properties: {score: {type: integer}, ok: {type: boolean}, tags: {type: array, items: {type: object, properties: {name: {type: string}}}}}}}]}
tasks:
  - {id: a, agent: w, action: rate, on_success: {next: b}}
`
	tests := []struct{ name, tasks, want string }{
		{"a number beside text", `  - {id: b, type: router, condition: 'tasks.a.output.score > "3" ? "x" : "y"', routes: {x: c, y: c}}`,
			`6:38: tasks[1].condition: tasks.a.output.score is a number, and it is compared with "3" (compare it with a number)`},
		{"text beside a number", `  - {id: b, type: repeat, max: 2, until: '3 == output.response', task: {id: d, agent: w, prompt: x}, on_success: {next: c}}`,
			`tasks[1].until: output.response is text, and it is compared with 3`},
		{"right comparisons", `  - {id: b, type: router, condition: 'tasks.a.output.score >= 3.5 && tasks.a.output.ok == true && tasks.a.output.tags[0].name == "x"', routes: {"true": c, "false": c}}`, ""},
		{"a route that no number names", `  - {id: b, type: router, condition: tasks.a.output.score, routes: {one: c}, default: c}`,
			`tasks[1].routes.one: the condition never gives "one" (tasks.a.output.score is a number)`},
		{"routes of numbers and of truth", `  - {id: b, type: router, condition: tasks.a.output.score, routes: {"1": c}, default: c}`, ""},
		{"a route as no number is written", `  - {id: b, type: router, condition: tasks.a.output.score, routes: {1.0: c, 2: c, 2.5: c, 1e+21: c}, default: c}`,
			`tasks[1].routes.1.0: the condition never gives "1.0" (write 1)`},
		{"an empty route", `  - {id: b, type: router, condition: input.x, routes: {"": c, y: c}, default: c}`, `the condition never gives ""`},
		{"an entry in a loop", `  - {id: b, agent: w, prompt: "{{ range .tasks.a.output.tags }}{{ .namme }}{{ end }}", on_success: {next: c}}`,
			`{{ .tasks.a.output.tags.[].namme }}: there is no "namme" in .tasks.a.output.tags.[] (did you mean name?)`},
		{"a variable of a loop", `  - {id: b, agent: w, prompt: "{{ range $i, $t := .tasks.a.output.tags }}{{ $i }}{{ $t.namme }}{{ end }}", on_success: {next: c}}`, `there is no "namme"`},
		{"an entry by its number", `  - {id: b, agent: w, prompt: "{{ (index .tasks.a.output.tags 0).namme }}", on_success: {next: c}}`, `there is no "namme"`},
		{"members of a collection", `  - {id: b, type: collection, items: [1], task: {id: d, agent: w, prompt: x}, on_success: {next: c}, outputs: {all: "{{ range .output }}{{ .outptu.response }}{{ end }}"}}`,
			`there is no "outptu"`},
		{"right entries", `  - {id: b, agent: w, prompt: "{{ range $k, $v := .tasks }}{{ $v.output }}{{ end }}{{ range .tasks.a.output.tags }}{{ .name }}{{ end }}{{ range .workflow.input }}{{ .x }}{{ end }}{{ range .tasks.a }}{{ . }}{{ end }}{{ index .input 0 }}", on_success: {next: c}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := definition.Parse(context.Background(), "k.yaml", []byte(head+tt.tasks+"\n  - {id: c, agent: w, prompt: x}\n"))
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("want %s, got %v", tt.want, err)
			}
		})
	}
	for snapshot, want := range map[string]string{
		"{root: ../x}": "snapshot.root: it must be a tool root, such as _Estimates", "{root: _Runs, label: _x}": "snapshot.label: it must be a plain name", "{root: _Runs}": "",
	} {
		_, err := definition.Parse(context.Background(), "k.yaml", []byte(strings.Replace(head, ", on_success: {next: b}", "", 1)+"snapshot: "+snapshot+"\n"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: want %s, got %v", snapshot, want, err)
		}
	}
}
