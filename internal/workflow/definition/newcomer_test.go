package definition_test

import (
	"errors"
	"strings"
	"testing"

	"belay/internal/authored"
	"belay/internal/workflow/definition"
)

// The mistakes of people who write their first files. Each is found before anything runs,
// with its place, its cause and the next step, and all of one file at once.
//
//nolint:misspell // misspelt words are the mistakes that it tests
func TestMistakesOfNewcomers(t *testing.T) {
	t.Parallel()
	const head = `id: w
input: {type: object, properties: {topic: {type: string}, files: {type: array, items: {type: object, properties: {name: {type: string}}}}}}
agents:
  - id: a
    instructions: You are a.
    actions:
      - id: find
        prompt: What about {{ .with.topic }}?
        input: {type: object, required: [topic], properties: {topic: {type: string}}}
        output: {type: object, required: [gaps], properties: {gaps: {type: array, items: {type: string}}, n: {type: integer}, ok: {type: boolean}}}
tasks:
`
	tests := []struct {
		name, file string
		wants      []string
	}{
		{"wrong keys", head + `  - {id: one, agnet: a, promt: hello, on_sucess: {next: two}}
  - {id: two, agent: a, prompt: x, next: one}
`, []string{
			`12:15: tasks[0].agnet: a task has no field "agnet" (did you mean agent?)`, `tasks[0].promt: a task has no field "promt" (did you mean prompt?)`,
			`on_sucess: a task has no field "on_sucess" (did you mean on_success?)`, `13:36: tasks[1].next: a task has no next (say what follows as on_success: {next: ID})`,
		}},
		{"wrong indentation", "id: w\nagents:\n- id: a\n  instructions: You are a.\n  tasks:\n  - {id: one, agent: a, prompt: x}\n", []string{
			`1:1: tasks: a workflow needs tasks`, `5:3: agents[0].tasks: an agent has no tasks (it belongs to the workflow: indent it less)`,
		}},
		{"tabs", "id: w\nagents:\n\t- id: a\n", []string{`3:1: it is not valid YAML: found character that cannot start any token (indent with spaces, not with tabs)`}},
		{"a template without quotes", "id: w\nagents: [{id: a, instructions: x}]\ntasks:\n  - id: one\n    agent: a\n    prompt: {{ .input.x }}\n", []string{`6:14: the name of a field must be text (put a value that begins with {{ in quotes`}},
		{"wrong template functions", head + `  - {id: one, agent: a, prompt: "{{ toUpper .input.topic }}", with: {a: "{{ if .input.topic }}"}}
  - {id: two, agent: a, prompt: "{{ now }}"}
  - {id: three, agent: a, prompt: "{{ input.topic }}"}
`, []string{`12:33: tasks[0].prompt: function "toUpper" not defined (did you mean upper?)`, `(close each {{ if }}`, `13:33: tasks[1].prompt: function "now" not defined (templates see no clock`, `(values begin with a point: write .input)`}},
		{"values that are not there", head + `  - {id: one, agent: a, prompt: "{{ .input.topc }} {{ .workflow.input.nme }} {{ .item }} {{ .with.x }} {{ .env.HOME }}", on_success: {next: two, with: {text: "{{ .with.t }}"}}}
  - {id: two, agent: a, prompt: "{{ .with.txt }} {{ .last }} {{ .output }}", on_success: {next: three}}
  - {id: three, type: collection, items: "{{ .input.files }}", task: {id: it, agent: a, prompt: "{{ .item.nam }} {{ .input.topic }}", with: {a: "{{ .attachments }}"}}}
`, []string{
			`{{ .input.topc }}: there is no "topc" in .input of the task "one" (did you mean topic?)`, `{{ .workflow.input.nme }}: there is no "nme" in .workflow.input`,
			`{{ .item }}: there is no .item here (only tasks in a collection have .item)`, `{{ .with.x }}: there is no "x" in .with of the task "one" (name it in the with of the task)`,
			`{{ .env.HOME }}: there is no "HOME" in .env`, `tasks[0].on_success.with.text: {{ .with.t }}`, `tasks[1].prompt: {{ .with.txt }}: there is no "txt" in .with of the task "two" (did you mean text?)`,
			`{{ .last }}: there is no .last here (only tasks in a repeat task have .last)`, `{{ .output }}: there is no .output here`, `{{ .item.nam }}: there is no "nam" in .item (did you mean name?)`,
			`{{ .attachments }}: there is no .attachments here (only prompts and instructions have .attachments)`,
			`tasks[2].task.prompt: {{ .input.topic }}: there is no "topic" in .input of the task "it" (it has a)`,
		}},
		{"bad conditions", head + `  - {id: r1, type: router, condition: "input.topic = 'a'", routes: {a: r2}}
  - {id: r2, type: router, condition: "{{ .input.topic }}", routes: {a: r3}}
  - {id: r3, type: router, condition: "input.topic == a", routes: {a: r4}}
  - {id: r4, type: router, condition: "input.topic and true", routes: {a: r5}}
  - {id: r5, type: router, condition: "input.topic == 'x'", routes: {yes: r6, no: r6}}
  - {id: r6, type: router, condition: "input.topic == 'x' ? 'a' : 'b'", routes: {a: r7}}
  - {id: r7, type: router, condition: "input.topci", routes: {a: r8}}
  - {id: r8, agent: a, prompt: x}
`, []string{
			`(compare with ==)`, `(a condition is no template: write input.kind, without {{ and }})`, `undeclared reference to 'a' (there are workflow, tasks, input, with, env, agents, tools, trigger; texts stand in quotes)`,
			`(write &&, || and !)`, `tasks[4].routes.yes: the condition never gives "yes" (the condition gives true or false: name the routes so)`, `tasks[4].routes.no: the condition never gives "no"`,
			`tasks[5].routes: the condition may give "b", and there is no such route and no default (add the route, or default`, `tasks[6].condition: input.topci: there is no "topci" in input (did you mean topic?)`,
		}},
		{"bad loops", head + `  - {id: l1, type: repeat, until: "output.done", task: {id: i1, agent: a, prompt: x}, on_success: {next: l2}}
  - {id: l2, type: repeat, max: 0, until: "last.response == 'x'", task: {id: i2, agent: a, prompt: "{{ .last.respons }}"}, on_success: {next: l3}}
  - {id: l3, type: repeat, max: 3, until: "index", task: {id: i3, agent: a, prompt: x}, on_success: {next: l4}}
  - {id: l4, type: collection, items: 5, task: {id: i4, agent: a, prompt: x}, on_success: {next: l6}}
  - {id: l6, type: collection, items: "a, b, c", task: {id: i6, agent: a, prompt: x}, on_success: {next: l7}}
  - {id: l7, type: collection, items: "{{ .tasks.l6.output }}", task: {id: i7, agent: a, prompt: "{{ .item.outptu }}"}, on_success: {next: l8}}
  - {id: l8, type: repeat, max: 2, until: output.n, task: {id: i8, agent: a, action: find, with: {topic: x}}}
`, []string{
			`12:5: tasks[0].max: a task needs max`, `tasks[0].until: output.done: there is no "done" in output (it has response)`, `tasks[1].max: it must be a whole number from 1 to 100, and this is 0`,
			`undeclared reference to 'last' (there are output, index, item,`, `{{ .last.respons }}: there is no "respons" in .last`, `tasks[1].task.prompt: .last is empty in the first round, and the template looks into it (write {{ if .last }} … {{ end }} around it)`, `index is never true or false (compare it with something, as in index > 3)`,
			`tasks[3].items: it must be a list or text`, `tasks[4].items: the items are no list: they are the text "a, b, c" (write a list, such as [a, b]`, `{{ .item.outptu }}: there is no "outptu" in .item (did you mean output?)`,
			`output.n is never true or false`,
		}},
		{"missing files", head + `  - {id: one, agent: a, prompt: x, attachments: [{type: img, path: x}, {type: file}, {path: x}, {type: file, path: ../x}]}
use: [gone.yaml, ../other.yaml]
`, []string{
			`attachments[0].type: it must be one of image, pdf`, `attachments[1]: an attachment needs exactly one of path, paths`, `attachments[2].type: an attachment needs type`, `attachments[3].path`,
			`use[0]: the file gone.yaml cannot be read`, `use[1]: "../other.yaml" names no YAML or JSON file in the workflow's folder (write its name alone`,
		}},
		{"wrong agents", head + `  - {id: n1, agent: b, prompt: x}
  - {id: n2, agent: A, action: find}
  - {id: n3, agent: a, action: finde}
  - {id: n4, agent: a, with: {topic: x}}
  - {id: n5, prompt: x}
  - {id: n6, agent: a, action: find, with: {topci: x}}
  - {id: n7, agent: a, action: find, with: {topic: [x]}}
  - {id: n8, agent: a, action: find}
`, []string{
			`tasks[0].agent: no agent has the id "b" (the only one is a)`, `no agent has the id "A" (did you mean a?)`, `the agent a has no action "finde" (did you mean find?)`, `tasks[3]: a task needs an action of its agent, or a prompt`,
			`tasks[4].agent: a task needs agent`, `tasks[5].with: the action find needs "topic", and the task is not given it (write topic in place of topci)`,
			`tasks[6].with.topic: it does not fit the input of the action find: got array, want string`, `tasks[7].with: the action find needs "topic", and the task is not given it (give it in with)`,
		}},
		{"tasks that are not reached", head + `  - {id: u1, agent: a, prompt: x}
  - {id: u2, agent: a, prompt: "{{ .tasks.u1.output.response }}"}
  - {id: p, type: parallel, tasks: [{id: l, agent: a, prompt: x}, {id: r, agent: a, prompt: "{{ .tasks.l.output.response }}"}]}
outputs: {x: "{{ .tasks.u2.output.response }}"}
`, []string{`tasks[2].tasks[1].prompt: the template looks at the task "l", which is not done before that (a step of a composite task sees the steps before it; the tasks of a parallel task do not see each other)`, `15:14: outputs.x: the template looks at the task "u2", which is not done before the end of the run (no task leads to u2: name it in on_success of the task before it)`}},
		{"a circle", head + `  - {id: c1, agent: a, prompt: x, on_success: {next: c2}}
  - {id: c2, agent: a, prompt: "{{ .tasks.c3.output.response }}", on_success: {next: c1}}
  - {id: c3, agent: a, prompt: x}
`, []string{`tasks[1].on_success.next: the tasks lead in a circle: c1 → c2 → c1 (a task of type repeat does a task again`, `tasks[1].prompt: the template looks at the task "c3"`}},
		{"types that disagree", head + `  - {id: t1, agent: a, action: find, with: {topic: x}, timeout: 5, retries: -1, on_success: {next: t2}}
  - {id: t2, type: collection, items: "{{ .tasks.t1.output.n }}", task: {id: ti, agent: a, prompt: x}, on_success: {next: t3}}
  - {id: t3, type: tool, tool: read, with: {path: 3, limit: many, offset: "{{ .input.topic }}"}, on_success: {next: t4}}
  - {id: t4, type: tool, tool: bash, with: {command: [ls, -l], timeout_ms: 5s}, on_success: {next: t5}}
  - {id: t5, type: tool, tool: write, with: {path: x}, on_success: {next: t6}}
  - {id: t6, type: wait, for: soon, message: {a: b}, on_success: {next: t7}}
  - {id: t7, agent: a, prompt: "{{ .tasks.t1.output.n.x }}", budget: {max_cost: "1 dollar"}, tools: read, output: [x]}
`, []string{
			`timeout: it must be a length of time up to 24h, and this is "5" (write it as 30s`, `retries: it must be a whole number from 1 to 10`, `tasks[1].items: the items are no list: .tasks.t1.output.n is a number`,
			`tasks[2].with.path: it does not fit the input of the tool read: got number, want string (put it in quotes)`, `tasks[2].with.limit: it does not fit the input of the tool read: got string, want integer`,
			`tasks[3].with.command: it does not fit the input of the tool bash: got array, want string`, `tasks[3].with.timeout_ms`, `tasks[4].with: the tool write needs content (it takes path, content)`,
			`tasks[5].for: it must be a length of time`, `tasks[5].message: it must be text, and this is a mapping`, `{{ .tasks.t1.output.n.x }}: it is a number, which has no field "x"`, `max_cost: it must be a number`, `tools: it must be a list, and this is text (begin each entry with a dash)`,
			`tasks[6].output: it must be text or a mapping, and this is a list`,
		}},
		{"wrong schemas", `id: w
schemas: [request, {type: object}, {id: x, tpye: object}]
input: {type: object, requried: [topic], x-mine: 1, properties: {topic: {tpye: string, titel: x, x-mine: y, $comment: c, examples: [a]}}}
agents:
  - id: a
    instructions: x
    actions:
      - {id: one, prompt: x, output: {type: object, properties: [gaps], required: gaps}}
      - {id: two, prompt: x, output: {gaps: list}}
      - {id: three, prompt: x, output: {type: object, properties: {a: string, b: {type: string, maxLenght: 3, enum: a}}}}
      - {id: four, prompt: x, output: {type: object, properties: {a: {type: string, pattern: "a("}}}}
tasks:
  - {id: one, agent: a, action: one}
`, []string{
			`2:11: schemas[0]: a schema must be a mapping, and this is text`, `schemas[1]: a schema needs id`, `2:50: schemas[2].tpye: "tpye" is no keyword of JSON Schema (did you mean type?)`,
			`input.requried: "requried" is no keyword of JSON Schema (did you mean required?)`, `input.properties.topic.tpye: "tpye"`, `"titel" is no keyword of JSON Schema (did you mean title?)`,
			`output.properties: this is no JSON Schema: got array, want object (write a mapping`, `output.required: this is no JSON Schema: got string, want array (write [gaps])`,
			`"gaps" is no keyword of JSON Schema: the parts of an object are described under properties (write type: object and properties: {gaps: {type: string}})`,
			`properties.a: this is no JSON Schema: got string, want boolean or object (write {type: string})`, `"maxLenght" is no keyword of JSON Schema (did you mean maxLength?)`, `b.enum: this is no JSON Schema: got string, want array (write [a])`,
			"w.yaml:11:94: agents[0].actions[3].output.properties.a.pattern: this is no JSON Schema: 'a(' is not valid regex: missing closing ): `a(`",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := definition.Parse(t.Context(), "w.yaml", []byte(tt.file))
			var wrong *authored.Error
			if !errors.As(err, &wrong) {
				t.Fatal(err)
			}
			for _, want := range tt.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("not reported: %s", want)
				}
			}
			for _, p := range wrong.Problems {
				if p.Line == 0 || p.Message == "" {
					t.Errorf("no place or no cause: %v", p)
				}
			}
			if t.Failed() {
				t.Log(err)
			}
			for _, fine := range []string{"x-mine", "$comment", "examples"} {
				if strings.Contains(err.Error(), fine) {
					t.Errorf("%s is an annotation", fine)
				}
			}
		})
	}
}

