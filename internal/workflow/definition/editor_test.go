package definition_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"belay/internal/authored"
	"belay/internal/workflow/definition"
)

// rulesBeyondSchema are those of which a JSON Schema knows nothing.
var rulesBeyondSchema = []authored.Rule{
	authored.RuleSyntax, authored.RuleTemplate, authored.RuleCondition, authored.RuleReference, authored.RuleSource,
	authored.RuleDuplicate, authored.RuleCircle, authored.RuleSchema, authored.RuleRange, authored.RuleWritten,
}

// editor is the schema as an editor has it.
func editor(t testing.TB) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(definition.EditorSchema())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///workflow.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///workflow.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The schema is whole: an editor has to fetch nothing.
func TestSchemaRefersToItself(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(definition.EditorSchema())
	if err != nil {
		t.Fatal(err)
	}
	refs := regexp.MustCompile(`"\$(?:ref|dynamicRef|id)":"([^"]*)"`).FindAllStringSubmatch(string(text), -1)
	if len(refs) == 0 {
		t.Error("there are no references")
	}
	for _, r := range refs {
		if !strings.HasPrefix(r[1], "#/$defs/") {
			t.Errorf("it refers to %s", r[1])
		}
	}
}

// verdicts are the rules that a file breaks, and what the editor says of it.
func verdicts(t interface {
	Helper()
	Fatal(...any)
}, s *jsonschema.Schema, text []byte,
) (rules map[authored.Rule]bool, told, editor error) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	rules = map[authored.Rule]bool{}
	_, told = definition.Parse(context.Background(), "w.json", text)
	if e, ok := errors.AsType[*authored.Error](told); ok {
		for _, p := range e.Problems {
			rules[p.Rule] = true
		}
	}
	return rules, told, s.Validate(doc)
}

// Covers: attachments A
//
// Property: what the decoder refuses by the shape of a file, the editor's schema
// refuses, and nothing else; written as YAML or as JSON, a file has the same problems.
func TestSchemaAndDecoderAgree(t *testing.T) {
	t.Parallel()
	s := editor(t)
	var right, wrong int
	rapid.Check(t, func(rt *rapid.T) {
		doc := valid()
		for range rapid.IntRange(0, 3).Draw(rt, "mutations") {
			doc = mutate(rt, doc)
		}
		text, err := json.Marshal(doc)
		if err != nil {
			rt.Fatal(err)
		}
		rules, told, said := verdicts(rt, s, text)
		if rules[authored.RuleShape] != (said != nil) {
			rt.Fatalf("%s\nthe decoder says: %v\nthe schema says: %v", text, told, said)
		}
		for rule := range rules {
			if rule != authored.RuleShape && !slices.Contains(rulesBeyondSchema, rule) {
				rt.Fatalf("%s breaks the rule %q, which is not listed", text, rule)
			}
		}
		if said == nil {
			right++
		} else {
			wrong++
		}
		// With a comment before it, JSON is YAML.
		_, again := definition.Parse(t.Context(), "w.yaml", append([]byte("# a comment\n"), text...))
		if diff := cmp.Diff(paths(told), paths(again)); diff != "" {
			rt.Fatalf("%s\n(-JSON +YAML):\n%s", text, diff)
		}
	})
	if right == 0 || wrong == 0 {
		t.Errorf("%d files were right and %d wrong: one side was not tried", right, wrong)
	}
}

// paths are the problems without their lines.
func paths(err error) []string {
	var all []string
	if e, ok := errors.AsType[*authored.Error](err); ok {
		for _, p := range e.Problems {
			all = append(all, fmt.Sprintf("%s %s", p.Path, p.Rule))
		}
	}
	return all
}

// valid is a file that has every field.
func valid() map[string]any {
	n, err := authored.Parse("w.yaml", []byte(whole+`
extra:
  - {id: a1, instructions: x, with: {a: 1}, budget: {max_turns: 1}, permissions: {allow: [a]}, model: m}
`))
	if err != nil {
		panic(err)
	}
	doc := n.Value().(map[string]any)
	delete(doc, "extra")
	doc["agents"] = append(doc["agents"].([]any), map[string]any{
		"id": "second", "instructions": "x", "with": map[string]any{"a": 1}, "budget": map[string]any{"max_turns": 1},
		"attachments": []any{
			map[string]any{"type": "{{ .input.kind }}", "path": "x", "max_pages": 3, "mime": "a/b"},
			map[string]any{"type": " PDF ", "urls": []any{"https://example.com/a", 5}, "max_pages": 3, "optional": true},
			map[string]any{"type": "image", "url": "https://example.com/a", "deliver": "url"},
			map[string]any{"type": "url", "url": "https://example.com/a", "fetch": true},
			map[string]any{"type": "file", "paths": []any{"*"}, "name": "n", "meta": map[string]any{"a": nil}},
		},
		"actions": []any{map[string]any{"id": "x", "prompt": "p", "input": map[string]any{"type": "object"}, "output": "verdict"}},
	})
	return doc
}

