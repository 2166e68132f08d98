package session

import (
	"time"

	"belay/internal/event"
)

// pos is a position between two lines of a log.
type pos struct {
	seg int
	off int64
}

// tail holds a log's newest events in memory, without gaps, for readers that
// keep up. What it returns is never changed, so readers share it.
type tail struct {
	evs   []event.Event
	ends  []pos // where each event's line ends
	bytes int
}

// lineWeight is what an event costs in memory beside the bytes of its line.
const lineWeight = 128

// weight is what an event costs in memory, roughly.
func weight(e *event.Event) int { return len(e.Data) + len(e.Turn) + 128 }

// tailAge is how long a reader may be behind and still be served from memory. Who
// keeps up needs the last few events; a thousand sessions should not each keep
// what everybody has read.
const tailAge = 250 * time.Millisecond

// push adds the next event and drops old ones: beyond limit bytes, and when half
// of them are of an age that no reader waits at.
func (t *tail) push(e event.Event, end pos, limit int) {
	if n := len(t.evs); n > 0 && t.evs[n-1].Seq+1 != e.Seq {
		*t = tail{}
	}
	t.evs = append(t.evs, e)
	t.ends = append(t.ends, end)
	t.bytes += weight(&e)
	switch n := len(t.evs); {
	case t.bytes > 2*limit:
		t.trim(limit)
	case n >= 16 && e.Time.Sub(t.evs[n/2].Time) > tailAge:
		t.cut(n / 2)
	}
}

// trim keeps the newest events within limit bytes, and always the last one.
func (t *tail) trim(limit int) {
	from, bytes := 0, t.bytes
	for from < len(t.evs)-1 && bytes > limit {
		bytes -= weight(&t.evs[from])
		from++
	}
	t.cut(from)
}

// cut drops the first events. It copies the others: the old array belongs to
// anyone who still reads it.
func (t *tail) cut(n int) {
	for i := range t.evs[:n] {
		t.bytes -= weight(&t.evs[i])
	}
	t.evs = append([]event.Event(nil), t.evs[n:]...)
	t.ends = append([]pos(nil), t.ends[n:]...)
}

// after returns up to a batch of events that follow seq, and where they end; ok
// is false when the first of them is not in memory.
func (t *tail) after(seq int64) (evs []event.Event, end pos, ok bool) {
	if len(t.evs) == 0 || seq+1 < t.evs[0].Seq {
		return nil, pos{}, false
	}
	from := int(seq + 1 - t.evs[0].Seq)
	to, size := from, 0
	for to < len(t.evs) && to-from < batchEvents && (to == from || size < batchBytes) {
		size += len(t.evs[to].Data)
		to++
	}
	if from == to {
		return nil, pos{}, false
	}
	return t.evs[from:to:to], t.ends[to-1], true
}
