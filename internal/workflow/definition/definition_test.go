package definition_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/authored"
	"belay/internal/workflow/definition"
)

const whole = `
id: media
version: 0.1.0
description: Looks at what it is given.
schemas:
  - id: request
    type: object
    required: [kind]
    properties:
      kind: {type: string, enum: [image, audio]}
      limit: {type: integer, default: 3}
      files: {type: array}
  - id: verdict
    type: object
    required: [label]
    properties: {label: {type: string}}
config:
  input: request
  env: {greeting: "Hello {{ .workflow.id }}"}
agents:
  - id: image-classifier
    model: {provider: scripted, model: claude-sonnet-4-20250514}
    instructions: You are an image classifier.
    attachments:
      - {type: image, paths: [./assets/*.png, ./screenshots/latest.jpg], meta: {source: local-assets}}
      - {type: url, url: "https://example.com"}
    actions:
      - id: recognize
        prompt: "Say what {{ .input.what }} shows."
        output: verdict
        attachments: [{type: document, url: "https://example.com/spec.pdf", name: Bundle}]
    tools: [read, grep]
tasks:
  - id: choose
    type: router
    condition: 'input.kind == "image" ? "image" : "other"'
    routes: {image: classify}
    default: each
  - id: classify
    agent: {id: image-classifier}
    action: recognize
    with: {what: "the picture"}
    timeout: 90s
    retries: 2
    budget: {max_turns: 3, max_cost: 0.5, max_tokens: 10_000, max_time: 2m}
    permissions: {allow: [bash(ls)], deny: [write]}
    on_success: {next: both, with: {from: "{{ .tasks.classify.output.label }}"}}
    on_error: {next: each}
  - id: both
    type: parallel
    strategy: fail_fast
    tasks:
      - {id: one, agent: image-classifier, prompt: "One."}
      - {id: two, agent: image-classifier, prompt: "Two, {{ .tasks.classify.output.label }}."}
    final: true
  - id: each
    type: collection
    items: "{{ .input.files }}"
    batch: 4
    task:
      id: item
      agent: image-classifier
      prompt: "Item {{ .item }}."
      attachments: [{type: file, path: "{{ .item }}"}]
outputs:
  label: "{{ .tasks.classify.output.label | default .workflow.id }}"
snapshot: {root: _Runs, label: media}
`