// values are what a field may be turned into.
var values = []any{
	nil, "", "  ", " ", "x", "basic", "router", "parallel", "collection", "sequential", "race", "image", "Document", "url", "file", "fIle", "content",
	"{{ .input.x }}", "{{", "30s", "-1s", "1h30m", ".5h", "5", "99h", "an id", "a_b-c9", "été", 0, 1, -1, 5, 11, 2024, json.RawMessage("5.0"), json.RawMessage("1e2"),
	json.RawMessage("1e300"), 0.5, 1.5, true, false, []any{}, map[string]any{}, []any{"a"}, []any{nil}, []any{[]any{}}, []any{1, ""}, []any{map[string]any{}},
	map[string]any{"id": "a"}, map[string]any{"next": "a"}, map[string]any{"a": "b"}, map[string]any{"type": "object"}, map[string]any{"type": "objekt"},
	map[string]any{"$schema": "http://json-schema.org/draft-07/schema#", "type": "objekt"}, map[string]any{"$ref": "#/nowhere"}, map[string]any{"model": "m", "provider": 1},
	map[string]any{"properties": map[string]any{"a": 3}}, map[string]any{"pattern": "("}, map[string]any{"input": "request", "env": map[string]any{"a": "b"}},
	map[string]any{"id": "n", "agent": "image-classifier", "prompt": "p"}, []any{map[string]any{"id": "n", "type": "router"}},
}

// mutate changes a file in one place.
func mutate(rt *rapid.T, doc map[string]any) map[string]any {
	names := slices.Sorted(maps.Keys(fieldNames(doc, map[string]bool{"foo": true, "Type": true})))
	var all []map[string]any
	var lists [][]any
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			all = append(all, v)
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k])
			}
		case []any:
			if len(v) > 0 {
				lists = append(lists, v)
			}
			for _, c := range v {
				walk(c)
			}
		}
	}
	walk(doc)
	m := rapid.SampledFrom(all).Draw(rt, "mapping")
	value := func() any { return clone(rapid.SampledFrom(values).Draw(rt, "value")) }
	some := func() string {
		if len(m) == 0 {
			return "foo"
		}
		return rapid.SampledFrom(slices.Sorted(maps.Keys(m))).Draw(rt, "field")
	}
	switch rapid.SampledFrom([]string{"remove", "set", "set", "set", "add", "add", "move", "entry"}).Draw(rt, "how") {
	case "remove":
		delete(m, some())
	case "set":
		m[some()] = value()
	case "add":
		m[rapid.SampledFrom(names).Draw(rt, "name")] = value()
	case "move":
		from := some()
		m[rapid.SampledFrom(names).Draw(rt, "name")] = m[from]
		delete(m, from)
	case "entry":
		list := rapid.SampledFrom(lists).Draw(rt, "list")
		list[rapid.IntRange(0, len(list)-1).Draw(rt, "index")] = value()
	}
	return doc
}

func fieldNames(v any, into map[string]bool) map[string]bool {
	switch v := v.(type) {
	case map[string]any:
		for k, c := range v {
			into[k] = true
			fieldNames(c, into)
		}
	case []any:
		for _, c := range v {
			fieldNames(c, into)
		}
	}
	return into
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := map[string]any{}
		for k := range v {
			c[k] = clone(v[k])
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = clone(v[i])
		}
		return c
	}
	return v
}