// What the file leaves open is not refused: inputs that others hand on, values of a schema
// that takes more than it names, fields that are asked for first.
func TestNoMistakes(t *testing.T) {
	t.Parallel()
	for _, tasks := range []string{
		`[{id: one, agent: a, prompt: "{{ .input.anything }} {{ .workflow.input.x }}", on_success: {next: two, with: {text: x}}}, {id: two, agent: a, prompt: "{{ .with.text }} {{ .input.text }} {{ .workflow.input.y }}"}]`,
		`[{id: one, agent: a, prompt: x, on_success: {next: two, with: {text: x}}, on_error: {next: two}}, {id: two, agent: a, prompt: "{{ .with.other }}"}]`,
		`[{id: one, agent: a, prompt: x, with: {a: 1}, outputs: {b: "{{ .with.a }} {{ .input.a }} {{ .output.response }}"}, on_success: {next: two, with: {c: "{{ .with.a }} {{ .output.b }}"}}}, {id: two, agent: a, prompt: "{{ .with.c }}"}]`,
		`[{id: one, type: parallel, with: {a: 1}, tasks: [{id: in, agent: a, prompt: "{{ .with.a }} {{ .attachments }}"}]}]`,
		`[{id: one, type: collection, items: "[1, 2]", task: {id: in, type: composite, tasks: [{id: s1, agent: a, prompt: "{{ .item.x }} {{ .index }}"}, {id: s2, agent: a, prompt: "{{ .tasks.s1.output.response }}"}]}}]`,
		`[{id: one, type: repeat, max: 2, until: 'has(output.done) && index > 1', task: {id: in, agent: a, prompt: "{{ if .last }}{{ .last.response }}{{ end }}{{ .index }}"}}]`,
		`[{id: one, type: router, condition: 'input.x == 1', routes: {"true": two, "false": two}}, {id: two, agent: a, prompt: x}]`,
		`[{id: one, type: router, condition: 'input.x == 1 ? "a" : "b"', routes: {a: two}, default: two}, {id: two, agent: a, prompt: x}]`,
		`[{id: one, type: tool, tool: read, with: {path: "{{ .input.x }}", limit: "{{ .input.n }}", offset: -5}}]`,
	} {
		_, err := definition.Parse(t.Context(), "w.yaml", []byte("id: w\nagents: [{id: a, instructions: x}]\ntasks: "+tasks+"\n"))
		if err != nil {
			t.Errorf("%s: %v", tasks, err)
		}
	}
}
