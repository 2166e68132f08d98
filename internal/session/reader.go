package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
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

// ready returns the events that are there, or a channel to wait on for more. With
// insist it does not wait in line for a large event.
func (r *Reader) ready(ctx context.Context, insist bool) ([]event.Event, <-chan struct{}, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if r.line != nil && !insist {
		select {
		case <-r.line:
		default:
			return nil, r.line, nil
		}
	}
	r.line = nil
	evs, files, wake, err := r.look()
	if files == nil {
		if r.lent {
			r.loan.back()
			r.lent = false
		}
		return evs, wake, err
	}
	r.lent = true
	p, err := r.read(*files, r.loan.next())
	switch {
	case err != nil || p.need == 0:
		r.loan.used(p.size)
		return p.evs, nil, err
	case insist:
		r.loan.insist(p.need)
		p, err = r.read(*files, p.need)
		return p.evs, nil, err
	}
	r.line = r.loan.ask(p.need)
	return nil, r.line, nil
}

// files is what is needed to read from the log's files without the session's
// lock.
type files struct {
	path       sessionPath
	segs       []segment
	activeSize int64
	last       int64
}

// look returns events from memory, or the files that have them, or a channel to
// wait on.
func (r *Reader) look() ([]event.Event, *files, <-chan struct{}, error) {
	l := r.state
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.closed() {
		return nil, nil, nil, ErrReaderClosed // a watch that begins now would never end
	}
	// What is in memory is in the log for good: a reader that keeps up does not
	// ask the files, not even when the writer has just given the session back.
	if evs, end, ok := l.log.tail.after(r.after); ok && l.gone == nil {
		r.after, r.at = evs[len(evs)-1].Seq, end
		return evs, nil, nil, nil
	}
	if err := l.followed(); err != nil {
		return nil, nil, nil, err
	}
	first, last := l.log.bounds()
	switch {
	case r.after > last:
		return r.gap("reset", last+1), nil, nil, nil
	case r.after == last:
		return nil, nil, l.waiter(), nil
	case r.after+1 < first:
		return r.gap("expired", first), nil, nil, nil
	}
	if evs, end, ok := l.log.tail.after(r.after); ok {
		r.after, r.at = evs[len(evs)-1].Seq, end
		return evs, nil, nil, nil
	}
	return nil, &files{path: l.path, segs: l.log.segs, activeSize: l.log.active.size, last: last}, nil, nil
}

// read returns events from the files, as many as the room is for. Where the files
// do not have the next one, that is a gap.
func (r *Reader) read(f files, room int64) (part, error) {
	root, err := f.path.open()
	if missing(err) {
		return part{}, notFound(r.state.id)
	}
	if err != nil {
		return part{}, storage("the event log cannot be read", err)
	}
	defer func() { _ = root.Close() }()

	// The segment that the next event is in, if it is in any.
	k := max(0, sort.Search(len(f.segs), func(i int) bool { return f.segs[i].first > r.after+1 })-1)
	for ; k < len(f.segs); k++ {
		seg, size := f.segs[k].n, int64(math.MaxInt64)
		if k == len(f.segs)-1 {
			size = f.activeSize
		}
		var off int64
		if r.at.seg == seg {
			off = r.at.off
		}
		p, err := r.state.store.recent.read(r.state, root, seg, off, size, r.after, room)
		if err == nil && off > 0 && p.need == 0 && (len(p.evs) == 0 || p.evs[0].Seq != r.after+1) {
			// The position may be from before the file was replaced.
			p, err = r.state.store.recent.read(r.state, root, seg, 0, size, r.after, room)
		}
		switch {
		case err != nil:
			return part{}, storage("the event log cannot be read", err)
		case p.need > 0:
			return p, nil
		case len(p.evs) == 0:
			continue
		case p.evs[0].Seq != r.after+1:
			return part{evs: r.gap("lost", p.evs[0].Seq)}, nil
		}
		r.after, r.at = p.evs[len(p.evs)-1].Seq, p.end
		return p, nil
	}
	return part{evs: r.gap("lost", f.last+1)}, nil
}

// gap is the event for a reader whose next events are not there; it goes on with
// next.
func (r *Reader) gap(why string, next int64) []event.Event {
	data, err := json.Marshal(event.Gap{Reason: why, Next: next})
	if err != nil {
		panic(fmt.Sprintf("session: encode %s: %v", event.LogGap, err)) // two plain fields
	}
	r.after, r.at = next-1, pos{}
	return []event.Event{{Seq: next - 1, Time: r.state.store.o.Clock().UTC(), Type: event.LogGap, Data: data}}
}
