package confine

import "sync"

// Output is what is kept of what a command said: all of it, or the beginning
// and the end.
type Output struct {
	Head, Tail []byte
	// Dropped is how many bytes between them were not kept.
	Dropped int64
}

// Recorder keeps at most limit bytes of what is written to it. It never blocks
// and never fails, so that a command that floods is only ever slowed by the
// speed of its pipe. It is safe for concurrent use.
type Recorder struct {
	mu    sync.Mutex
	limit int
	head  []byte
	ring  []byte // the last bytes; next is where the oldest is once it is full
	next  int
	total int64
}

// NewRecorder keeps limit bytes, half from the beginning.
func NewRecorder(limit int64) *Recorder { return &Recorder{limit: int(max(limit, 2))} }

// Write implements io.Writer.
func (r *Recorder) Write(p []byte) (int, error) {
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

// Take returns what was kept since the last Take, and forgets it.
func (r *Recorder) Take() Output {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.kept()
	r.head, r.ring, r.next, r.total = nil, nil, 0, 0
	return o
}

// output is what was kept so far.
func (r *Recorder) output() Output {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept()
}

func (r *Recorder) kept() Output {
	tail := make([]byte, 0, len(r.ring))
	tail = append(append(tail, r.ring[r.next:]...), r.ring[:r.next]...)
	return Output{
		Head: r.head, Tail: tail,
		Dropped: r.total - int64(len(r.head)) - int64(len(tail)),
	}
}
