package run_test

import (
	"errors"
	"testing"
	"time"

	"belay/internal/session"
	"belay/internal/turn"
)

// Any goroutine may close a stream of a run, also while another waits for events.
func TestCloseFromAnotherGoroutine(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	b := newBench(t, agents+`tasks: [{id: one, agent: a, prompt: one}]`, func(r turn.Request) reply {
		<-hold
		return echo(r)
	})
	id := b.start(nil)
	for range 100 {
		s, err := b.r.Follow(t.Context(), b.project, id, 0)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			for {
				if _, err := s.Next(t.Context()); err != nil {
					ended <- err
					return
				}
			}
		}()
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		select {
		case err := <-ended:
			if !errors.Is(err, session.ErrReaderClosed) {
				t.Errorf("reading ended with %v", err)
			}
		case <-time.After(patience):
			t.Fatal("reading goes on")
		}
	}
	close(hold)
	b.ended(id)
}
