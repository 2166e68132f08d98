package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/redact"
	"belay/internal/tool"
)

// TestDirectResultHasNoSecrets: keys are taken out of all that a workflow gets of a call, however
// deep they are in it.
func TestDirectResultHasNoSecrets(t *testing.T) {
	t.Parallel()
	const key = "sk-0123456789abcdef0123456789abcdef"
	for name, r := range map[string]*redact.Redactor{"with secrets": redact.New(key), "without": nil} {
		run := &Run{Turn: &Turn{Services: &Services{Redact: r}}}
		c := &toolCall{run: run, settled: true, result: tool.Result{Text: key, Value: map[string]any{
			"structured": map[string]any{"env": map[string]any{"TOKEN": key}, "list": []any{key, 1.5}},
		}}}
		var d Direct
		d.take(c)
		shown := key
		if r != nil {
			shown = r.String(key)
		}
		want := map[string]any{"structured": map[string]any{"env": map[string]any{"TOKEN": shown}, "list": []any{shown, 1.5}}}
		if diff := cmp.Diff(want, d.Result.Value); diff != "" || d.Result.Text != shown || (r != nil) != (shown != key) {
			t.Errorf("%s: %s\n%s", name, d.Result.Text, diff)
		}
	}
}
