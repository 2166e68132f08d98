package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"belay/internal/event"
)

// longLog is a session with a log of so many events of that size, which this
// process does not have in memory.
func longLog(t *testing.T, w *world, events, size int) (id string) {
	t.Helper()
	id = w.session().SessionID
	s := w.store()
	l := acquire(t, s, id)
	text := strings.Repeat("x", size)
	for range events {
		emit(t, l, "t", event.ChatDelta, event.Text{Text: text})
	}
	must(t, l.Release())
	return id
}

// held is what readers hold of the budget, by its own account.
func (b *budget) held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.total - b.free
}

// whole reads a log from a sequence to another with a reader of its own.
func whole(t *testing.T, s *Store, id string, after, last int64) {
	r, err := s.Reader(t.Context(), id, after)
	must(t, err)
	upTo(t, r, last)
	must(t, r.Close())
}

func sizeOf(evs []event.Event) (n int64) {
	for i := range evs {
		n += int64(weight(&evs[i]))
	}
	return n
}

// Readers that took a batch of a long log and never come back hold no more than the
// budget and the least batch of each, and do not keep others from reading on. Who
// comes back or closes gives back what it held.
func TestStuckReadersShareABudget(t *testing.T) {
	t.Parallel()
	const readers, events, size, budget = 500, 1000, 4 << 10, 4 << 20
	w := newWorld(t, func(o *Options) { o.LagBytes = budget })
	id := longLog(t, w, events, size)
	all := make([]*Reader, readers)
	var held int64
	for i := range all {
		all[i] = open(t, w.Store, id, 0)
		held += sizeOf(next(t, all[i]))
		if counted := w.lag.held(); counted < 0 || counted > budget {
			t.Fatalf("%d bytes of %d are counted", counted, budget)
		}
	}
	if most := int64(budget + readers*leastBatch); held > most {
		t.Errorf("%d stuck readers hold %d bytes, at most %d are right", readers, held, most)
	}
	for i := range 3 {
		whole(t, w.Store, id, 0, events)
		upTo(t, all[i], events)
	}
	for _, r := range all {
		must(t, r.Close())
	}
	if counted := w.lag.held(); counted != 0 {
		t.Errorf("%d bytes are counted when all have closed", counted)
	}
	alone := open(t, w.Store, id, 0)
	if got := sizeOf(next(t, alone)); got < budget/9 {
		t.Errorf("a reader alone gets %d bytes at a time", got)
	}
}

// A reader that caught up holds nothing.
func TestReadersThatCaughtUpHoldNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := longLog(t, w, 100, 4<<10)
	r := open(t, w.Store, id, 0)
	upTo(t, r, 100)
	if counted := w.lag.held(); counted == 0 {
		t.Error("the last batch is not counted")
	}
	if evs, err := r.NextWithin(t.Context(), time.Millisecond, nil); len(evs) > 0 || err != nil {
		t.Errorf("at the end came %v, %v", evs, err)
	}
	if counted := w.lag.held(); counted != 0 {
		t.Errorf("at the end %d bytes are counted", counted)
	}
}

// An event that is larger than what a reader always may hold waits in line until
// there is room for it, first come, first served. Nobody learns that there is
// nothing, and everybody gets everything.
func TestLargeEventsWaitInLine(t *testing.T) {
	t.Parallel()
	const readers, events, size = 12, 5, 400 << 10
	w := newWorld(t, func(o *Options) { o.LagBytes = 1 << 20 })
	w.lag.patience = time.Hour
	id := longLog(t, w, events, size)
	stuck := []*Reader{open(t, w.Store, id, 0), open(t, w.Store, id, 0)}
	for _, r := range stuck {
		next(t, r) // together they hold what there is
	}
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() { whole(t, w.Store, id, 0, events) })
	}
	inLine := func() int {
		w.lag.mu.Lock()
		defer w.lag.mu.Unlock()
		return len(w.lag.line)
	}
	lines := func(want int) {
		t.Helper()
		for end := time.Now().Add(patience); inLine() < want; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d readers wait in line, want %d", inLine(), want)
			}
		}
	}
	lines(readers)
	// Who waits keeps its place while it looks elsewhere, and leaves it with Close.
	last := open(t, w.Store, id, 0)
	short, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := last.Next(short)
		failed <- err
	}()
	lines(readers + 1)
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("in line: %v", err)
	}
	if _, err := last.Next(short); !errors.Is(err, context.Canceled) {
		t.Errorf("in line again: %v", err)
	}
	if n := inLine(); n != readers+1 {
		t.Errorf("%d are in line, want %d", n, readers+1)
	}
	must(t, last.Close())
	// Who never waits gets the event all the same.
	publisher := open(t, w.Store, id, 0)
	if evs, err := publisher.Ready(t.Context()); len(evs) != 1 || err != nil {
		t.Errorf("without waiting came %d events, %v", len(evs), err)
	}
	must(t, publisher.Close())
	must(t, stuck[0].Close())
	wg.Wait()
	upTo(t, stuck[1], events)
	must(t, stuck[1].Close())
}

// Should everybody who holds room be stuck for good, the first in line gets it in
// the end, and then the next.
func TestNobodyWaitsForStuckReadersForEver(t *testing.T) {
	t.Parallel()
	const events, size = 3, 400 << 10
	w := newWorld(t, func(o *Options) { o.LagBytes = 1 << 20 })
	w.lag.patience = time.Millisecond
	id := longLog(t, w, events, size)
	for range 20 {
		r := open(t, w.Store, id, 0)
		if evs := next(t, r); len(evs) != 1 {
			t.Errorf("%d events came", len(evs))
		}
	}
	upTo(t, open(t, w.Store, id, 0), events)
}

// An event larger than the whole budget is read when nobody else holds any.
func TestEventLargerThanTheBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.LagBytes = 100 << 10 })
	w.lag.patience = time.Hour
	id := longLog(t, w, 3, 1<<20)
	whole(t, w.Store, id, 0, 3)
	whole(t, w.Store, id, 1, 3)
}
