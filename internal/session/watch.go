package session

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watcher reports when folders change: by the system's notifications, and by
// calling everyone once per poll interval in case a notification was missed or
// the system has no watch left to give. One goroutine serves all; it exists from
// the first add to close.
type watcher struct {
	poll  time.Duration
	polls bool // without notifications; for tests

	mu     sync.Mutex
	fs     *fsnotify.Watcher // nil where the system offers none
	dirs   map[string][]*watch
	stop   chan struct{}
	done   chan struct{}
	closed bool
}

// watch is one caller's interest in a folder.
type watch struct {
	dir     string
	changed func(name string)
}

func newWatcher(poll time.Duration) *watcher {
	return &watcher{poll: poll, dirs: map[string][]*watch{}}
}

// add calls changed with the base name of each file of dir that is written, made
// or removed, and with "" when anything may have changed. Calls come from the
// watcher's goroutine and must not block. What add returns ends them with remove.
func (w *watcher) add(dir string, changed func(name string)) *watch {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := &watch{dir, changed}
	if w.closed {
		return a
	}
	w.start()
	if len(w.dirs[dir]) == 0 && w.fs != nil {
		_ = w.fs.Add(dir) // polling covers a folder that cannot be watched
	}
	w.dirs[dir] = append(w.dirs[dir], a)
	return a
}

func (w *watcher) remove(a *watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	// A new slice: a call under way may be going over the old one.
	rest := slices.DeleteFunc(slices.Clone(w.dirs[a.dir]), func(b *watch) bool { return a == b })
	if len(rest) > 0 {
		w.dirs[a.dir] = rest
		return
	}
	delete(w.dirs, a.dir)
	if w.fs != nil && !w.closed {
		_ = w.fs.Remove(a.dir) // it may be gone or never have been watched
	}
}

// start begins to watch, once. w.mu is held.
func (w *watcher) start() {
	if w.stop != nil {
		return
	}
	w.stop, w.done = make(chan struct{}), make(chan struct{})
	if !w.polls {
		if fs, err := fsnotify.NewWatcher(); err == nil {
			w.fs = fs // without one (no inotify instance left) there is polling
		}
	}
	go w.run(w.fs)
}

func (w *watcher) run(fs *fsnotify.Watcher) {
	defer close(w.done)
	var (
		events <-chan fsnotify.Event
		errs   <-chan error
	)
	if fs != nil {
		events, errs = fs.Events, fs.Errors
	}
	tick := time.NewTicker(w.poll)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case e := <-events:
			w.call(filepath.Dir(e.Name), filepath.Base(e.Name))
		case <-errs: // an overflow: something was missed, it is not said what
			w.callAll()
		case <-tick.C:
			w.callAll()
		}
	}
}

func (w *watcher) call(dir, name string) {
	w.mu.Lock()
	all := w.dirs[dir]
	w.mu.Unlock()
	for _, a := range all {
		a.changed(name)
	}
}

func (w *watcher) callAll() {
	w.mu.Lock()
	all := make([]*watch, 0, len(w.dirs))
	for _, dir := range w.dirs {
		all = append(all, dir...)
	}
	w.mu.Unlock()
	for _, a := range all {
		a.changed("")
	}
}

// close ends the goroutine and waits for it.
func (w *watcher) close() error {
	w.mu.Lock()
	if w.closed || w.stop == nil {
		w.closed = true
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	close(w.stop)
	fs := w.fs
	w.mu.Unlock()
	<-w.done
	if fs == nil {
		return nil
	}
	if err := fs.Close(); err != nil && !errors.Is(err, fsnotify.ErrClosed) {
		return err
	}
	return nil
}
