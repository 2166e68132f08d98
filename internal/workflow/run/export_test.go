package run

import (
	"encoding/json"
	"errors"
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
	w, err := definition.Parse(t.Context(), "w.json", []byte(`{"id": "w", "input": `+text+`, "agents": [{"id": "a", "instructions": "x"}], "tasks": [{"id": "t", "agent": "a", "prompt": "x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return w.Input
}

// ReadWithinForTest reads a file as that of a workflow is read that must lie in a folder.
func ReadWithinForTest(within, dir, name string) ([]byte, error) {
	root, err := openWithin(within, dir)
	if err != nil {
		return nil, err
	}
	s := &site{root: root}
	data, err := s.read(name, 1<<20)
	return data, errors.Join(err, s.Close())
}

// StorageForTest is the error of a record that could not be written.
func StorageForTest(err error) error { return storage("the record cannot be written", err) }

// FormatForTest is the version of the files that runs write.
const FormatForTest = formatVersion
