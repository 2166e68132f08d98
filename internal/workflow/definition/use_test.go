package definition_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"belay/internal/workflow/definition"
)

// A workflow has the agents, actions and schemas of the files of its folder that it uses,
// and every problem of those is reported.
func TestUse(t *testing.T) {
	t.Parallel()
	shared := map[string]string{
		"agents.yaml": `schemas: [{id: gaps, type: object, properties: {gaps: {type: array}}}]
actions: [{id: find, prompt: "Find {{ .with.what }}.", output: gaps}]
agents: [{id: critic, instructions: "You review.", use: [find]}]
`,
		"bad.yaml":   "agents: [{id: x, instrutions: y}]\ntasks: []\n",
		"again.yaml": "agents: [{id: critic, instructions: again}]\n",
	}
	open := func(name string) ([]byte, error) {
		text, ok := shared[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("no such file")}
		}
		return []byte(text), nil
	}
	const tasks = `
tasks:
  - {id: one, agent: critic, action: find, with: {what: x}, on_success: {next: two}}
  - {id: two, agent: own, action: find, with: {what: "{{ .tasks.one.output.gaps }}"}}
`
	const own = "agents: [{id: own, instructions: z, use: [find]}]"
	tests := []struct{ text, wrong string }{
		{"use: [agents.yaml]\n" + own, ""},
		{"use: [none.yaml]\n" + own, "use[0]: the file none.yaml cannot be read: no such file"},
		{"use: [../agents.yaml]\n" + own, `"../agents.yaml" names no YAML or JSON file in the workflow's folder`},
		{"use: [/etc/passwd]\n" + own, `names no YAML or JSON file`},
		{"use: [.hidden.yaml]\n" + own, `names no YAML or JSON file`},
		{"use: [agents.yaml, agents.yaml]\n" + own, "is used twice"},
		{"use: [agents.yaml, bad.yaml]\n" + own, "bad.yaml:1:18: agents[0].instrutions"},
		{"use: [agents.yaml, bad.yaml]\n" + own, `bad.yaml:2:1: tasks: a file of shared agents has no field "tasks"`},
		{"use: [agents.yaml, again.yaml]\n" + own, `the agent "critic" is there already`},
		{"use: [agents.yaml]\nagents: [{id: own, instructions: z, use: [fnd]}]", `no used file has an action "fnd" (did you mean find?)`},
		{own, `no used file has an action "find"`},
	}
	for _, tt := range tests {
		w, err := definition.ParseWith(t.Context(), "w.yaml", []byte("id: w\n"+tt.text+tasks), definition.Options{Open: open})
		switch {
		case tt.wrong == "" && err != nil:
			t.Errorf("%s: %v", tt.text, err)
		case tt.wrong == "":
			if a := w.Agent("critic").Action("find"); a == nil || w.Agent("own").Action("find") != a || string(w.Used["agents.yaml"]) != shared["agents.yaml"] {
				t.Errorf("%s: the workflow has %+v", tt.text, w.Agents)
			}
		case err == nil || !strings.Contains(err.Error(), tt.wrong):
			t.Errorf("%s: want %s, got %v", tt.text, tt.wrong, err)
		}
	}
	if _, err := definition.Parse(t.Context(), "w.yaml", []byte("id: w\nuse: [agents.yaml]\n"+own+tasks)); err == nil || !strings.Contains(err.Error(), "cannot be read here") {
		t.Errorf("without a folder: %v", err)
	}
}
