package definition_test

import (
	"strings"
	"testing"

	"belay/internal/workflow/definition"
)

// foreseen is a workflow with an answer of a known form, whose second task is the one that is
// looked at.
const foreseen = `id: w
agents:
  - id: a
    instructions: x
    actions: [{id: j, prompt: x, output: {type: object, properties: {n: {type: integer}, recs: {type: array, items: {type: object, properties: {name: {type: string}, subs: {type: array, items: {type: object, properties: {size: {type: integer}}}}}}}}}}]
tasks:
  - {id: p, agent: a, action: j, on_success: {next: q}}
  - {id: q, `

// What only a run would show after its first task was paid, and what the file says already:
// entries of lists, patterns, winners of a race, schemas that no answer fits.
func TestForeseen(t *testing.T) {
	t.Parallel()
	const z = "}\n  - {id: z, agent: a, prompt: x}\n"
	tests := []struct{ name, task, want string }{
		{"the first entry", `agent: a, prompt: "{{ (first .tasks.p.output.recs).nam }}"}`, `there is no "nam" in .tasks.p.output.recs.[] (did you mean name?)`},
		{"an entry by its number", `agent: a, prompt: "{{ .tasks.p.output.recs.0.nam }}"}`, `{{ .tasks.p.output.recs.0.nam }}: there is no "nam" in .tasks.p.output.recs.0`},
		{"the last entry", `agent: a, prompt: "{{ $l := last .tasks.p.output.recs }}{{ $l.nam }}"}`, `there is no "nam"`},
		{"a pattern", "agent: a, prompt: '{{ regexFind `[` (toJson .tasks.p.output) }}'}", "a pattern cannot be read: missing closing ]: `[` (write a backslash"},
		{"a pattern that must match", `agent: a, prompt: '{{ mustRegexMatch "(" (toJson .tasks.p.output) }}'}`, "a pattern cannot be read: missing closing ): `(`"},
		{"a condition's pattern", `type: router, condition: 'tasks.p.output.recs[0].name.matches("[") ? "a" : "b"', routes: {a: z, b: z}` + z, "the text in matches(…) cannot be read (it is a regular expression"},
		{"a condition's time", `type: router, condition: 'duration("5 minutes") > duration("1m")', routes: {"true": z, "false": z}` + z, `the text in duration(…) cannot be read (write it as duration("5m"))`},
		{"a condition's day", `type: router, condition: 'timestamp("2026") > timestamp("2026-01-31T12:00:00Z")', routes: {"true": z, "false": z}` + z, `(write it as timestamp("2026-01-31T12:00:00Z"))`},
		{"an entry in a condition", `type: router, condition: 'tasks.p.output.recs[0].nam', routes: {a: z}` + z, `tasks.p.output.recs.[].nam: there is no "nam"`},
		{"all entries in a condition", `type: router, condition: 'tasks.p.output.recs.exists(r, r.nam == "x")', routes: {"true": z, "false": z}` + z, `tasks.p.output.recs.[].nam: there is no "nam"`},
		{"entries of entries", `type: router, condition: 'tasks.p.output.recs.all(r, r.subs.exists(s, s.sice > 3))', routes: {"true": z, "false": z}` + z, `tasks.p.output.recs.[].subs.[].sice: there is no "sice"`},
		{"one name in two parts", `type: router, condition: 'tasks.p.output.recs.exists(r, r.name == "x") || tasks.p.output.recs.exists(r, r.nam == "x")', routes: {"true": z, "false": z}` + z, `tasks.p.output.recs.[].nam: there is no "nam"`},
		{"one name within another part", `type: router, condition: 'tasks.p.output.recs.all(r, r.subs.exists(r, r.sice > 3) && r.nam != "")', routes: {"true": z, "false": z}` + z, `tasks.p.output.recs.[].nam: there is no "nam"`},
		{"an entry of another kind", `type: router, condition: 'tasks.p.output.recs.exists(r, r.name == 3)', routes: {"true": z, "false": z}` + z, `tasks.p.output.recs.[].name is text, and it is compared with 3`},
		{"a division by zero first", `type: router, condition: '3 / 0 > tasks.p.output.n', routes: {"true": z, "false": z}` + z, `tasks[1].condition: the condition 3 / 0 > tasks.p.output.n: division by zero`},
		{"no such entry", `type: repeat, max: 3, until: '[1, 2][2] == output.n', task: {id: r, agent: a, action: j}}`, `tasks[1].until: the condition [1, 2][2] == output.n: index out of bounds: 2`},
		{"no such entry in a text", `agent: a, prompt: "{{ .tasks.p.output.n }} {{ index (list 1 2) 2 }}"}`, `tasks[1].prompt: index:`},
		{"a text divided by zero", `agent: a, prompt: "{{ $n := 0 }}{{ .tasks.p.output.n }} {{ div 3 $n }}"}`, `div of 3 and 0 divides by 0`},
		{"a command without an end", `type: tool, tool: bash, with: {command: "if true; then echo x"}}`, "tasks[1].with.command: no shell takes the command: line 1, character 1: `if` statement must end with `fi`"},
		{"a list in a condition", `type: router, condition: 'tasks.p.output.recs.name', routes: {a: z}` + z, `it is a list, which has no field "name" in tasks.p.output.recs (take an entry, as in tasks.p.output.recs[0], or look at all of them with exists(x, …))`},
		{"a race", `type: parallel, strategy: race, tasks: [{id: l, agent: a, prompt: x}, {id: m, agent: a, action: j}], on_success: {next: z}}
  - {id: z, agent: a, prompt: "{{ .tasks.q.output.l.output.response }}"}`, `there is no "l" in .tasks.q.output (it has n, recs, response)`},
		{"a race of items", `type: collection, strategy: race, items: [1, 2], task: {id: l, agent: a, prompt: x}, on_success: {next: z}}
  - {id: z, agent: a, prompt: "{{ .tasks.q.output.respons }}"}`, `there is no "respons" in .tasks.q.output (did you mean response?)`},
		{"a list as text", `agent: a, prompt: "{{ upper .tasks.p.output.recs }}"}`, `upper takes text, and .tasks.p.output.recs is a list (make text of a list with join or toJson)`},
		{"piped", `agent: a, prompt: "{{ .tasks.p.output.n | trim }}"}`, `trim takes text, and .tasks.p.output.n is a number (make text of it with toString)`},
		{"a number of text", `agent: a, prompt: "{{ range .tasks.p.output.recs }}{{ repeat .name 3 }}{{ end }}"}`, `repeat takes a number, and .tasks.p.output.recs.[].name is text (make a number of it with int or float64)`},
		{"another kind", `agent: a, prompt: "{{ if gt .tasks.p.output.n \"3\" }}x{{ end }}y"}`, `gt compares .tasks.p.output.n, which is a number, with text (write the number without quotes)`},
		{"a range over text", `agent: a, prompt: "{{ range .tasks.p.output.recs }}{{ range .name }}x{{ end }}{{ end }}"}`, `range takes a list, a mapping or a number, and .tasks.p.output.recs.[].name is text`},
		{"the length of a number", `agent: a, prompt: "{{ len .tasks.p.output.n }}"}`, `len takes text, a list or a mapping, and .tasks.p.output.n is a number`},
		{"a field of a list", `agent: a, prompt: "{{ keys .tasks.p.output.recs }}"}`, `keys takes a mapping, and .tasks.p.output.recs is a list (go through it with range`},
		{"no time", `type: wait, message: x, on_time: continue}`, "on_time: the task has no for, so no time passes (say with for how long"},
		{"a name that is not taken", `agent: a, prompt: x, output: {type: object, required: [b], additionalProperties: false, properties: {a: {type: string}}}}`,
			`output.required: no value fits: "b" is required, and neither properties nor additionalProperties take it (name it under properties`},
		{"values of another type", `agent: a, prompt: x, output: {type: object, properties: {k: {type: integer, enum: [one, two]}}}}`, `properties.k.enum: no value fits: none of its values is of the type integer`},
		{"no values", `agent: a, prompt: x, output: {type: object, properties: {k: {enum: []}}}}`, `properties.k.enum: no value fits: it lists none (name the values)`},
		{"a constant of another type", `agent: a, prompt: x, output: {type: object, properties: {k: {type: string, const: 3}}}}`, `properties.k.const: no value fits: it is not of the type string`},
		{"bounds", `agent: a, prompt: x, output: {type: array, items: {type: integer, minimum: 10, maximum: 1}, minItems: 3, maxItems: 2}}`, `output.items.minimum: no value fits: minimum 10 is more than maximum 1`},
		{"bounds of a length", `agent: a, prompt: x, output: {type: object, properties: {s: {type: string, minLength: 9, maxLength: 3}}}}`, `properties.s.minLength: no value fits: minLength 9 is more than maxLength 3`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := definition.Parse(t.Context(), "w.yaml", []byte(foreseen+tt.task+"\n"))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

// What only looks like one of these mistakes is none.
func TestNotForeseen(t *testing.T) {
	t.Parallel()
	const z = "}\n  - {id: z, agent: a, prompt: x}\n"
	for _, task := range []string{
		`type: router, condition: 'has(tasks.p.output.n) ? 3 / tasks.p.output.n > 1 : 3 / 0 > 1', routes: {"true": z, "false": z}` + z,
		`type: router, condition: 'tasks.p.output.n > 3 || 3 / 0 > 1 || [1][workflow.input.n] == 1', routes: {"true": z, "false": z}` + z,
		`type: router, condition: 'tasks.p.output.recs.exists(r, r.name == "b") && workflow.input.l.exists(r, r.nam == 3)', routes: {"true": z, "false": z}` + z,
		`agent: a, prompt: '{{ $n := 0 }}{{ if .tasks.p.output.n }}{{ $n = .tasks.p.output.n }}{{ end }}{{ div 3 $n }} {{ if .tasks.p.output.n }}{{ div 1 0 }}{{ end }} {{ hasKey .workflow.input "x" | ternary 1 2 }}'}`,
		`type: tool, tool: bash, with: {command: "test -f a || exit 0\necho 'a"}}`,
		`type: tool, tool: bash, with: {command: "echo '{{ .tasks.p.output.n }}"}}`,
		`agent: a, prompt: "{{ (first .tasks.p.output.recs).name }} {{ .tasks.p.output.recs.0.name }} {{ first .tasks }}"}`,
		"agent: a, prompt: '{{ regexQuoteMeta `[` }} {{ regexFind .workflow.input.pattern `x` }} {{ regexFind `[a-z]+` `x` }}'}",
		`type: router, condition: '["a"].exists(output, output == "a") || tasks.p.output.recs.exists(x, has(x.other) && x.other == 1)', routes: {"true": z, "false": z}` + z,
		`type: router, condition: 'input.a.exists(x, x.b) && tasks.p.output.recs.exists(x, x.name == "b")', routes: {"true": z, "false": z}` + z,
		`type: router, condition: 'duration(input.wait) > duration("1h30m") && input.name.matches("^a\\d$") && tasks.exists(t, t == "p")', routes: {"true": z, "false": z}` + z,
		`type: parallel, strategy: race, tasks: [{id: l, agent: a, prompt: x}, {id: m, agent: a, action: j}], on_success: {next: z}}
  - {id: z, agent: a, prompt: '{{ .tasks.q.output.response | default "" }} {{ .tasks.q.output.n | default 0 }}'}`,
		`agent: a, prompt: "{{ if and (ge .tasks.p.output.n 3.5) (eq .workflow.input.k true 3) }}{{ repeat .tasks.p.output.n (join \",\" .tasks.p.output.recs) }}{{ end }}{{ .tasks.p.output.n | default 3 | toString | upper }}{{ range .tasks.p.output.n }}x{{ end }}{{ len .tasks.p.output }}"}`,
		`type: wait, message: x, for: 5m, on_time: continue}`,
		`agent: a, prompt: x, output: {type: object, required: [b, x1], additionalProperties: false, properties: {b: {type: [string, "null"], enum: [null]}}, patternProperties: {"^x": {}}}}`,
		`agent: a, prompt: x, output: {type: object, required: [b], properties: {a: {type: number, enum: [1, 2.5]}, c: {type: integer, const: 3.0}, d: {not: {enum: []}}, e: {minimum: 3, maximum: 3}}}}`,
	} {
		if _, err := definition.Parse(t.Context(), "w.yaml", []byte(foreseen+task+"\n")); err != nil {
			t.Errorf("%s: %v", task, err)
		}
	}
}
