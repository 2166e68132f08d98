package session

import (
	"context"
	"path/filepath"
	"sync"
	"time"
)

// deliver runs look whenever files of a state folder may have changed, or again
// says so, and sends what it returns until ctx ends or the store closes.
func deliver[T any](ctx context.Context, s *Store, folder string, again <-chan time.Time, look func(names []string) []T) <-chan T {
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
		}
	}
	if !s.background(run) {
		close(out)
	}
	return out
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
