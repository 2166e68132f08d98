package session

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sort"

	"belay/internal/event"
)

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
