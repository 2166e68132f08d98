package run_test

import (
	"fmt"
	"strings"
	"testing"

	"belay/internal/fault"
	"belay/internal/workflow/run"
)

// A corrected file may have other inputs: the run keeps its own, and defaults are added.
func TestCorrectInput(t *testing.T) {
	t.Parallel()
	const head, tasks = "id: flow\nagents: [{id: a, instructions: x}]\n", "tasks: [{id: one, agent: a, prompt: 'one {{ %s }}', outputs: {x: '{{ %s }}'}}]\n"
	b := newBench(t, head+"input: {type: object, properties: {old: {type: string, default: o}}}\n"+fmt.Sprintf(tasks, ".input.old", "index .output.response 99"), echo)
	r := b.run(nil)
	b.file("flow.yaml", head+"input: {type: object, required: [new], properties: {new: {type: string}}}\n"+fmt.Sprintf(tasks, ".input.new", ".output.response"))
	_, err := b.r.Correct(t.Context(), b.corrected(r.ID))
	if f := fault.From(err); f.Type != fault.InvalidWorkflow || !strings.Contains(f.Hint, "the run keeps its input") || strings.Contains(f.Message, "old") {
		t.Errorf("an input that the run does not have: %v, %s", err, f.Hint)
	}
	b.file("flow.yaml", head+"input: {type: object, properties: {new: {type: string, default: n}}}\n"+fmt.Sprintf(tasks, ".input.new", ".output.response"))
	if _, err := b.r.Correct(t.Context(), b.corrected(r.ID)); err != nil {
		t.Fatal(err, fault.From(err).Hint)
	}
	if r = b.ended(r.ID); r.Status != run.Success || b.e.last().Message != "one n" || r.Input["old"] != "o" {
		t.Errorf("%s %+v: %q, %v", r.Status, r.Error, b.e.last().Message, r.Input)
	}
}
