package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Active delivers the id of a session whenever another process of the same user
// begins a turn in it, and once for each that runs at the time of the call. The
// channel closes when ctx ends. A server uses it to follow turns that it did not
// start.
func (s *Signals) Active(ctx context.Context) <-chan string {
	a := active{store: s.store, reported: map[string]string{}}
	return deliver(ctx, s.store, dirLocks, nil, activeRest, a.look)
}

// activeRest is the time between two looks at the locks. This process's own turns
// write to them all the time; what is reported here can wait that long.
const activeRest = 50 * time.Millisecond

// deliver runs look whenever files of a state folder may have changed, or again
// says so, and sends what it returns until ctx ends or the store closes. It takes
// a rest after every look.
func deliver[T any](ctx context.Context, s *Store, folder string, again <-chan time.Time, rest time.Duration, look func(names []string) []T) <-chan T {
	out := make(chan T)
	run := func() {
		defer close(out)
		h := newHints()
		defer s.watch.remove(s.watch.add(filepath.Join(s.o.StateDir, folder), h.add))
		h.add("") // what happened before the watch
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.stop:
				return
			case <-h.ready:
			case <-again:
				h.add("")
			}
			for _, found := range look(h.take()) {
				select {
				case out <- found:
				case <-ctx.Done():
					return
				case <-s.stop:
					return
				}
			}
			if !s.rest(ctx, rest) {
				return
			}
		}
	}
	if !s.background(run) {
		close(out)
	}
	return out
}

// rest waits for d; false means that ctx or the store ended.
func (s *Store) rest(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-s.stop:
	}
	return false
}

// active remembers which turns of other processes were reported.
type active struct {
	store    *Store
	reported map[string]string // session to turn
	// scanned and spent bound what scans of all locks may cost: a scan comes
	// only when fifty times its duration has passed since the last.
	scanned time.Time
	spent   time.Duration
	since   time.Time // files not written after this were looked at
}

// look returns the sessions among names in which another process has begun a
// turn; "" stands for all.
func (a *active) look(names []string) []string {
	var ids []string
	for _, name := range names {
		if name == "" {
			ids = append(ids, a.scan()...)
			continue
		}
		if id, ok := strings.CutSuffix(name, ".lock"); ok && a.fresh(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// fresh reports whether a turn of another process runs in id that was not reported.
func (a *active) fresh(id string) bool {
	if !ValidID(id) {
		return false
	}
	if _, here := a.store.Signals.runningHere(id); here {
		return false
	}
	turn, _, ok := a.store.Signals.Running(id)
	if !ok {
		delete(a.reported, id)
	}
	if !ok || a.reported[id] == turn {
		return false
	}
	a.reported[id] = turn
	return true
}

// scan looks at every lock that was written since the last scan.
func (a *active) scan() []string {
	start := time.Now()
	if start.Sub(a.scanned) < 50*a.spent {
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(a.store.o.StateDir, dirLocks))
	if err != nil {
		return nil // tried again at the next poll
	}
	var ids []string
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".lock")
		info, err := e.Info()
		// File times may lag behind the clock by a tick.
		if !ok || err != nil || info.ModTime().Before(a.since) {
			continue
		}
		if a.fresh(id) {
			ids = append(ids, id)
		}
	}
	a.scanned, a.spent = start, time.Since(start)
	a.since = start.Add(-2 * time.Second)
	return ids
}

// hints collects the names of changed files for a goroutine that may be busy, so
// the watcher never waits.
type hints struct {
	mu    sync.Mutex
	names map[string]bool
	ready chan struct{}
}

// maxHints is where names are given up for "anything may have changed".
const maxHints = 1024

func newHints() *hints { return &hints{names: map[string]bool{}, ready: make(chan struct{}, 1)} }

func (h *hints) add(name string) {
	h.mu.Lock()
	if len(h.names) >= maxHints {
		clear(h.names)
		name = ""
	}
	h.names[name] = true
	h.mu.Unlock()
	select {
	case h.ready <- struct{}{}:
	default:
	}
}

// take returns the names collected since the last call.
func (h *hints) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	names := make([]string, 0, len(h.names))
	for n := range h.names {
		names = append(names, n)
	}
	clear(h.names)
	return names
}
