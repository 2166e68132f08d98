package chat

import (
	"sync"

	"belay/internal/turn"
)

// tasks are the goroutines that work for a chat, and the reader that they hand
// from one to the next. Once they have ended no new one begins.
type tasks struct {
	running sync.WaitGroup

	mu     sync.Mutex
	ended  bool
	stream turn.Stream
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

// hold takes the reader over.
func (t *tasks) hold(s turn.Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stream = s
}

// release closes the reader.
func (t *tasks) release() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stream
	if t.stream = nil; s == nil {
		return nil
	}
	return s.Close()
}

// end waits for what runs, lets nothing else begin, and closes the reader.
func (t *tasks) end() error {
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	t.running.Wait()
	return t.release()
}
