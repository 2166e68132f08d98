package run_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"belay/internal/fault"
	"belay/internal/turn"
)

// TestKeyBeginsOneRun: a client that did not see the answer sends the request again, at the
// same time or after the server began anew.
func TestKeyBeginsOneRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks:
  - {id: one, agent: a, prompt: Look.}
`, func(turn.Request) reply { return reply{text: "done"} })
	req := b.request(nil)
	req.Key = "k1"
	var all sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		all.Go(func() {
			s, err := b.r.Start(t.Context(), req)
			if err != nil {
				t.Error(err)
			}
			ids[i] = s.ID
		})
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] || id == "" {
			t.Fatalf("one key began %q", ids)
		}
	}
	b.ended(ids[0])
	b.r = b.runner() // of a server that began anew
	if s, err := b.r.Start(t.Context(), req); err != nil || s.ID != ids[0] || s.EndedAt == nil {
		t.Errorf("after its end: %+v, %v", s, err)
	}
	if n := len(b.e.asked()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	other := req
	other.Model = "another"
	if _, err := b.r.Start(t.Context(), other); !fault.Is(err, fault.IdempotencyConflict) {
		t.Errorf("another request under the key: %v", err)
	}
	other.Key = "k2"
	s, err := b.r.Start(t.Context(), other)
	if err != nil || s.ID == ids[0] {
		t.Fatalf("another key: %+v, %v", s, err)
	}
	b.ended(s.ID)
}

// A run that cannot begin, as the server stops, leaves nothing: sent again, the request begins.
func TestARefusedStartLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks:
  - {id: one, agent: a, prompt: Look.}
`, func(turn.Request) reply { return reply{text: "done"} })
	req := b.request(nil)
	req.Key = "k1"
	if err := b.r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.r.Start(t.Context(), req); !fault.Is(err, fault.Overloaded) {
		t.Fatalf("a closed runner: %v", err)
	}
	if all, _, err := b.r.List(t.Context(), b.project, 0); err != nil || len(all) > 0 {
		t.Errorf("left are %+v, %v", all, err)
	}
	b.r = b.runner()
	b.file("flow.yaml", agents+"tasks: [{id: one, agent: a, prompt: '{{ .input.none }}'}]\n")
	if _, err := b.r.Start(t.Context(), b.request(nil)); !fault.Is(err, fault.InvalidWorkflow) {
		t.Fatalf("a task that would fail: %v", err)
	}
	for _, dir := range []string{filepath.Join(b.state, "runs"), filepath.Join(b.project, ".belay", "runs")} {
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s has %v, %v", dir, left, err)
		}
	}
	b.file("flow.yaml", agents+"tasks: [{id: one, agent: a, prompt: Look.}]\n")
	s, err := b.r.Start(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if record := b.ended(s.ID); record.Status != "success" {
		t.Errorf("it ended as %s", record.Status)
	}
}
