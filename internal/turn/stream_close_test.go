package turn

import (
	"errors"
	"testing"
	"time"

	"belay/internal/session"
	"belay/internal/turn/ending"
)

// Any goroutine may close a stream, also while another waits in Next: of a log
// between turns, of a running turn, and of the turn that it started.
func TestCloseFromAnotherGoroutine(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	idle := r.session()
	busy := r.session()
	own := r.started(busy)
	open := map[string]func() (Stream, error){
		"between turns": func() (Stream, error) { return r.engine.Events(r.ctx(), idle, 0, "") },
		"a session":     func() (Stream, error) { return r.engine.Events(r.ctx(), busy, 0, "") },
		"a turn":        func() (Stream, error) { return r.engine.Events(r.ctx(), busy, 0, own.Turn()) },
		"its own turn":  func() (Stream, error) { return own, nil },
	}
	for name, begin := range open {
		for range 50 {
			s, err := begin()
			must(t, err)
			closes(t, name, s)
		}
	}
	must(t, r.engine.Interrupt(r.ctx(), busy, ""))
	s, err := r.engine.Events(r.ctx(), busy, 0, own.Turn())
	must(t, err)
	if exit := exitOf(t, r.drain(s)); exit.ExitCode != ending.Interrupted {
		t.Errorf("the turn ended with %+v", exit)
	}
}

// closes closes s while somebody reads it, and checks that this ends the reading.
func closes(t *testing.T, name string, s Stream) {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		for {
			if _, err := s.Next(t.Context()); err != nil {
				ended <- err
				return
			}
		}
	}()
	must(t, s.Close())
	must(t, s.Close())
	select {
	case err := <-ended:
		if !errors.Is(err, session.ErrReaderClosed) {
			t.Errorf("%s: reading ended with %v", name, err)
		}
	case <-time.After(patience):
		t.Fatalf("%s: reading goes on", name)
	}
}
