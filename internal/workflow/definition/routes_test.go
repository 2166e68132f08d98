package definition_test

import (
	"strings"
	"testing"

	"belay/internal/workflow/definition"
)

// What needs the result of a task that not every route does is refused: the run would fail
// when its other tasks are paid. Tasks that nothing leads to are judged by their own order.
func TestResultsOfDifferentRoutes(t *testing.T) {
	t.Parallel()
	const head = `id: w
agents: [{id: a, instructions: x}]
tasks:
  - {id: one, agent: a, prompt: x, on_success: {next: choose}}
  - {id: choose, type: router, condition: tasks.one.output.response, routes: {l: left, r: right}}
  - {id: left, agent: a, prompt: x, on_success: {next: more}}
  - {id: more, agent: a, prompt: x, on_success: {next: last}}
  - {id: right, agent: a, prompt: x, on_success: {next: last}}
`
	tests := []struct{ prompt, outputs, wrong string }{
		{"x", `{a: "{{ .tasks.left.output.response }}", b: "{{ .tasks.one.output.response }}"}`, `the end of the run needs the result of the task "left", and not every route does that task`},
		{"x", `{a: "{{ .tasks.left.output.response }}", b: "{{ .tasks.right.output.response }}"}`, `needs the result of the task "right", and not every route`},
		{"x", `{a: "{{ .tasks.left.output.response | default \"\" }}", b: "{{ .tasks.right.output.response | default \"\" }}"}`, ""},
		{"x", `{a: "{{ if .tasks.choose.output }}{{ .tasks.left.output.response }}{{ else }}{{ .tasks.right.output.response }}{{ end }}"}`, ""},
		{"x", `{a: "{{ or .input.x .tasks.left.output.response }}"}`, ""},
		{"x", `{a: "{{ or .input.x .tasks.left.output.response }}{{ .tasks.right.output.response }}"}`, `the task "right"`},
		{"{{ .tasks.more.output.response }}{{ .tasks.right.output.response }}", "{}", `the task "last" needs the result of the task "more", and not every route`},
		{"{{ .tasks.more.output.response }}", "{}", `the task "more", and not every route`},
		{"{{ .tasks.more.output.response | default 1 }}", "{}", ""},
		{"x", "{}\n#", ""},
	}
	for _, tt := range tests {
		text := head + "  - {id: last, agent: a, prompt: '" + tt.prompt + "'}\noutputs: " + tt.outputs + "\n"
		judge(t, text, tt.wrong)
	}
	for unreached, wrong := range map[string]string{
		`{id: un, agent: a, prompt: "{{ .tasks.one.output.response }}", on_success: {next: deux}}` + "\n" + `  - {id: deux, agent: a, prompt: "{{ .tasks.un.output.response }}"}`: "",
		`{id: un, agent: a, prompt: "{{ .tasks.deux.output.response }}", on_success: {next: deux}}` + "\n" + `  - {id: deux, agent: a, prompt: x}`:                                `the task "deux", which is not done before the task "un"`,
		`{id: un, agent: a, prompt: "{{ .tasks.one.output.text }}"}`: `there is no "text" in .tasks.one.output`,
		`{id: un, agent: a, prompt: "{{ .tasks.un.output }}"}`:       `the task "un", which is not done before the task "un"`,
	} {
		judge(t, head+"  - {id: last, agent: a, prompt: x}\n  - "+unreached+"\n", wrong)
	}
}

// A task that failed has no output. What follows it on every route may see its status and its
// error, and looks into its output only with a default.
func TestOutputsOfFailedTasks(t *testing.T) {
	t.Parallel()
	const none = `looks into the output of the task "try", which has none where it has failed`
	for _, tt := range []struct{ next, prompt, wrong string }{
		{"end", "{{ .tasks.try.output.response }}", none},
		{"end", "{{ .tasks.try.output.response | default 1 }}{{ .tasks.try.status }}{{ .tasks.try.error }}", ""},
		{"end", "{{ if .tasks.try.output }}{{ .tasks.try.output.response }}{{ end }}", ""},
		{"other", "{{ .tasks.try.output.response }}", none},
		{"stop", "{{ .tasks.try.output.response }}", ""},
	} {
		judge(t, `id: w
agents: [{id: a, instructions: x}]
tasks:
  - {id: try, agent: a, prompt: x, on_success: {next: end}, on_error: {next: `+tt.next+`}}
  - {id: other, agent: a, prompt: x, on_success: {next: end}}
  - {id: stop, agent: a, prompt: x, final: true}
  - {id: end, agent: a, prompt: '`+tt.prompt+`'}
`, tt.wrong)
	}
}

// A router may choose by what has failed, so behind it nobody knows.
func TestOutputsBehindARouter(t *testing.T) {
	t.Parallel()
	judge(t, `id: w
agents: [{id: a, instructions: x}]
tasks:
  - {id: try, agent: a, prompt: x, on_success: {next: route}, on_error: {next: route}}
  - {id: route, type: router, condition: tasks.try.status, routes: {success: use, failed: fallback}}
  - {id: use, agent: a, prompt: '{{ .tasks.try.output.response }}', final: true}
  - {id: fallback, agent: a, prompt: x}
`, "")
}

func judge(t *testing.T, text, wrong string) {
	t.Helper()
	_, err := definition.Parse(t.Context(), "w.yaml", []byte(text))
	switch {
	case err == nil && wrong != "":
		t.Errorf("taken:\n%s", text)
	case err != nil && (wrong == "" || !strings.Contains(err.Error(), wrong)):
		t.Errorf("%s: %v", text, err)
	}
}