func TestParse(t *testing.T) {
	t.Parallel()
	w, err := definition.Parse(t.Context(), "media.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	classify := w.Task("classify")
	if classify.Agent != w.Agents[0] || classify.Action != w.Agents[0].Actions[0] || classify.Kind != definition.Basic {
		t.Errorf("%+v", classify)
	}
	want := definition.Rights{Allow: []string{"bash(ls)"}, Deny: []string{"write"}, Budget: definition.Budget{Turns: 3, Tokens: 10000, Cost: 0.5, Time: 2 * time.Minute}}
	if diff := cmp.Diff(want, classify.Rights); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
	if a := w.Agents[0]; a.Provider != "scripted" || a.Model == "" || len(a.Attachments) != 2 || !a.Rights.Given || len(a.Rights.Tools) != 2 || len(a.Actions[0].Attachments) != 1 {
		t.Errorf("%+v", a)
	}
	if got := fmt.Sprint(w.Task("choose").Targets(), classify.Targets(), w.Task("both").Tasks[1].ID, w.Task("each").Each.ID, w.Task("each").Batch, w.Snapshot.Root, w.Snapshot.Label); got != "[classify each] [both each]twoitem4_Runsmedia" {
		t.Error(got)
	}
	input := map[string]any{"kind": "image"}
	w.Input.Defaults(input)
	if diff := cmp.Diff(map[string]any{"kind": "image", "limit": int64(3)}, input); diff != "" {
		t.Error(diff)
	}
	if problems := w.Input.Check(input); problems != nil {
		t.Error(problems)
	}
	if problems := w.Input.Check(map[string]any{"kind": "film", "limit": "x"}); len(problems) != 2 {
		t.Error(problems)
	}
	if got, err := w.Task("choose").Condition.Route(map[string]any{"input": map[string]any{"kind": "image"}}); got != "image" || err != nil {
		t.Error(got, err)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	_, err := definition.Parse(t.Context(), "w.yaml", []byte(`id: a b
foo: 1
schemas:
  - {type: object}
  - {id: s, type: objekt}
  - {id: s, type: object}
  - {id: typo, type: object, propertis: {a: {type: string}}, properties: {b: {minimun: 1, items: {enums: [1]}}}}
  - {id: within, schema: {type: object}}
input: none
agents:
  - {id: a, actions: [{id: x}, {id: x, prompt: p, output: {$ref: "file:///etc/passwd"}}]}
  - {id: a, instructions: "{{ env }}"}
tasks:
  - {id: one, agent: b, action: x, on_success: {next: two}}
  - {id: two, agent: a, action: y, on_success: {next: one}, final: true}
  - {id: two, type: routr}
  - {id: r, type: router, routes: {a: nowhere, b: [x]}, condition: "input.", on_success: {next: one}}
  - {id: p, type: parallel, strategy: fastest}
  - {id: c, type: collection, mode: sequential, batch: 3, items: [1], task: {id: i, agent: a, prompt: "{{ .tasks.gone.output }}", on_error: {next: one}}}
  - {id: t, agent: a}
  - {id: b, agent: a, prompt: p, budget: {max_turns: 0, max_cost: -1}, timeout: 3 days, attachments: [{type: image}]}
  - {agent: a, prompt: p}
outputs: text
`))
	var e *authored.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	for _, want := range []string{
		`w.yaml:1:5: id: an id has letters, digits, hyphens and underscores, at most 64, and this is "a b"`,
		`w.yaml:2:1: foo: a workflow has no field "foo"`,
		`w.yaml:4:5: schemas[0]: a schema needs id`,
		`w.yaml:5:19: schemas[1].type: this is no JSON Schema: value must be one of`,
		`w.yaml:6:10: schemas[2].id: the id "s" is given twice`,
		`w.yaml:7:41: schemas[3].propertis: "propertis" is no keyword of JSON Schema (did you mean properties?)`,
		`schemas[3].properties.b.minimun: "minimun" is no keyword of JSON Schema (did you mean minimum?)`,
		`schemas[3].properties.b.items.enums: "enums" is no keyword of JSON Schema (did you mean enum?)`,
		`schemas[4].schema: "schema" is no keyword of JSON Schema (did you mean $schema?)`,
		`w.yaml:9:8: input: no schema has the id "none"`,
		`agents[0].instructions: an agent needs instructions`,
		`agents[0].actions[0].prompt: an action needs prompt`,
		`a schema refers to itself only`,
		`w.yaml:11:37: agents[0].actions[1].id: the action "x" is there already, as agents[0].actions[0]`,
		`w.yaml:12:10: agents[1].id: the agent "a" is there already, as agents[0]`,
		`templates see no clock, environment, network or chance`,
		`tasks[0].agent: no agent has the id "b" (the only one is a)`,
		`tasks[1].action: the agent a has no action "y"`,
		`tasks[1].on_success: the task is final, and on_success names a next one`,
		`tasks[1].on_success.next: the tasks lead in a circle: one → two → one`,
		`tasks[2].type: it must be one of basic, router, parallel, collection, composite, tool, wait, repeat, and this is "routr" (did you mean router?)`,
		`w.yaml:16:10: tasks[2].id: the task "two" is there already, as tasks[1]`,
		`tasks[3].condition: this is no CEL expression`,
		`tasks[3].routes.b: it must be text, and this is a list`,
		`tasks[3].routes.a: no task has the id "nowhere", which is to follow (there are one, two, r, p, c, t, b)`,
		`tasks[3].on_success: a router has no on_success`,
		`tasks[4].strategy: it must be one of wait_all, fail_fast, best_effort, race, and this is "fastest"`,
		`tasks[4].tasks: a task needs tasks`,
		`tasks[5].batch: a sequential collection takes one item at a time`,
		`tasks[5].task.on_error: a task within another has no on_error`,
		`w.yaml:19:103: tasks[5].task.prompt: the template looks at the task "gone", and there is none`,
		`tasks[6]: a task needs an action of its agent, or a prompt`,
		`tasks[7].budget.max_turns: it must be a whole number from 1 to 1000, and this is 0`,
		`tasks[7].budget.max_cost: it must be a number above 0`,
		`tasks[7].timeout: it must be a length of time up to 24h, and this is "3 days"`,
		`tasks[7].attachments[0]: an attachment needs exactly one of`,
		`tasks[8].id: a task needs id`,
		`outputs: it must be a mapping, and this is text`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not told: %s", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
	for i, p := range e.Problems[1:] {
		if p.Line < e.Problems[i].Line {
			t.Errorf("problem %d is out of order: %v", i+1, p)
		}
	}
}

// A problem is told in one way each time, at the value that it is about, its hint
// behind it and nowhere else.
func TestReferencesAreTold(t *testing.T) {
	t.Parallel()
	const file = `id: w
env: {a: "{{ .tasks.e.output }}"}
agents:
  - id: a
    instructions: "{{ uper .input.x }}"
    actions: [{id: x, prompt: "{{ .tasks.oen.output }}", attachments: [{type: url, url: "{{ .tasks.u.output }}"}]}]
tasks:
  - {id: one, agent: a, action: x, with: {b: ["{{ .tasks.w.output }}"]}, outputs: {c: "{{ .tasks.o.output }}"}, on_success: {next: two, with: {d: "{{ .tasks.s.output }}"}}}
  - {id: two, agent: a, prompt: p}
outputs: {e: {f: "{{ .tasks.out.output }}"}}
`
	want := `w.yaml:2:10: env.a: the template looks at the task "e", and there is none (there are one, two)
w.yaml:5:19: agents[0].instructions: function "uper" not defined (did you mean upper?)
w.yaml:6:31: agents[0].actions[0].prompt: the template looks at the task "oen", and there is none (did you mean one?)
w.yaml:6:89: agents[0].actions[0].attachments[0].url: the template looks at the task "u", and there is none (there are one, two)
w.yaml:8:47: tasks[0].with.b[0]: the template looks at the task "w", and there is none (there are one, two)
w.yaml:8:87: tasks[0].outputs.c: the template looks at the task "o", and there is none (there are one, two)
w.yaml:8:147: tasks[0].on_success.with.d: the template looks at the task "s", and there is none (there are one, two)
w.yaml:10:18: outputs.e.f: the template looks at the task "out", and there is none (there are one, two)`
	_, err := definition.Parse(t.Context(), "w.yaml", []byte(file))
	if err == nil {
		t.Fatal("nothing was told")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	values := map[string]any{"input": map[string]any{"n": 3, "kind": "a"}, "tasks": map[string]any{"read-pdf": map[string]any{"output": map[string]any{"ok": true}}}}
	for text, want := range map[string]string{
		`input.kind`:                  "a",
		`input.n > 2`:                 "true",
		`input.n + 1`:                 "4",
		`tasks["read-pdf"].output.ok`: "true",
		`has(input.none) ? "x" : "y"`: "y",
		`" padded "`:                  "padded",
	} {
		c, err := definition.NewCondition(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := c.Route(values); got != want || err != nil {
			t.Errorf("%s = %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`input.none`: "no such key",
		`""`:         "names no route",
		`input`:      "names no route",
		`[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, a+b+c+d+e > 0))))) ? "x" : "y"`: "cost",
		`env.HOME`: "no such key",
	} {
		c, err := definition.NewCondition(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := c.Route(values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s = %q, %v; want %s", text, got, err, want)
		}
	}
}

// A schema that describes its parts beside type would accept anything.
func TestSchemaWithoutKeywords(t *testing.T) {
	t.Parallel()
	_, err := definition.Parse(t.Context(), "w.yaml", []byte(`id: w
input: {subject: text}
agents: [{id: a, instructions: i}]
tasks: [{id: t, agent: a, prompt: p}]
`))
	want := `w.yaml:2:18: input.subject: "subject" is no keyword of JSON Schema: the parts of an object are described under properties`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
