package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/turn/ending"
)

// inLine is how many wait for the session.
func (r *rig) inLine(id string) int {
	r.engine.dead.leases.mu.Lock()
	defer r.engine.dead.leases.mu.Unlock()
	if q := r.engine.dead.leases.queues[id]; q != nil {
		return len(q.waiting)
	}
	return 0
}

// line lets n requests wait in line, one after another.
func (r *rig) line(ctx context.Context, id string, n int) []chan error {
	r.t.Helper()
	out := make([]chan error, n)
	for i := range out {
		out[i] = make(chan error, 1)
		before := r.inLine(id)
		go func() {
			s, err := r.engine.Start(ctx, Request{SessionID: id, Message: fmt.Sprint("queued ", i), Opts: Opts{OnBusy: onBusyQueue}})
			if err == nil {
				r.drain(s)
			}
			out[i] <- err
		}()
		eventually(r.t, "a place in line", func() bool { return r.inLine(id) > before })
	}
	return out
}

// Covers: turn-api REQ-11
func TestQueueKeepsOrder(t *testing.T) {
	t.Parallel()
	const n = 8
	r := newRig(t, func(o *Options) { o.Rules.Limits.QueueLength = n })
	id := r.session()
	s := r.started(id)
	waiting := r.line(r.ctx(), id, n)
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "one too many", Opts: Opts{OnBusy: onBusyQueue}})
	if f := fault.From(err); f == nil || f.Type != fault.TurnInProgress || !strings.Contains(f.Hint, "already wait") {
		t.Errorf("a full queue: %v", err)
	}
	_, err = r.engine.Start(r.ctx(), Request{SessionID: id, Message: "not in line"})
	if !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("a turn past the queue: %v", err)
	}
	r.provider.does(says("yes"))
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(s)
	for _, w := range waiting {
		must(t, <-w)
	}
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(t, err)
	var got []string
	for _, e := range entries {
		if e.Message != "" {
			got = append(got, e.Message)
		}
	}
	want := []string{"go on"}
	for i := range n {
		want = append(want, fmt.Sprint("queued ", i))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("order %q", got)
	}
	if r.inLine(id) != 0 || len(r.engine.dead.leases.queues) != 0 {
		t.Error("the queue was left behind")
	}
}

func TestQueueWaitEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.Limits.QueueWait = 20 * time.Millisecond })
	id := r.session()
	s := r.started(id)
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "patience", Opts: Opts{OnBusy: onBusyQueue}})
	if f := fault.From(err); f == nil || f.Type != fault.TurnInProgress || f.Status != 409 || f.Details["sessionId"] != id {
		t.Errorf("after the wait: %v", err)
	}
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(s)
}

// Anyone who leaves the line leaves it to the others, wherever he stood.
func TestLeavingTheQueue(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.Limits.QueueLength = 3 })
	id := r.session()
	s := r.started(id)
	first, leave := context.WithCancel(r.ctx())
	gone := r.line(first, id, 2)
	stays := r.line(r.ctx(), id, 1)
	leave()
	for _, g := range gone {
		if err := <-g; !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
	}
	eventually(t, "one left in line", func() bool { return r.inLine(id) == 1 })
	r.provider.does(says("yes"))
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(s)
	must(t, <-stays[0])
}

// A turn that keeps its place in line is taken without its caller. Who asked for it again, and
// waits behind it, leaves as ever.
func TestKeepingAPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	s := r.started(id)
	q := Request{SessionID: id, Message: "later", IdempotencyKey: "k1", BodyDigest: "d", KeepsPlace: true, Opts: Opts{OnBusy: onBusyQueue}}
	ctx, leave := context.WithCancel(r.ctx())
	begun := make(chan error, 1)
	go func() {
		stream, err := r.engine.Start(ctx, q)
		if err == nil {
			r.drain(stream)
		}
		begun <- err
	}()
	eventually(t, "a place in line", func() bool { return r.inLine(id) == 1 })
	leave()
	gone, cancel := context.WithCancel(r.ctx())
	cancel()
	if _, err := r.engine.Start(gone, q); !errors.Is(err, context.Canceled) {
		t.Errorf("who asked again and left got %v", err)
	}
	if r.inLine(id) != 1 {
		t.Errorf("%d are in line", r.inLine(id))
	}
	r.provider.does(says("yes"))
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(s)
	must(t, <-begun)
}

