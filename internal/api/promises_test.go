package api

import (
	"testing"

	"belay/internal/durable"
)

// The documentation says what each answer promises that may change something.
func TestEveryAnswerHasAPromise(t *testing.T) {
	t.Parallel()
	promised := map[string]bool{}
	for _, p := range durable.Promises() {
		promised[p.Route] = true
	}
	names := map[string]bool{"": true}
	for _, r := range routes() {
		names[r.name] = true
		if r.method != get && !promised[r.name] {
			t.Errorf("%s %s (%s) promises nothing", r.method, r.path, r.name)
		}
	}
	for name := range promised {
		if !names[name] {
			t.Errorf("no endpoint is called %s", name)
		}
	}
}
