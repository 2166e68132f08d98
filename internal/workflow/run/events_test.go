package run_test

import (
	"encoding/json"
	"testing"

	"belay/internal/workflow/run"
)

// The event of a wait names its question, as that of a tool call does, so that whoever reads
// it can answer. A wait for a time alone asks nothing.
func TestWaitEventsNameTheQuestion(t *testing.T) {
	t.Parallel()
	b := newBench(t, "id: flow\ntasks: [{id: pause, type: wait, for: 1ms, on_success: {next: ask}}, {id: ask, type: wait, message: Well?}]\n", echo)
	id := b.start(nil)
	for _, task := range []string{"pause", "ask"} {
		var e run.Event
		for e.Type != run.TaskWait || e.Task != task {
			e = b.event(id, e.Seq)
		}
		var w run.Waits
		if err := json.Unmarshal(e.Data, &w); err != nil {
			t.Fatal(err)
		}
		want := ""
		if task == "ask" {
			waits, err := b.r.Waits(t.Context(), id)
			if err != nil || len(waits) != 1 {
				t.Fatalf("%v, %v", waits, err)
			}
			want = waits[0].DecisionID
		}
		if w.DecisionID != want {
			t.Errorf("%s: the question is %q, not %q", task, w.DecisionID, want)
		}
	}
}

// event is the event of a run after a sequence.
func (b *bench) event(id string, after int64) run.Event {
	b.t.Helper()
	s, err := b.r.Follow(b.t.Context(), b.project, id, after)
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	events, err := s.Next(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return events[0]
}
