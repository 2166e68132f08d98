package worker

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/bus"
	"belay/internal/bus/contract"
	"belay/internal/fault"
	"belay/internal/turn"
)

// failing is an engine that refuses the first turns.
type failing struct {
	turn.Engine

	left *atomic.Int64
	with *fault.Error
}

func (f failing) Start(ctx context.Context, r turn.Request) (turn.Stream, error) {
	if f.left.Add(-1) >= 0 {
		return nil, f.with
	}
	return f.Engine.Start(ctx, r)
}

// refusing has the engine refuse the first n turns.
func refusing(n int64, with *fault.Error) func(*Options) {
	left := &atomic.Int64{}
	left.Store(n)
	return func(o *Options) { o.Engine = failing{o.Engine, left, with} }
}

func TestWhatMayPassIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), hello, refusing(attempts-1, fault.New(fault.StorageFailure, "the disk is full")))
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "hello")
	if e := r.end(s, "r1"); e.State != contract.StateResolved {
		t.Errorf("end: %+v", e)
	}
	if n := r.calls.Load(); n != 1 {
		t.Errorf("%d turns were begun", n)
	}
}

// A request that fails again and again ends with the reason, and the bus keeps the
// evidence. The next one of the session runs.
func TestWhatDoesNotPassIsADeadLetter(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), hello, refusing(attempts+2, fault.New(fault.StorageFailure, "the disk is full")))
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "a secret")
	r.ask(s, "r2", contract.QueuePrompt, "hello")
	if e := r.end(s, "r1"); e.State != contract.StateFailed || e.Error.Code != string(fault.StorageFailure) || !strings.Contains(e.Error.Message, "disk is full") {
		t.Errorf("end: %+v", e)
	}
	if e := r.end(s, "r2"); e.State != contract.StateResolved {
		t.Errorf("the next one: %+v", e)
	}
	for m, err := range r.bus.Tail(r.ctx(), bus.TailOptions{Since: time.Now().Add(-time.Hour), Request: "r1"}) {
		must(t, err)
		if m.Type != "dead letter" {
			continue
		}
		var d bus.DeadLetter
		must(t, json.Unmarshal(m.Payload, &d))
		if d.Session != s || !strings.Contains(d.Error, "disk is full") || strings.Contains(string(m.Payload), "secret") {
			t.Errorf("dead letter: %s", m.Payload)
		}
		break
	}
	waitEmpty(t, r)
}

// waitEmpty waits until no request is left.
func waitEmpty(t *testing.T, r *rig) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		n, err := r.bus.Waiting(r.ctx())
		must(t, err)
		if n == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d requests are left", n)
		}
	}
}

// Requests that nobody took, or whose server stopped, are taken by the next one, each
// once and in order.
func TestNextServerTakesWhatIsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := openRig(t, dir, talk)
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "slow")
	r.under(s, "r1")
	for _, id := range []string{"r2", "r3"} {
		r.ask(s, id, contract.QueuePrompt, "quick "+id)
		r.wait(id, contract.StateQueued)
	}
	must(t, r.close()) // the running turn is interrupted
	if n := r.calls.Load(); n != 1 {
		t.Errorf("%d turns were begun, want the first alone", n)
	}

	r = openRig(t, dir, talk)
	r.ask(s, "r3", contract.QueuePrompt, "quick r3") // its surface does not know whether it was taken
	if e := r.end(s, "r1"); e.State != contract.StateCancelled || e.FinalText != "Thinking. " {
		t.Errorf("the running request: %+v", e)
	}
	var order []string
	for _, m := range r.signals("order", final("r3"), contract.TypeLifecycleChanged) {
		if m.Payload.(*contract.LifecycleChanged).State.Final() {
			order = append(order, m.Envelope.Request)
		}
	}
	if got := strings.Join(order, " "); got != "r1 r2 r3" {
		t.Errorf("ends: %s", got)
	}
	waitEmpty(t, r)
	if n := r.calls.Load(); n != 2 {
		t.Errorf("%d turns were begun by the second server, want 2", n)
	}
}

// A request that has to wait when its server stops is not failed: the next server runs it.
func TestWhatMayPassIsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const many = 1 << 40
	left := &atomic.Int64{}
	left.Store(many)
	r := openRig(t, dir, hello, func(o *Options) {
		o.Engine = failing{o.Engine, left, fault.New(fault.TurnInProgress, "a turn of another program runs")}
	})
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "hello")
	for end := time.Now().Add(patience); left.Load() == many && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	must(t, r.close())

	r = openRig(t, dir, hello)
	if e := r.end(s, "r1"); e.State != contract.StateResolved {
		t.Errorf("end: %+v", e)
	}
	waitEmpty(t, r)
}

// A request that comes again while it runs, or after, runs once.
func TestRedeliveredRequestRunsOnce(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), talk)
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "tool")
	r.under(s, "r1")
	r.worker.mu.Lock()
	d := r.worker.jobs[jobKey{s, "r1"}].held()
	r.worker.mu.Unlock()
	again := *d
	r.worker.take(&again)
	before := r.end(s, "r1")
	waitEmpty(t, r)
	r.worker.take(&again) // its acknowledgement was lost
	r.ask(s, "r2", contract.QueuePrompt, "quick")
	r.end(s, "r2")
	if after := r.end(s, "r1"); before.FinalText != after.FinalText {
		t.Errorf("the output changed: %+v", after)
	}
	if n := r.calls.Load(); n != 2 {
		t.Errorf("%d turns were begun, want 2", n)
	}
}

// The server of the bus is replaced in the middle of a turn, as after a full disk: the
// output has no gap.
func TestOutputOutlivesTheBus(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), talk)
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "tool")
	r.under(s, "r1")
	must(t, r.bus.Renew(r.ctx()))
	const want = "text, glob start, glob end, text, output.response.text"
	if got := kinds(r.output(s, "r1")); got != want {
		t.Errorf("output:\n%s\nwant:\n%s", got, want)
	}
	waitEmpty(t, r)
}
