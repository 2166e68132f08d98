package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
)

// Every reader sees every event exactly once, as it was appended, however it
// joins: before, during or after.
//
// Covers: turn-api REQ-03
func TestReadersSeeEverything(t *testing.T) {
	t.Parallel()
	const n = 3000
	w := newWorld(t, func(o *Options) { o.SegmentBytes, o.TailBytes = 20_000, 4_000 })
	id := w.session().SessionID
	other := w.store()
	var written []event.Event
	l := acquire(t, w.Store, id)
	var wg sync.WaitGroup
	read := make([][]event.Event, 12)
	for i := range read {
		s := []*Store{w.Store, other}[i%2]
		r := open(t, s, id, 0)
		wg.Go(func() {
			for len(read[i]) < n {
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				evs, err := r.Next(ctx)
				cancel()
				if err != nil {
					t.Errorf("reader %d after %d: %v", i, r.After(), err)
					return
				}
				read[i] = append(read[i], evs...)
				if i > 5 {
					time.Sleep(time.Duration(i) * 100 * time.Microsecond) // the slow ones
				}
			}
		})
	}
	for len(written) < n {
		drafts := make([]event.Draft, min(1+len(written)%7, n-len(written)))
		for k := range drafts {
			drafts[k] = event.Draft{Type: event.ChatDelta, Data: event.Text{Text: fmt.Sprintf("<%d> & \"ü\" \u2028\n", len(written)+k)}}
		}
		evs, err := l.Emit("turn \"x\"", drafts...)
		must(t, err)
		written = append(written, evs...)
	}
	wg.Wait()
	must(t, l.Release())
	for i := range read {
		if len(read[i]) != n {
			t.Errorf("reader %d got %d events, want %d", i, len(read[i]), n)
			continue
		}
		for k, want := range written {
			got := read[i][k]
			if got.Seq != want.Seq || got.Turn != want.Turn || got.Type != want.Type ||
				!got.Time.Equal(want.Time) || string(got.Data) != string(want.Data) {
				t.Errorf("reader %d: %s", i, cmp.Diff(want, got))
				break
			}
		}
	}
	late := upTo(t, open(t, other, id, n-100), n)
	if diff := cmp.Diff(written[n-100:], late); diff != "" {
		t.Error(diff)
	}
}

// A reader that never reads and one that vanished without closing do not hold
// the writer up, and hold no events in memory.
func TestStuckReadersCostNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	for range 100 {
		open(t, w.Store, id, 0)
	}
	text := strings.Repeat("x", 10_000)
	for range 500 {
		emit(t, l, "t", event.ChatDelta, event.Text{Text: text})
	}
	l.state.mu.Lock()
	kept := l.state.log.tail.bytes
	l.state.mu.Unlock()
	if kept > 3*w.Store.o.TailBytes {
		t.Errorf("%d bytes of events are in memory, the limit is %d", kept, w.Store.o.TailBytes)
	}
	must(t, l.Release())
}

// An idle reader costs less than 8 KiB, its goroutine's stack included.
func TestIdleReadersAreSmall(t *testing.T) {
	w := newWorld(t) // not parallel: it measures memory
	id := w.session().SessionID
	turn(t, w.Store, id, "t", 5)
	const n = 2000 // what else the process does is little beside them
	ctx, cancel := context.WithCancel(context.Background())
	readers := make([]*Reader, n)
	before := heap()
	var wg, ready sync.WaitGroup
	for i := range readers {
		readers[i] = open(t, w.Store, id, 7)
		ready.Add(1)
		wg.Go(func() {
			ready.Done()
			if _, err := readers[i].Next(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("an idle reader got %v", err)
			}
		})
	}
	ready.Wait()
	limit := int64(8 << 10)
	if raceEnabled {
		limit *= 2 // the detector's own share
	}
	if each := (heap() - before) / n; each > limit {
		t.Errorf("an idle reader costs %d bytes", each)
	}
	cancel()
	wg.Wait()
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

func TestNextEndsWithItsContext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := open(t, w.Store, w.session().SessionID, 0)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	if _, err := r.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	must(t, r.Close())
	must(t, r.Close())
	if _, err := r.Next(context.Background()); !errors.Is(err, ErrReaderClosed) {
		t.Errorf("a closed reader gave %v", err)
	}
}

func gapOf(t *testing.T, evs []event.Event) string {
	t.Helper()
	if len(evs) != 1 || evs[0].Type != event.LogGap {
		t.Fatalf("got %v, want one gap", evs)
	}
	return fmt.Sprintf("%d %s", evs[0].Seq, evs[0].Data)
}

// A position beyond the end is told once, then the reader is live.
func TestResetGap(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]bool{"own": false, "foreign": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := w.Store
			if other {
				s = w.store()
			}
			id := w.session().SessionID
			r := open(t, s, id, 1) // an empty log
			if got := gapOf(t, next(t, r)); got != `0 {"reason":"reset","next":1}` {
				t.Error(got)
			}
			turn(t, w.Store, id, "t1", 3)
			upTo(t, r, 5)
			r = open(t, s, id, 100)
			if got := gapOf(t, next(t, r)); got != `5 {"reason":"reset","next":6}` {
				t.Error(got)
			}
			turn(t, w.Store, id, "t2", 3)
			upTo(t, r, 10)
		})
	}
}

