package chat

import (
	"errors"
	"sync"

	"belay/internal/turn"
)

// tasks are the goroutines that work for a chat, and the open readers of logs, which
// they hand from one to the next. Once they have ended no new one begins.
type tasks struct {
	running sync.WaitGroup

	mu      sync.Mutex
	ended   bool
	streams map[turn.Stream]bool
}

// begin reports whether a task may still begin; then it calls running.Done at its
// end.
func (t *tasks) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.running.Add(1)
	}
	return !t.ended
}

// hold takes a reader over.
func (t *tasks) hold(s turn.Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.streams == nil {
		t.streams = map[turn.Stream]bool{}
	}
	t.streams[s] = true
}

// release closes a reader, once.
func (t *tasks) release(s turn.Stream) error {
	t.mu.Lock()
	held := t.streams[s]
	delete(t.streams, s)
	t.mu.Unlock()
	if !held {
		return nil
	}
	return s.Close()
}

// end waits for what runs, lets nothing else begin, and closes the readers.
func (t *tasks) end() error {
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	t.running.Wait()
	var errs []error
	for s := range t.streams {
		errs = append(errs, t.release(s))
	}
	return errors.Join(errs...)
}