// A limit of no places is no queue, not a session that is busy for ever.
func TestNoQueue(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.Limits.QueueLength = 0 })
	id := r.session()
	s := r.started(id)
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "x", Opts: Opts{OnBusy: onBusyQueue}})
	if !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("got %v", err)
	}
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(s)
	r.provider.does(says("yes"))
	r.say(id, "free")
}

// The turn belongs to the engine: its caller may go away at once.
//
// Covers: turn-api REQ-02
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	ctx, cancel := context.WithCancel(r.ctx())
	s, err := r.engine.Start(ctx, Request{SessionID: id, Message: "go"})
	must(t, err)
	cancel()
	must(t, s.Close())
	again, err := r.engine.Events(r.ctx(), id, 0, s.Turn())
	must(t, err)
	if exit := exitOf(t, r.drain(again)); exit.ExitCode != 0 {
		t.Errorf("exit %+v", exit)
	}
}

func TestTooManyTurns(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.Limits.InFlight = 1 })
	id, other := r.session(), r.session()
	s := r.started(id)
	_, err := r.engine.Start(r.ctx(), Request{SessionID: other, Message: "x"})
	if f := fault.From(err); f == nil || f.Type != fault.Overloaded || f.Status != 503 {
		t.Errorf("over the limit: %v", err)
	}
	waiting := r.line(r.ctx(), id, 1) // who waits takes no place
	r.provider.does(says("yes"))
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(s)
	must(t, <-waiting[0])
	eventually(t, "a place", func() bool { return r.engine.Counts().Running == 0 })
	r.say(other, "now")
}

// Close waits for turns, sends those in line away, and takes nothing new.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	s := r.started(id)
	waiting := r.line(r.ctx(), id, 1)
	closed := make(chan error, 1)
	go func() { closed <- r.engine.Close(r.ctx()) }()
	if err := <-waiting[0]; !fault.Is(err, fault.Overloaded) {
		t.Errorf("in line: %v", err)
	}
	if _, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "x"}); !fault.Is(err, fault.Overloaded) {
		t.Errorf("a new turn: %v", err)
	}
	if _, err := r.engine.Boot(r.ctx(), BootRequest{SessionID: id}); !fault.Is(err, fault.Overloaded) {
		t.Errorf("a boot: %v", err)
	}
	select {
	case err := <-closed:
		t.Fatalf("closed with a turn under way: %v", err)
	default:
	}
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	r.drain(s)
	must(t, <-closed)
}

// A Close that runs out of time interrupts what is left, and says so.
func TestCloseInterrupts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.started(r.session())
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := r.engine.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("close: %v", err)
	}
	if exit := exitOf(t, r.drain(s)); exit.ExitCode != ending.Interrupted {
		t.Errorf("exit %+v", exit)
	}
}

// Turns that begin while the engine closes are refused or end before it is
// closed.
func TestCloseRaces(t *testing.T) {
	t.Parallel()
	for range 10 {
		r := newRig(t)
		const n = 10
		ids := make([]string, n)
		for i := range ids {
			ids[i] = r.session()
		}
		results := make(chan error, n)
		for _, id := range ids {
			go func() {
				s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "x"})
				if err == nil {
					exitOf(t, r.drain(s))
				}
				results <- err
			}()
		}
		must(t, r.engine.Close(r.ctx()))
		if n := r.engine.Counts().Running; n != 0 {
			t.Errorf("%d turns run after Close", n)
		}
		for range n {
			if err := <-results; err != nil && !fault.Is(err, fault.Overloaded) {
				t.Errorf("a turn beside Close: %v", err)
			}
		}
	}
}