// Where old segments are gone, a reader learns where it goes on; one that is
// caught by their removal too.
func TestExpiredGap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.SegmentBytes, o.TailBytes = 1000, 500 })
	ctx := context.Background()
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 60)
	other := w.store()
	caught := []*Reader{open(t, w.Store, id, 0), open(t, other, id, 3)}
	for _, r := range caught {
		next(t, r) // all have begun, from the file
	}
	old := time.Now().Add(-48 * time.Hour)
	files, err := filepath.Glob(filepath.Join(w.folder(id), "log", "*.jsonl"))
	must(t, err)
	for _, f := range files[:len(files)-3] {
		must(t, os.Chtimes(f, old, old))
	}
	report, err := w.Upkeep.GC(ctx, GCOptions{LogAge: 24 * time.Hour})
	must(t, err)
	if report.Segments != len(files)-3 || report.SegmentBytes == 0 {
		t.Errorf("the report says %+v, want %d segments", report, len(files)-3)
	}
	first, last, err := other.Bounds(ctx, id)
	must(t, err)
	if first <= 20 || last != 62 {
		t.Fatalf("bounds %d to %d", first, last)
	}
	want := fmt.Sprintf(`%d {"reason":"expired","next":%d}`, first-1, first)
	for i, r := range append(caught, open(t, w.Store, id, 1), open(t, w.store(), id, 0)) {
		if got := gapOf(t, next(t, r)); got != want {
			t.Errorf("reader %d: %s, want %s", i, got, want)
		}
		upTo(t, r, last)
	}
	upTo(t, open(t, w.Store, id, first-1), last) // exactly at the edge: no gap
	if said, err := w.Upkeep.Verify(ctx, id); err != nil || len(said) > 0 {
		t.Errorf("retention looks like tampering: %q, %v", said, err)
	}
	turn(t, w.Store, id, "t2", 1)
}

// A hole in a log, made by anyone who edited it, is reported and skipped.
func TestHoleIsAGap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 8)
	f := filepath.Join(w.folder(id), "log", "0001.jsonl")
	lines := strings.SplitAfter(string(read(t, f)), "\n")
	must(t, os.WriteFile(f, []byte(strings.Join(append(lines[:4:4], lines[7:]...), "")), 0o600))
	r := open(t, w.store(), id, 0)
	upTo(t, r, 3)
	if got := gapOf(t, next(t, r)); got != `6 {"reason":"lost","next":7}` {
		t.Error(got)
	}
	upTo(t, r, 10)
}

// The log of a session is replaced by a shorter one under a reader's feet.
func TestReplacedLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	turn(t, w.Store, id, "t1", 8)
	other := w.store()
	r := open(t, other, id, 0)
	upTo(t, r, 10)
	f := filepath.Join(w.folder(id), "log", "0001.jsonl")
	lines := strings.SplitAfter(string(read(t, f)), "\n")
	must(t, os.WriteFile(f+".new", []byte(strings.Join(lines[:3], "")), 0o600))
	must(t, os.Rename(f+".new", f))
	if got := gapOf(t, next(t, r)); got != `2 {"reason":"reset","next":3}` {
		t.Error(got)
	}
}

// Events of another process arrive soon, also when it begins a new segment, and
// also when the system's notifications are not there.
func TestForeignProcessIsFollowed(t *testing.T) {
	t.Parallel()
	for _, polls := range []bool{false, true} {
		t.Run(fmt.Sprintf("polls=%v", polls), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *Options) {
				o.Poll = time.Hour // only notifications
				if polls {
					o.Poll = 10 * time.Millisecond
				}
			})
			if polls {
				w.Store.watch.polls = true
			}
			id := w.session().SessionID
			r := open(t, w.Store, id, 0)
			c := startChild(t, w, "hold", id)
			c.expect(t, "ready")
			text := strings.Repeat("long ", 4000)
			for i := range 20 { // the child's segments are 64 KiB
				c.say(t, text)
				for {
					if c.hear(t) == "done" {
						break
					}
				}
				if evs := next(t, r); len(evs) != 1 || evs[0].Seq != int64(i+1) {
					t.Fatalf("event %d: got %d events", i+1, len(evs))
				}
			}
			c.say(t, "release")
			must(t, c.cmd.Wait())
			// Our own turn follows theirs on the same reader.
			turn(t, w.Store, id, "ours", 2)
			upTo(t, r, 24)
		})
	}
}

// The observer sees every event of this process in order, and only those.
func TestObserver(t *testing.T) {
	t.Parallel()
	var (
		mu  sync.Mutex
		got = map[string][]int64{}
	)
	w := newWorld(t, func(o *Options) {
		o.Observer = func(id string, evs []event.Event) {
			mu.Lock()
			defer mu.Unlock()
			for _, e := range evs {
				got[id] = append(got[id], e.Seq)
			}
		}
	})
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if _, err := l.Emit("t", event.Draft{Type: event.Usage}, event.Draft{Type: event.Usage}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	must(t, l.Release())
	if len(got[id]) != 800 {
		t.Fatalf("%d events observed, want 800", len(got[id]))
	}
	for i, seq := range got[id] {
		if seq != int64(i+1) {
			t.Fatalf("observed %d at place %d", seq, i)
		}
	}
}
