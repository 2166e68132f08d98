package session

import (
	"context"
	"errors"
	"time"

	"belay/internal/event"
)

// A batch that Next returns has at most this many events and, unless it is a
// single one, about this many bytes of data. With many readers that lag behind it
// has less: see budget.
const (
	batchEvents = 256
	batchBytes  = 1 << 20
)

// Reader reads a session's log from a position on, in this process or another's
// turn. It is only a position: a reader that is slow, stuck or forgotten costs
// the writer nothing. What it returned last counts as held until it is asked for
// more or closed; all readers share a bound on that.
//
// Every event after the position is returned exactly once, in order. Where the
// log does not have them, one log:gap says so and where it goes on: "expired"
// when they were dropped, "lost" when a power cut took them, "reset" when the
// position is beyond the end.
//
// One goroutine at a time reads: Next, NextWithin, Ready and After. Close may be
// called by any goroutine at any moment, and more than once. It ends the wait of
// anyone who reads, who gets [ErrReaderClosed].
type Reader struct {
	state *sessionState
	after int64
	// at is where the event after is in the files, if known.
	at pos
	// loan is what the last batch takes of what all readers may hold. lent is set
	// while it holds something, line is not nil while it waits for its turn.
	loan *loan
	lent bool
	line <-chan struct{}
	// done is closed by Close, under sessionState.mu.
	done chan struct{}
}

// ErrReaderClosed is what reading returns after Close.
var ErrReaderClosed = errors.New("the reader was closed")

// Reader opens the log after a sequence; 0 is before the first event. The caller
// closes it.
func (s *Store) Reader(ctx context.Context, id string, after int64) (*Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, err := s.states.enter(id)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// Who follows closely finds what comes next in memory.
	if _, _, there := l.log.tail.after(after); !there || l.gone != nil {
		if err := l.ready(); err != nil {
			s.states.leave(l)
			return nil, err
		}
	}
	l.readers++
	return &Reader{state: l, after: max(0, after), loan: s.lag.loan(), done: make(chan struct{})}, nil
}

// Bounds returns the first and the last sequence that the log has. An empty log
// has first = last+1.
func (s *Store) Bounds(ctx context.Context, id string) (first, last int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	l, err := s.states.enter(id)
	if err != nil {
		return 0, 0, err
	}
	defer s.states.leave(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(); err != nil {
		return 0, 0, err
	}
	first, last = l.log.bounds()
	return first, last, nil
}

// ready makes the log in memory agree with the files. l.mu is held.
func (l *sessionState) ready() error {
	if l.lease.holds() {
		return l.gone
	}
	if _, err := l.record(); err != nil {
		return err
	}
	return storage("the event log cannot be read", l.refresh())
}

// Close gives the reader back and ends the wait of anyone who reads. It does not wait
// for them.
func (r *Reader) Close() error {
	l := r.state
	l.mu.Lock()
	if r.closed() {
		l.mu.Unlock()
		return nil
	}
	close(r.done)
	if l.readers--; l.readers == 0 {
		l.unwatch()
		l.store.recent.forget(l)
	}
	l.mu.Unlock()
	r.loan.give()
	l.store.states.leave(l)
	return nil
}

// closed reports whether Close was called. While l.mu is held it stays as it is.
func (r *Reader) closed() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// After is the sequence of the last event that was returned. It belongs to the
// goroutine that reads.
func (r *Reader) After() int64 { return r.after }

// Next waits until there are events and returns all that are ready, up to a
// batch. It returns the context's error when that ends first, and
// SESSION_NOT_FOUND when the session is deleted. The slice and the events' data
// are shared and must not be changed.
func (r *Reader) Next(ctx context.Context) ([]event.Event, error) {
	return r.await(ctx, nil, nil)
}

// NextWithin is Next that waits no longer than d, and then returns nothing. It also
// returns nothing once silent is closed, which may be nil: by then the writer has
// said all that it ever will. What it wrote before is returned first.
func (r *Reader) NextWithin(ctx context.Context, d time.Duration, silent <-chan struct{}) ([]event.Event, error) {
	if evs, _, err := r.ready(ctx, false); err != nil || len(evs) > 0 {
		return evs, err // most often: the reader needs no timer
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	return r.await(ctx, timer.C, silent)
}

// Ready is Next that does not wait: nothing is ready where it returns nothing.
func (r *Reader) Ready(ctx context.Context) ([]event.Event, error) {
	evs, _, err := r.ready(ctx, true)
	return evs, err
}

// await waits for events until ctx ends, late fires or silent is closed.
func (r *Reader) await(ctx context.Context, late <-chan time.Time, silent <-chan struct{}) ([]event.Event, error) {
	fellSilent := false
	for {
		evs, wake, err := r.ready(ctx, false)
		if err != nil || len(evs) > 0 {
			return evs, err
		}
		if fellSilent && r.line == nil {
			return nil, nil
		}
		select {
		case <-wake:
		case <-silent:
			fellSilent, silent = true, nil // what was written last may have come since the look
		case <-late:
			return nil, nil
		case <-r.done:
			return nil, ErrReaderClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
