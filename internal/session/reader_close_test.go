package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"belay/internal/event"
)

// Any goroutine may close a reader, whatever its reader does at that moment: wait
// without a limit or with one, read from memory or from the files, in the writer's
// process or in another. Who reads gets ErrReaderClosed, and nothing stays behind.
func TestCloseFromAnotherGoroutine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.TailBytes = 500 })
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	for range 50 {
		emit(t, l, "t", event.ChatDelta, event.Text{Text: "twenty bytes of text"})
	}
	other := w.store()
	waits := map[string]func(*Reader) ([]event.Event, error){
		"next":   func(r *Reader) ([]event.Event, error) { return r.Next(context.Background()) },
		"within": func(r *Reader) ([]event.Event, error) { return r.NextWithin(context.Background(), time.Hour, nil) },
	}
	var wg sync.WaitGroup
	for name, next := range waits {
		for i := range 200 {
			s := []*Store{w.Store, other}[i%2]
			r, err := s.Reader(t.Context(), id, int64(i%51))
			must(t, err)
			ended := make(chan error, 1)
			go func() {
				for {
					if _, err := next(r); err != nil {
						ended <- err
						return
					}
				}
			}()
			for range 2 {
				wg.Go(func() {
					if err := r.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
				})
			}
			select {
			case err := <-ended:
				if !errors.Is(err, ErrReaderClosed) {
					t.Errorf("%s, reader %d ended with %v", name, i, err)
				}
			case <-time.After(patience):
				t.Fatalf("%s: reader %d waits on", name, i)
			}
		}
	}
	wg.Wait()
	for i, s := range []*Store{w.Store, other} {
		if left := inUse(s, id); left != "" {
			t.Errorf("store %d: %s", i, left)
		}
	}
	must(t, l.Release())
}

// inUse says what of a session readers have left behind.
func inUse(s *Store, id string) string {
	s.states.mu.Lock()
	v := s.states.all[id]
	s.states.mu.Unlock()
	if v == nil {
		return ""
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.readers > 0 || v.watch != nil {
		return fmt.Sprintf("%d readers, watch %v", v.readers, v.watch)
	}
	return ""
}