// Covers: attachments A
//
// Each rule that a schema cannot tell has a file that breaks it and nothing else.
func TestBeyondTheSchema(t *testing.T) {
	t.Parallel()
	s := editor(t)
	const head = `{"id":"w","agents":[{"id":"a","instructions":"i"}],"tasks":[{"id":"one","agent":"a","prompt":"p"`
	cases := map[authored.Rule][]string{
		authored.RuleTemplate:  {head + `,"with":{"a":"{{ env }}"}}]}`, head + `,"attachments":[{"type":"{{","path":"x"}]}]}`},
		authored.RuleReference: {head + `,"on_success":{"next":"two"}}]}`, head + `,"action":"x"}]}`, head + `,"output":"x"}]}`, head + `}],"outputs":{"a":"{{ .tasks.b.output }}"}}`},
		authored.RuleSource: {
			head + `,"attachments":[{"type":"file","path":"../x"}]}]}`, head + `,"attachments":[{"type":"file","paths":["a["]}]}]}`, head + `,"attachments":[{"type":"image","url":"ftp://a/b"}]}]}`,
			head + `,"attachments":[{"type":"file","path":"/a/{{ .input.x }}"}]}]}`, head + `,"attachments":[{"type":"file","path":"../../{{ .input.x }}/y"}]}]}`,
			head + `,"attachments":[{"type":"image","url":"file:///{{ .input.x }}"}]}]}`, head + `,"attachments":[{"type":"file","path":"../x"}]}],"base":"project"}`,
		},
		authored.RuleDuplicate: {head + `},{"id":"one","agent":"a","prompt":"p"}]}`, head + `}],"schemas":[{"id":"s"},{"id":"s"}]}`},
		authored.RuleCircle:    {head + `,"on_success":{"next":"one"}}]}`},
		authored.RuleCondition: {head + `},{"id":"r","type":"router","condition":"1 +","routes":{"a":"one"}}]}`},
		authored.RuleSchema:    {head + `,"output":{"$ref":"https://example.com/x"}}]}`, head + `,"output":{"pattern":"("}}]}`, head + `,"output":{"$schema":"http://json-schema.org/draft-07/schema#","type":"objekt"}}]}`},
		authored.RuleRange:     {head + `,"timeout":"25h"}]}`, head + `,"timeout":"0s"}]}`},
		authored.RuleWritten:   {head + `},{"id":5.0,"agent":"a","prompt":"p"}]}`},
		authored.RuleSyntax:    {head + `,"id":"one"}]}`, strings.Replace(head, `"p"`, `"`+strings.Repeat("p", authored.MaxBytes)+`"`, 1) + "}]}"},
	}
	for _, rule := range rulesBeyondSchema {
		if len(cases[rule]) == 0 {
			t.Errorf("no file breaks the rule %q", rule)
		}
		for _, text := range cases[rule] {
			rules, told, said := verdicts(t, s, []byte(text))
			if want := map[authored.Rule]bool{rule: true}; !maps.Equal(rules, want) || said != nil {
				t.Errorf("%.300s\nbreaks %v, not only %s: %v\nthe schema says: %v", text, rules, rule, told, said)
			}
		}
	}
}

// Property: the schema of schemas that editors have says what the draft's own says.
func TestSchemaOfSchemas(t *testing.T) {
	t.Parallel()
	official, err := jsonschema.NewCompiler().Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil {
		t.Fatal(err)
	}
	own := editor(t)
	const start = `{"type": ["object", "null"], "properties": {"a": {"type": "string", "pattern": "x", "minLength": 1, "enum": ["x"], "default": null}, "b": true},
		"required": ["a"], "patternProperties": {"^x": {"const": 3}}, "additionalProperties": false, "dependentRequired": {"a": ["b"]}, "allOf": [{"not": {"minimum": 3.5}}],
		"items": {"multipleOf": 2, "format": "date", "uniqueItems": true}, "prefixItems": [{}], "$defs": {"d": {"$anchor": "n", "examples": [1], "deprecated": true}},
		"dependencies": {"a": ["b"], "c": {}}, "$id": "urn:x", "title": "t", "if": {}, "contentSchema": {"maxContains": 2}, "$vocabulary": {"urn:y": true}}`
	rapid.Check(t, func(rt *rapid.T) {
		var schema map[string]any
		if err := json.Unmarshal([]byte(start), &schema); err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(0, 3).Draw(rt, "mutations") {
			schema = mutate(rt, schema)
		}
		delete(schema, "$schema")
		delete(schema, "id")
		text, err := json.Marshal(map[string]any{
			"id": "w", "agents": []any{map[string]any{"id": "a", "instructions": "i"}}, "tasks": []any{map[string]any{"id": "t", "agent": "a", "prompt": "p"}}, "input": schema,
		})
		if err != nil {
			rt.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			rt.Fatal(err)
		}
		said, says := official.Validate(doc.(map[string]any)["input"]), own.Validate(doc)
		if (said == nil) != (says == nil) {
			rt.Fatalf("%s\nthe draft says: %v\nthe schema says: %v", text, said, says)
		}
	})
}
