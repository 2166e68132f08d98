package session

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"belay/internal/event"
)

// A reader that does not wait, and one that does not for long, get what is there
// and nothing at the end.
func TestReadersThatDoNotWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	say := event.Draft{Type: event.ChatDelta, Data: event.Text{Text: "x"}}
	reads := map[string]func(context.Context, *Reader) ([]event.Event, error){
		"ready": func(ctx context.Context, r *Reader) ([]event.Event, error) { return r.Ready(ctx) },
		"within": func(ctx context.Context, r *Reader) ([]event.Event, error) {
			return r.NextWithin(ctx, time.Millisecond, nil)
		},
	}
	for name, read := range reads {
		r := open(t, w.Store, id, l.LastSeq())
		if evs, err := read(t.Context(), r); len(evs) > 0 || err != nil {
			t.Errorf("%s: at the end came %v, %v", name, evs, err)
		}
		written, err := l.Emit("t", say, say)
		must(t, err)
		evs, err := read(t.Context(), r)
		if len(evs) != 2 || err != nil || r.After() != written[1].Seq {
			t.Errorf("%s: came %v, %v", name, evs, err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if evs, err := read(ended, r); len(evs) > 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: after its context came %v, %v", name, evs, err)
		}
	}
	must(t, l.Release())
}

// An event ends the wait of a reader that would wait for long.
func TestNextWithinIsWoken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	r := open(t, w.Store, id, 0)
	came := make(chan error, 1)
	go func() {
		evs, err := r.NextWithin(t.Context(), time.Hour, nil)
		if err == nil && len(evs) == 0 {
			err = errors.New("nothing came")
		}
		came <- err
	}()
	_, err := l.Emit("t", event.Draft{Type: event.ChatDelta, Data: event.Text{Text: "x"}})
	must(t, err)
	must(t, <-came)
	must(t, l.Release())
}

// A reader does not wait for a writer that has said all that it will. It gets what
// was written before that, and then nothing.
func TestNextWithinOfASilentWriter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	for range 50 { // whatever the reader is at when the writer falls silent
		r := open(t, w.Store, id, l.LastSeq())
		silent, came := make(chan struct{}), make(chan error, 1)
		go func() {
			evs, err := r.NextWithin(t.Context(), time.Hour, silent)
			if err == nil && len(evs) != 1 {
				err = fmt.Errorf("%d events came", len(evs))
			}
			if err == nil {
				evs, err = r.NextWithin(t.Context(), time.Hour, silent)
			}
			if err == nil && len(evs) > 0 {
				err = fmt.Errorf("%d events came out of silence", len(evs))
			}
			came <- err
		}()
		_, err := l.Emit("t", event.Draft{Type: event.ChatDelta, Data: event.Text{Text: "x"}})
		must(t, err)
		close(silent)
		must(t, <-came)
	}
	must(t, l.Release())
}
