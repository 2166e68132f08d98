package run_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/turn"
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

// What a run waited for that its project has no more is forgotten. One whose project cannot be
// reached stays, and is named.
func TestTakeUpGone(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks: [{id: ask, type: wait, message: "Publish?"}]`, echo)
	id := b.start(nil)
	b.follows(id, run.TaskWait)
	b.close()
	away := b.project + "-away"
	if err := os.Rename(b.project, away); err != nil {
		t.Fatal(err)
	}
	b.r = b.runner()
	if n, err := b.r.TakeUpWaiting(t.Context()); n != 0 || err == nil || !strings.Contains(err.Error(), id) || !strings.Contains(err.Error(), b.project) {
		t.Errorf("of a project that is away %d are taken up: %v", n, err)
	}
	if err := os.Mkdir(b.project, 0o700); err != nil { // where its disk is mounted
		t.Fatal(err)
	}
	if n, err := b.r.TakeUpWaiting(t.Context()); n != 0 || !fault.Is(err, fault.RunNotFound) {
		t.Errorf("of a project that is not mounted %d are taken up: %v", n, err)
	}
	if waits, err := b.r.Waits(t.Context(), id); err != nil || len(waits) != 1 {
		t.Errorf("it waits no more: %+v, %v", waits, err)
	}
	if err := errors.Join(os.Remove(b.project), os.Rename(away, b.project), os.RemoveAll(filepath.Join(b.project, ".belay", "runs", id))); err != nil {
		t.Fatal(err)
	}
	if n, err := b.r.TakeUpWaiting(t.Context()); n != 0 || err != nil {
		t.Errorf("%d are taken up that are gone: %v", n, err)
	}
	if waits, err := b.r.Waits(t.Context(), id); err != nil || len(waits) > 0 {
		t.Errorf("it still waits: %+v, %v", waits, err)
	}
	left, err := os.ReadDir(filepath.Join(b.state, "runs"))
	for _, e := range left {
		if strings.HasPrefix(e.Name(), id) {
			t.Errorf("%s stays", e.Name())
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// A run that is taken up again as soon as it was cancelled has been cancelled: who asked for
// that does not wait for the end of what follows.
func TestCancelAndTakeUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks: [{id: ask, type: wait, message: "Publish?"}]`, echo)
	id := b.start(nil)
	b.follows(id, run.TaskWait)
	other := b.runner()
	again := make(chan error, 1)
	go func() {
		for {
			switch _, err := other.Resume(t.Context(), b.project, id, ""); {
			case !fault.Is(err, fault.RunInProgress):
				again <- err
				return
			default:
				time.Sleep(time.Millisecond)
			}
		}
	}()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	asking := b.runner()
	if err := asking.Cancel(ctx, b.project, id); err != nil {
		t.Errorf("cancel: %v", err)
	}
	if err := <-again; err != nil {
		t.Fatal(err)
	}
	if err := other.Cancel(t.Context(), b.project, id); err != nil {
		t.Error(err)
	}
}

// A run that is cancelled while its process shuts down is over: no server takes it up.
func TestCancelWhileItsProcessEnds(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		begun, goesOn := make(chan struct{}), make(chan struct{})
		b := newBench(t, agents+`tasks: [{id: one, agent: a, prompt: x}]`, func(turn.Request) reply {
			close(begun)
			<-goesOn
			return reply{hangs: true}
		})
		id := b.start(nil)
		<-begun
		over, stop := context.WithCancel(t.Context())
		stop()
		closed, cancelled := make(chan error), make(chan error)
		go func() { closed <- b.r.Close(over) }()
		time.Sleep(50 * time.Millisecond) // to stop the run
		asking := b.r
		if !own {
			asking = b.runner()
		}
		go func() { cancelled <- asking.Cancel(t.Context(), b.project, id) }()
		time.Sleep(50 * time.Millisecond) // to ask; that it did so too late fails nothing
		close(goesOn)
		if err := <-cancelled; err != nil {
			t.Error(err)
		}
		<-closed
		if r, err := b.r.Show(t.Context(), b.project, id); err != nil || r.Status != run.Cancelled {
			t.Errorf("own %v: %v, %v", own, r.Status, err)
		}
	}
}
