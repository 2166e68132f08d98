package run_test

import (
	"testing"

	"belay/internal/workflow/run"
)

// An input that somebody wrote keeps its numbers, and says one thing only.
func TestDecodeInput(t *testing.T) {
	t.Parallel()
	got, err := run.DecodeInput([]byte(`{"n": 9007199254740993, "deep": [{"x": 1.5}]}`))
	if n, ok := got["n"].(int64); err != nil || !ok || n != 9007199254740993 {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"", "null", "[]", `"x"`, `{"n":5,"n":6}`, `{"a":{"n":5,"n":6}}`, `{"n":5} {}`, `{"n":`} {
		if got, err := run.DecodeInput([]byte(text)); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}
