package bus

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
)

// recordedStore is a session store of one log.
type recordedStore struct {
	evs    []event.Event
	open   int
	closed error
}

func (s *recordedStore) Reader(_ context.Context, _ string, after int64) (*recordedReader, error) {
	s.open++
	return &recordedReader{s, after}, nil
}

type recordedReader struct {
	store *recordedStore
	after int64
}

func (r *recordedReader) Ready(context.Context) ([]event.Event, error) {
	return r.store.evs[r.after:], nil
}

func (r *recordedReader) Close() error { r.store.open--; return r.store.closed }

func TestSourceFromStore(t *testing.T) {
	t.Parallel()
	store := &recordedStore{evs: []event.Event{sample(1), sample(2), sample(3)}}
	src := FromStore(store)
	got, err := src.Read(t.Context(), "s1", 1)
	if diff := cmp.Diff(store.evs[1:], got); diff != "" || err != nil {
		t.Errorf("after 1: %v (-want +got):\n%s", err, diff)
	}
	if got, err := src.Read(t.Context(), "s1", 3); len(got) != 0 || err != nil {
		t.Errorf("at the end: %v, %v", got, err)
	}
	store.closed = errors.New("close failed")
	if _, err := src.Read(t.Context(), "s1", 0); !errors.Is(err, store.closed) {
		t.Errorf("a failing close is lost: %v", err)
	}
	if store.open != 0 {
		t.Errorf("%d readers left open", store.open)
	}
}
