package confine

import "sync"

// Output is what is kept of what a command said: all of it, or the beginning
// and the end.
type Output struct {
	Head, Tail []byte
	// Dropped is how many bytes between them were not kept.
	Dropped int64
}

// recorder keeps at most limit bytes of what is written to it. It never blocks
// and never fails, so that a command that floods is only ever slowed by the
// speed of its pipe.
type recorder struct {
	mu    sync.Mutex
	limit int
	head  []byte
	ring  []byte // the last bytes; next is where the oldest is once it is full
	next  int
	total int64
}

// newRecorder keeps limit bytes, half from the beginning.
func newRecorder(limit int64) *recorder { return &recorder{limit: int(max(limit, 2))} }

// Write implements io.Writer.
func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	r.total += int64(n)
	if room := r.limit/2 - len(r.head); room > 0 {
		take := min(room, len(p))
		r.head = append(r.head, p[:take]...)
		p = p[take:]
	}
	size := r.limit - r.limit/2
	if len(p) > size {
		p = p[len(p)-size:]
	}
	if room := size - len(r.ring); room > 0 {
		take := min(room, len(p))
		r.ring = append(r.ring, p[:take]...)
		p = p[take:]
	}
	for len(p) > 0 {
		took := copy(r.ring[r.next:], p)
		p = p[took:]
		r.next = (r.next + took) % size
	}
	return n, nil
}

// output is what was kept so far.
func (r *recorder) output() Output {
	r.mu.Lock()
	defer r.mu.Unlock()
	tail := make([]byte, 0, len(r.ring))
	tail = append(append(tail, r.ring[r.next:]...), r.ring[:r.next]...)
	return Output{
		Head: r.head, Tail: tail,
		Dropped: r.total - int64(len(r.head)) - int64(len(tail)),
	}
}
