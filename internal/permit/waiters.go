package permit

import "sync"

// waiters are those who wait for answers in this process. An answer that is given
// here wakes them; for one of another process they look by themselves.
type waiters struct {
	mu     sync.Mutex
	all    map[string]map[chan struct{}]bool // by the question's id
	closed bool
}

// add returns a channel that is sent to when there is an answer, and closed when the
// store is; forget ends the wait.
func (w *waiters) add(id string) (woken <-chan struct{}, forget func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, nil, ErrClosed
	}
	c := make(chan struct{}, 1)
	if w.all == nil {
		w.all = map[string]map[chan struct{}]bool{}
	}
	if w.all[id] == nil {
		w.all[id] = map[chan struct{}]bool{}
	}
	w.all[id][c] = true
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.all[id], c); len(w.all[id]) == 0 {
			delete(w.all, id)
		}
	}, nil
}

// wake has those look who wait for the answer to id. A channel that is full has its
// message already.
func (w *waiters) wake(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.all[id] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// close lets go of everyone who waits.
func (w *waiters) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, all := range w.all {
		for c := range all {
			close(c)
		}
	}
	w.all, w.closed = nil, true
}
