package session

import (
	"slices"
	"sync"
	"time"
)

const (
	// leastBatch is what every reader may hold of the files, however many there
	// are: it is not counted.
	leastBatch = 16 << 10
	// lineWait is how long the first in line waits for room before it gets what it
	// asks for in any case. By then anyone who holds the room is stuck.
	lineWait = 5 * time.Second
)

// budget bounds the memory that all readers of a store hold together of what they
// read from files. Who follows closely reads from memory that is shared and needs
// none.
//
// A reader alone gets large batches. The more of them hold one, the smaller the
// next: each may take an eighth of what is free, and leastBatch on top. So
// readers whose clients are stuck cannot keep the others from reading. Only a
// single event larger than that has to wait in line. First come is first served,
// and who is first waits for no longer than patience.
type budget struct {
	patience time.Duration

	mu          sync.Mutex
	total, free int64 // free is below 0 where patience ran out
	line        []*loan
	timer       *time.Timer // runs while somebody waits in line
}

// loan is one reader's part of the budget: what its last batch takes, from the
// moment it is read until the next is asked for. All of it is guarded by
// budget.mu.
type loan struct {
	b    *budget
	held int64
	// want is what the reader waits for in line, granted is closed when it has it.
	want    int64
	granted chan struct{}
	closed  bool
}

func newBudget(total int64, patience time.Duration) *budget {
	return &budget{patience: patience, total: total, free: total}
}

func (b *budget) loan() *loan { return &loan{b: b} }

// beyond is how much of so many bytes counts.
func beyond(bytes int64) int64 { return max(0, bytes-leastBatch) }

// next returns how large the next batch may be: as large as it was asked for, or a
// share of what is free. What the last batch took is given back.
func (n *loan) next() int64 {
	n.b.mu.Lock()
	defer n.b.mu.Unlock()
	n.leave()
	if n.granted == nil {
		n.hold(0)
		if !n.closed && len(n.b.line) == 0 {
			n.hold(min(max(0, n.b.free/8), beyond(batchBytes)))
		}
	}
	n.granted = nil
	return n.held + leastBatch
}

// back gives back what the last batch took.
func (n *loan) back() {
	n.b.mu.Lock()
	defer n.b.mu.Unlock()
	n.granted = nil
	n.leave()
	n.hold(0)
}

// used gives back what a batch of so many bytes does not need.
func (n *loan) used(bytes int64) {
	n.b.mu.Lock()
	defer n.b.mu.Unlock()
	n.hold(min(n.held, beyond(bytes)))
}

// ask waits in line for so many bytes; the channel closes when the reader has them.
func (n *loan) ask(bytes int64) <-chan struct{} {
	n.b.mu.Lock()
	defer n.b.mu.Unlock()
	n.hold(0)
	n.want, n.granted = beyond(bytes), make(chan struct{})
	if n.closed {
		close(n.granted) // the reader is about to find out
		return n.granted
	}
	n.b.line = append(n.b.line, n)
	n.b.serve()
	return n.granted
}

// insist takes so many bytes without waiting.
func (n *loan) insist(bytes int64) {
	n.b.mu.Lock()
	defer n.b.mu.Unlock()
	if !n.closed {
		n.hold(beyond(bytes))
	}
}

// give gives everything back, for good.
func (n *loan) give() {
	n.b.mu.Lock()
	defer n.b.mu.Unlock()
	n.closed = true
	n.leave()
	n.hold(0)
}

// hold makes the loan that large. b.mu is held.
func (n *loan) hold(bytes int64) {
	n.b.free += n.held - bytes
	n.held = bytes
	n.b.serve()
}

// leave takes the reader out of the line, if it is there. b.mu is held.
func (n *loan) leave() {
	if i := slices.Index(n.b.line, n); i >= 0 {
		n.b.line = slices.Delete(n.b.line, i, i+1)
		n.granted = nil
	}
}

// serve lets the first in line have what they wait for while there is room. One
// that wants more than there is in all has to wait until nobody holds any. b.mu
// is held.
func (b *budget) serve() {
	for len(b.line) > 0 && b.free >= min(b.line[0].want, b.total) {
		b.grant()
	}
	switch {
	case len(b.line) == 0 && b.timer != nil:
		b.timer.Stop()
		b.timer = nil
	case len(b.line) > 0 && b.timer == nil:
		b.timer = time.AfterFunc(b.patience, b.late)
	}
}

// grant gives the first in line what it wants. b.mu is held.
func (b *budget) grant() {
	first := b.line[0]
	b.line = slices.Delete(b.line, 0, 1)
	b.free -= first.want
	first.held = first.want
	close(first.granted)
	if b.timer != nil { // the next one begins to wait
		b.timer.Stop()
		b.timer = nil
	}
}

// late is called when the first in line has waited long enough.
func (b *budget) late() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = nil
	if len(b.line) > 0 {
		b.grant()
	}
	b.serve()
}
