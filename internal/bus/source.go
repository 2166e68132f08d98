package bus

import (
	"context"

	"belay/internal/event"
)

// Source is where a [Publisher] reads what it publishes: the logs.
type Source interface {
	// Read returns some of the session's events after a sequence, in order,
	// and nothing when there are none. It never waits for events to come. A
	// log:gap in the result moves the position to its sequence. An error of
	// type SESSION_NOT_FOUND means that the session is gone.
	Read(ctx context.Context, session string, after int64) ([]event.Event, error)
}

// Reader follows a log; session.Reader is one.
type Reader interface {
	// Ready returns events in order, as many as are there and a batch holds, and
	// nothing at the end. A position beyond the end is a log that was replaced: the
	// reader reports it by a log:gap.
	Ready(ctx context.Context) ([]event.Event, error)
	Close() error
}

// Store is what [FromStore] needs of a session store.
type Store[R Reader] interface {
	// Reader follows a session's log after a sequence.
	Reader(ctx context.Context, id string, after int64) (R, error)
}

// FromStore makes a Source of a session store.
func FromStore[R Reader](s Store[R]) Source { return storeSource[R]{s} }

type storeSource[R Reader] struct{ store Store[R] }

func (s storeSource[R]) Read(ctx context.Context, id string, after int64) (evs []event.Event, err error) {
	r, err := s.store.Reader(ctx, id, after)
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := r.Close(); err == nil {
			err = cerr
		}
	}()
	return r.Ready(ctx)
}
