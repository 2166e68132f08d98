package run

import (
	"encoding/json"
	"testing"

	"belay/internal/workflow/definition"
)

// ReadForTest finds the value of an answer.
func ReadForTest(text string, s *definition.Schema) (any, []string) { return read(text, s) }

// SchemaForTest is a schema as a workflow file has it.
func SchemaForTest(t testing.TB, text string) *definition.Schema {
	t.Helper()
	if !json.Valid([]byte(text)) {
		t.Fatal("this is no JSON")
	}
	w, err := definition.Parse("w.json", []byte(`{"id": "w", "input": `+text+`, "agents": [{"id": "a", "instructions": "x"}], "tasks": [{"id": "t", "agent": "a", "prompt": "x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return w.Input
}
