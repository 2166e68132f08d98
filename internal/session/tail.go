package session

import "belay/internal/event"

// pos is a position between two lines of a log.
type pos struct {
	seg int
	off int64
}

// tail holds a log's newest events in memory, without gaps, for readers that
// keep up. What it hands out is never changed, so readers share it.
type tail struct {
	evs   []event.Event
	ends  []pos // where each event's line ends
	bytes int
}

// weight is what an event costs in memory, roughly.
func weight(e *event.Event) int { return len(e.Data) + len(e.Turn) + 128 }

// push adds the next event and drops old ones beyond limit bytes.
func (t *tail) push(e event.Event, end pos, limit int) {
	if n := len(t.evs); n > 0 && t.evs[n-1].Seq+1 != e.Seq {
		*t = tail{}
	}
	t.evs = append(t.evs, e)
	t.ends = append(t.ends, end)
	if t.bytes += weight(&e); t.bytes > 2*limit {
		t.trim(limit)
	}
}

// trim keeps the newest events within limit bytes, and always the last one. It
// copies them: the old array belongs to whoever still reads it.
func (t *tail) trim(limit int) {
	from := 0
	for from < len(t.evs)-1 && t.bytes > limit {
		t.bytes -= weight(&t.evs[from])
		from++
	}
	t.evs = append([]event.Event(nil), t.evs[from:]...)
	t.ends = append([]pos(nil), t.ends[from:]...)
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
