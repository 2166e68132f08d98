package run_test

import (
	"testing"

	"belay/internal/fault"
	"belay/internal/workflow/run"
)

// A run that waits and whose process died is cancelled for good: nothing takes it up by
// itself, and its question is gone.
func TestCancelDead(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks: [{id: ask, type: wait, message: "Publish?"}]`, echo)
	id := b.start(nil)
	b.follows(id, run.TaskWait)
	b.close()
	b.r = b.runner()
	if err := b.r.Cancel(t.Context(), b.project, id); err != nil {
		t.Fatal(err)
	}
	r, err := b.r.Show(t.Context(), b.project, id)
	if err != nil || r.Status != run.Cancelled || r.EndedAt == nil || len(r.Waits) > 0 || r.Error == nil || r.Error.Type != fault.RunCancelled {
		t.Errorf("%v: %s %+v %+v", err, r.Status, r.Error, r.Waits)
	}
	if all := b.events(id); all[len(all)-1].Type != run.RunEnd {
		t.Errorf("the last event is %+v", all[len(all)-1])
	}
	if n, err := b.r.TakeUpWaiting(t.Context()); n != 0 || err != nil {
		t.Errorf("%d taken up: %v", n, err)
	}
	if err := b.r.Cancel(t.Context(), b.project, id); !fault.Is(err, fault.RunNotRunning) {
		t.Errorf("cancelled twice: %v", err)
	}
}
