package permit

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watcher wakes those who wait for answers: at once when the answer is given in
// this process, by the system's notification when another gives it, and once per
// poll in any case, since notifications can be missed or not to be had. One
// goroutine serves all; it exists from the first add to close.
type watcher struct {
	dir  string
	poll time.Duration
	deaf bool // polls only; for tests

	mu      sync.Mutex
	waiting map[string]map[chan struct{}]bool // by the question's id
	stop    chan struct{}
	done    chan struct{}
	closed  bool
}

func newWatcher(dir string, poll time.Duration) *watcher {
	return &watcher{dir: dir, poll: poll, waiting: map[string]map[chan struct{}]bool{}}
}

// add returns a channel that is sent to when there may be an answer, and closed
// when the watcher is; forget ends the interest.
func (w *watcher) add(id string) (woken <-chan struct{}, forget func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, nil, ErrClosed
	}
	if w.stop == nil {
		w.stop, w.done = make(chan struct{}), make(chan struct{})
		go w.run(w.notifications())
	}
	c := make(chan struct{}, 1)
	if w.waiting[id] == nil {
		w.waiting[id] = map[chan struct{}]bool{}
	}
	w.waiting[id][c] = true
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.waiting[id], c); len(w.waiting[id]) == 0 {
			delete(w.waiting, id)
		}
	}, nil
}

// notifications are the system's, or nil where it has none to give.
func (w *watcher) notifications() *fsnotify.Watcher {
	if w.deaf {
		return nil
	}
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil
	}
	if fs.Add(w.dir) != nil {
		_ = fs.Close() // polling does it
		return nil
	}
	return fs
}

func (w *watcher) run(fs *fsnotify.Watcher) {
	defer close(w.done)
	var (
		events <-chan fsnotify.Event
		errs   <-chan error
	)
	if fs != nil {
		events, errs = fs.Events, fs.Errors
		defer func() { _ = fs.Close() }() // nothing was written through it
	}
	tick := time.NewTicker(w.poll)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case e := <-events:
			w.wake(strings.TrimSuffix(filepath.Base(e.Name), ".json"))
		case <-errs: // something was missed, it is not said what
			w.wakeAll()
		case <-tick.C:
			w.wakeAll()
		}
	}
}

// wake tells those who wait for the answer to id to look.
func (w *watcher) wake(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.waiting[id] {
		send(c)
	}
}

func (w *watcher) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, all := range w.waiting {
		for c := range all {
			send(c)
		}
	}
}

// send never blocks: a channel that is full has its message already.
func send(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// close ends the goroutine, waits for it, and lets go of everyone who waits.
func (w *watcher) close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	for _, all := range w.waiting {
		for c := range all {
			close(c)
		}
	}
	w.waiting = map[string]map[chan struct{}]bool{}
	stop, done := w.stop, w.done
	w.mu.Unlock()
	if stop != nil {
		close(stop)
		<-done
	}
	return nil
}

// ignoreEOF is nil for the end of a folder.
func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
