package client_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"belay/internal/client"
	"belay/internal/session"
	"belay/internal/turn"
)

// Any goroutine may close a stream, also while another waits in Next: for events,
// for the answer to a new connection, and for the next try.
func TestCloseFromAnotherGoroutine(t *testing.T) {
	t.Parallel()
	silent := func(w http.ResponseWriter, r *http.Request) {
		send(w, 1, 3)
		<-r.Context().Done()
	}
	// broken ends every stream after the first events, and then goes on as then says.
	broken := func(then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Last-Event-ID") == "0" {
				send(w, 1, 3)
				return
			}
			then(w, r)
		}
	}
	tests := map[string]struct {
		o client.Options
		h http.HandlerFunc
	}{
		"in silence":          {client.Options{}, silent},
		"while it reconnects": {client.Options{}, broken(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })},
		"before the next try": {client.Options{Backoff: time.Hour}, broken(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, tt.o, tt.h)
			for i := range 30 {
				s, err := c.Events(t.Context(), "s1", 0, "")
				if err != nil {
					t.Fatal(err)
				}
				closes(t, s, i%2 == 1)
			}
		})
	}
}

// closes closes s while somebody reads it, at once or when the first events have
// come, and checks that this ends the reading.
func closes(t *testing.T, s turn.Stream, later bool) {
	t.Helper()
	first, ended := make(chan bool, 1), make(chan error, 1)
	go func() {
		for {
			if _, err := s.Next(t.Context()); err != nil {
				ended <- err
				return
			}
			select {
			case first <- true:
			default:
			}
		}
	}()
	if later {
		<-first
	}
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
	case <-time.After(5 * time.Minute):
		t.Fatal("reading goes on")
	}
}
