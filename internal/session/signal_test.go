package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"belay/internal/fault"
)

// Covers: turn-api REQ-11
func TestInterruptAcrossProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	if err := w.Signals.RequestInterrupt(id, ""); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("with no turn: %v", err)
	}
	c := startChild(t, w, "hold", id)
	c.expect(t, "ready")
	if err := w.Signals.RequestInterrupt(id, "ours"); !fault.Is(err, fault.SessionNotFound) || fault.From(err).Details["turnId"] != "ours" {
		t.Errorf("a turn that does not run: %v", err)
	}
	must(t, w.Signals.RequestInterrupt(id, "theirs"))
	c.expect(t, "interrupt "+id+" theirs")
	c.say(t, "release")
	must(t, c.cmd.Wait())
	if err := w.Signals.RequestInterrupt(id, ""); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("after the turn: %v", err)
	}
}

func TestInterruptsAreForTheirTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	got := w.Signals.Interrupts(ctx)
	id, other := w.session().SessionID, w.session().SessionID
	l := acquire(t, w.Store, id)
	must(t, l.Begin("new"))
	stale := filepath.Join(w.o.StateDir, "interrupts", id)
	must(t, os.WriteFile(stale, []byte("old\n"), 0o600))
	eventually(t, "a request for an old turn is dropped", func() bool {
		_, err := os.Stat(stale)
		return missing(err)
	})
	must(t, w.store().Signals.RequestInterrupt(id, ""))
	if who := receive(t, got); who != (Interrupt{id, "new"}) {
		t.Errorf("interrupted %q", who)
	}
	// One that nobody took does not outlive the turn.
	cancel()
	for range got {
	}
	must(t, w.Signals.RequestInterrupt(id, ""))
	must(t, l.Release())
	for _, f := range []string{id, other} {
		if _, err := os.Stat(filepath.Join(w.o.StateDir, "interrupts", f)); !missing(err) {
			t.Errorf("a request is left: %v", err)
		}
	}
}

func receive[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case got, ok := <-c:
		if !ok {
			t.Fatal("the channel is closed")
		}
		return got
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
	return v
}

func TestClosedStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	id := w.session().SessionID
	s := w.store()
	r, err := s.Reader(ctx, id, 0)
	must(t, err)
	interrupts := s.Signals.Interrupts(ctx)
	ended := make(chan error)
	go func() {
		_, err := r.Next(ctx)
		ended <- err
	}()
	must(t, s.Close())
	must(t, s.Close())
	if err := <-ended; err == nil {
		t.Error("a waiting reader got no error")
	}
	for range interrupts {
	}
	must(t, r.Close())
	if _, err := s.Get(ctx, id); err == nil {
		t.Error("a closed store works")
	}
	if _, open := <-s.Signals.Interrupts(ctx); open {
		t.Error("a closed store tells of interrupts")
	}
}
