package definition_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"belay/internal/workflow/definition"
)

// Whatever a large file holds, the time that it takes does not grow with the square of
// its size: that would be minutes.
func TestLargeFilesAreReadInTime(t *testing.T) {
	t.Parallel()
	const size, patience = 256 << 10, time.Minute
	many := func(head, each, tail string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, each, i)
		}
		return b.String() + tail
	}
	const agent = "id: w\nagents: [{id: a, instructions: i}]\ntasks:\n"
	for name, text := range map[string]string{
		"tasks that lead on":      many(agent, "- {id: t%[1]d, agent: a, prompt: p, on_success: {next: t%[1]d1}}\n", ""),
		"tasks that lead nowhere": many(agent, "- {id: t%[1]d, agent: a, prompt: p, on_success: {next: nowhere%[1]d}}\n", ""),
		"agents":                  many("id: w\nagents:\n", "- {id: agent%[1]d, instructions: i}\n", "tasks: [{id: t, agent: nobody, prompt: p}]\n"),
		"agents that are not":     many(agent, "- {id: t%[1]d, agent: b%[1]d, prompt: p}\n", ""),
		"actions that are not":    many(agent, "- {id: t%[1]d, agent: a, action: b%[1]d}\n", ""),
		"references":              many(agent, "- {id: t%[1]d, agent: a, prompt: '{{ .tasks.x%[1]d }}'}\n", ""),
		"unknown fields":          many(agent+"- id: t\n", "  f%d: 1\n", ""),
		"schemas":                 many("id: w\nschemas:\n", "- {id: s%d, type: objekt}\n", "agents: [{id: a, instructions: i}]\ntasks: [{id: t, agent: a, prompt: p, output: none}]\n"),
		"conditions":              many(agent, "- {id: t%[1]d, type: router, condition: 'input.x%[1]d', routes: {a: t0}}\n", ""),
		"circles in a row":        circles(size),
		"routes":                  many(agent+"- {id: t, type: router, condition: input.x, routes: {", "r%[1]d: x%[1]d, ", "a: t}}\n"),
		"attachments":             many(agent+"- {id: t, agent: a, prompt: p, attachments: [", "{type: imgae%d}, ", "{type: file, path: x}]}\n"),
	} {
		begin := time.Now()
		_, err := definition.Parse(t.Context(), "w.yaml", []byte(text))
		if took := time.Since(begin); took > patience {
			t.Errorf("%s: it took %v", name, took)
		}
		if err == nil {
			t.Errorf("%s: nothing is wrong with it", name)
		}
	}
}

// circles is a file of tasks that each lead to the next and back to the one before.
func circles(size int) string {
	var b strings.Builder
	b.WriteString("id: w\ntasks:\n- {id: t0, type: router, condition: input.a, routes: {x: t1}}\n")
	for i := 1; b.Len() < size; i++ {
		fmt.Fprintf(&b, "- {id: t%d, type: router, condition: input.a, routes: {x: t%d, y: t%d}}\n", i, i+1, i-1)
	}
	return b.String()
}

// A schema that branches at every level is given up, also one that follows the value
// down; what is right is not.
func TestSchemasOfManySteps(t *testing.T) {
	t.Parallel()
	var flat strings.Builder
	for i := range 40 {
		fmt.Fprintf(&flat, "a%d: {allOf: [{$ref: '#/$defs/a%d'}, {$ref: '#/$defs/a%d'}]}, ", i, i+1, i+1)
	}
	deep := map[string]any{}
	for range 50 {
		deep = map[string]any{"a": deep}
	}
	for text, c := range map[string]struct {
		value map[string]any
		given bool
	}{
		"{$ref: '#/$defs/a0', $defs: {" + flat.String() + "a40: {type: object}}}":       {map[string]any{}, true},
		"{type: object, properties: {a: {allOf: [{$ref: '#'}, {$ref: '#'}]}}}":          {deep, true},
		"{type: object, properties: {a: {$ref: '#'}}}":                                  {deep, false},
		"{$schema: 'http://json-schema.org/draft-07/schema#', allOf: [{type: object}]}": {deep, false},
	} {
		w, err := definition.Parse(t.Context(), "w.yaml", []byte("id: w\ninput: "+text+"\nagents: [{id: a, instructions: x}]\ntasks: [{id: t, agent: a, prompt: x}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		wrong := strings.Join(w.Input.Check(c.value), "\n")
		if strings.Contains(wrong, "more than 1000000 steps") != c.given || !c.given && wrong != "" {
			t.Errorf("%.60s: %q", text, wrong)
		}
	}
}

// tiring is a context that is cancelled once it was looked at so often.
type tiring struct {
	context.Context
	looks, most int
}

func (c *tiring) Err() error {
	if c.looks++; c.looks > c.most {
		return context.Canceled
	}
	return nil
}

// Reading a large file ends when nobody wants it any more.
func TestParseHeedsItsContext(t *testing.T) {
	t.Parallel()
	many := func(head, each, tail string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range 1000 {
			fmt.Fprintf(&b, each, i)
		}
		return b.String() + tail
	}
	const agent = "id: w\nagents: [{id: a, instructions: i}]\ntasks:\n"
	for name, text := range map[string]string{
		"tasks":   many(agent, "- {id: t%[1]d, agent: a, prompt: p}\n", ""),
		"within":  many(agent+"- {id: t, type: parallel, tasks: [", "{id: t%[1]d, agent: a, prompt: p}, ", "]}\n"),
		"agents":  many("id: w\nagents:\n", "- {id: a%d, instructions: i}\n", "tasks: [{id: t, agent: a1, prompt: p}]\n"),
		"actions": many("id: w\nagents:\n- id: a\n  instructions: i\n  actions:\n", "  - {id: a%d, prompt: p}\n", "tasks: [{id: t, agent: a, action: a1}]\n"),
		"schemas": many("id: w\nschemas:\n", "- {id: s%d, type: object}\n", "agents: [{id: a, instructions: i}]\ntasks: [{id: t, agent: a, prompt: p, output: s1}]\n"),
	} {
		if _, err := definition.Parse(t.Context(), "w.yaml", []byte(text)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, most := range []int{0, 100} {
			ctx := &tiring{Context: t.Context(), most: most}
			w, err := definition.Parse(ctx, "w.yaml", []byte(text))
			if w != nil || !errors.Is(err, context.Canceled) || ctx.looks > most+10 {
				t.Errorf("%s: %v after %d looks of %d", name, err, ctx.looks, most)
			}
		}
	}
}
