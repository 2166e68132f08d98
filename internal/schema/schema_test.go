package schema_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"belay/internal/schema"
)

func lines(t *testing.T, source, value any) []string {
	t.Helper()
	s, err := schema.Compile(source)
	if err != nil {
		t.Fatal(err)
	}
	faults, err := s.Check(value)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range faults {
		all = append(all, strings.Join(f.Place, "/")+": "+f.Text)
	}
	return all
}

// Every fault is reported with its place; numbers are written as they are, and a
// mistyped property gets the one that it resembles.
func TestCheck(t *testing.T) {
	t.Parallel()
	source := json.RawMessage(`{"type": "object", "additionalProperties": false, "properties": {
		"port": {"type": "integer", "minimum": 1024},
		"list": {"type": "array", "items": {"type": "object", "properties": {"path": {}}, "additionalProperties": false}}}}`)
	got := lines(t, source, json.RawMessage(`{"prot": 1, "port": 80, "list": [{"paht": 1}]}`))
	want := []string{
		": additional properties 'prot' not allowed (did you mean port?)",
		"list/0: additional properties 'paht' not allowed (did you mean path?)",
		"port: minimum: got 80, want 1024",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := lines(t, source, map[string]any{"port": 65535}); got != nil {
		t.Errorf("a right value: %q", got)
	}
}

// Nothing outside is read, and a check has an end.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`{"$ref": "file:///etc/passwd"}`, `{"$ref": "http://127.0.0.1:1/schema.json"}`, `{"$ref": "#/$defs/none"}`, `{"type": "text"}`,
	} {
		if _, err := schema.Compile(json.RawMessage(source)); err == nil {
			t.Errorf("%s compiles", source)
		}
	}
	s, err := schema.Compile(map[string]any{
		"properties": map[string]any{"a": map[string]any{"allOf": []any{map[string]any{"$ref": "#"}, map[string]any{"$ref": "#"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	deep := map[string]any{}
	for range 40 {
		deep = map[string]any{"a": deep}
	}
	if _, err := s.Check(deep); err == nil || !strings.Contains(err.Error(), "1000000 steps") {
		t.Errorf("a trillion steps: %v", err)
	}
	for _, huge := range []string{`{"a": 1e999999999}`, `{"a": -1e999999999}`} {
		if _, err := s.Check(json.RawMessage(huge)); err == nil {
			t.Errorf("%s is accepted", huge)
		}
	}
	if _, err := s.Check(json.RawMessage(`{"a": 1e-999999999}`)); err != nil {
		t.Errorf("a number near zero: %v", err)
	}
	if _, err := s.Check(func() {}); err == nil {
		t.Error("a value that is not JSON is accepted")
	}
}
