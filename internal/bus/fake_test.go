package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
)

// deadline is how long a test waits for something that must happen.
const deadline = time.Minute

// logs is a Source in memory.
type logs struct {
	mu   sync.Mutex
	evs  map[string][]event.Event
	errs map[string]error
}

func newLogs() *logs { return &logs{evs: map[string][]event.Event{}, errs: map[string]error{}} }

// append adds n events to a session and returns them.
func (l *logs) append(id string, n int) []event.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := len(l.evs[id])
	for i := range n {
		l.evs[id] = append(l.evs[id], sample(int64(from+i+1)))
	}
	return l.evs[id][from:]
}

// fail makes reads of a session fail until it is called with nil.
func (l *logs) fail(id string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs[id] = err
}

func (l *logs) Read(_ context.Context, id string, after int64) ([]event.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.errs[id]; err != nil {
		return nil, err
	}
	evs, ok := l.evs[id]
	if !ok {
		return nil, fault.New(fault.SessionNotFound, "no session %s", id)
	}
	if after > int64(len(evs)) {
		gap := event.Event{Type: event.LogGap}
		return append([]event.Event{gap}, evs...), nil
	}
	return evs[after:], nil
}

func sample(seq int64) event.Event {
	return event.Event{
		Seq: seq, Turn: "turn-1", Type: event.ChatDelta,
		Time: time.Now().UTC().Truncate(time.Millisecond),
		Data: json.RawMessage(fmt.Sprintf(`{"text":"piece %d of an answer that is about this long"}`, seq)),
	}
}

func openBus(t testing.TB, opts Options) *Bus {
	t.Helper()
	if opts.Dir == "" && opts.URL == "" {
		opts.Dir = t.TempDir()
	}
	if opts.AckTimeout == 0 {
		opts.AckTimeout = 2 * time.Second
	}
	opts.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	b, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeIt(t, b.Close) })
	return b
}

func openPublisher(t testing.TB, b *Bus, src Source) *Publisher {
	t.Helper()
	p, err := NewPublisher(b, src)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeIt(t, p.Close) })
	return p
}

// closeIt closes within the deadline; closing twice is allowed.
func closeIt(t testing.TB, f func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if err := f(ctx); err != nil {
		t.Error(err)
	}
}

// expect reads the session from the bus until it has n messages and fails
// unless they are 1, 2, ... n.
func expect(t testing.TB, b *Bus, session string, n int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	want := int64(1)
	for m, err := range b.Messages(ctx, session, 0) {
		if err != nil {
			t.Errorf("%s: %v", session, err)
			return
		}
		if m.Event.Seq != want || m.Session != session {
			t.Errorf("%s: got %s:%d, want sequence %d", session, m.Session, m.Event.Seq, want)
			return
		}
		if want++; want > n {
			return
		}
	}
	t.Errorf("%s: the messages ended after %d of %d", session, want-1, n)
}

// sequences yields 1 to n.
func sequences(n int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := int64(1); i <= n && yield(i); i++ {
		}
	}
}

// stored returns how many messages the stream holds.
func stored(t testing.TB, b *Bus) uint64 {
	t.Helper()
	info, err := b.stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Msgs
}

// until polls cond, which has no event to wait for, within the deadline.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	end := time.Now().Add(deadline)
	for !cond() {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s", what, deadline)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
