package bus

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
)

// waitingStore is a session store whose readers would wait forever at the end.
type waitingStore struct {
	evs    []event.Event
	open   int
	closed error
}

func (s *waitingStore) Bounds(context.Context, string) (int64, int64, error) {
	return 1, int64(len(s.evs)), nil
}

func (s *waitingStore) Reader(_ context.Context, _ string, after int64) (*waitingReader, error) {
	s.open++
	return &waitingReader{s, after}, nil
}

type waitingReader struct {
	store *waitingStore
	after int64
}

func (r *waitingReader) Next(context.Context) ([]event.Event, error) {
	if r.after >= int64(len(r.store.evs)) {
		return nil, errors.New("the reader would wait forever")
	}
	return r.store.evs[r.after:], nil
}

func (r *waitingReader) Close() error { r.store.open--; return r.store.closed }

func TestSourceFromStoreNeverWaits(t *testing.T) {
	t.Parallel()
	store := &waitingStore{evs: []event.Event{sample(1), sample(2), sample(3)}}
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
