package overview

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"belay/internal/crash"
	"belay/internal/event"
)

// feed keeps the latest changes for all subscriptions: one list, whatever their number. A
// subscription is a position in it. It holds nothing, so a slow one costs nothing.
type feed struct {
	view *Overview
	// epoch tells the positions of this process from those of others.
	epoch string

	mu      sync.Mutex
	changes []change
	bytes   int
	version uint64 // of the last change
	wake    chan struct{}
	// readers counts the subscriptions; closed ends them.
	readers int
	closed  bool
	stop    chan struct{} // nil until the first subscription
	done    chan struct{}
}

// change is an event of the feed.
type change struct {
	version uint64
	kind    event.Type
	data    json.RawMessage
}

// What the feed keeps of changes: some minutes of a busy machine. Who was away for longer
// fetches the lists anew.
const (
	maxChanges     = 4096
	maxChangeBytes = 4 << 20
)

// ErrClosed is what subscriptions return once the overview is closed.
var ErrClosed = errors.New("the overview is closed")

func (f *feed) init(v *Overview) {
	f.view, f.epoch, f.wake = v, rand.Text()[:12], make(chan struct{})
}

// close ends the feed.
func (f *feed) close() {
	f.mu.Lock()
	stop := f.stop
	if !f.closed {
		f.closed = true
		close(f.wake)
		if stop != nil {
			close(stop)
		}
	}
	f.mu.Unlock()
	if stop != nil {
		<-f.done
	}
}

// emit appends changes and wakes all readers.
func (f *feed) emit(list []draft) {
	if len(list) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	for _, d := range list {
		data, err := json.Marshal(d.data)
		if err != nil {
			continue // only types of this package are in it
		}
		f.version++
		f.changes = append(f.changes, change{f.version, d.kind, data})
		f.bytes += len(data)
	}
	drop := 0
	for len(f.changes)-drop > maxChanges || f.bytes > maxChangeBytes {
		f.bytes -= len(f.changes[drop].data)
		drop++
	}
	if drop > 0 {
		f.changes = append([]change(nil), f.changes[drop:]...)
	}
	close(f.wake)
	f.wake = make(chan struct{})
}

// draft is a change before it has its version.
type draft struct {
	kind event.Type
	data any
}

// oldest is the position before the first change that is kept. f.mu is held.
func (f *feed) oldest() uint64 { return f.version - uint64(len(f.changes)) }

// start makes the first look, with which later ones are compared, and begins to look
// for changes. Whoever comes meanwhile waits for it.
func (f *feed) start(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrClosed
	}
	if f.stop != nil {
		return nil
	}
	looker := newLooker(f.view)
	if _, err := looker.look(ctx); err != nil {
		return fmt.Errorf("look at the sessions: %w", err)
	}
	f.stop, f.done = make(chan struct{}), make(chan struct{})
	go f.run(looker, f.stop)
	return nil
}

// idleTicks is how many times slower it is looked for changes while nobody subscribes. It
// does not stop: who comes back wants to know what happened meanwhile.
const idleTicks = 4

// questionTick is the longest time between two looks whether somebody asks: a person waits for
// that, and it costs one call of the system.
const questionTick = 50 * time.Millisecond

// run looks for changes until the feed is closed.
func (f *feed) run(looker *looker, stop chan struct{}) {
	defer close(f.done)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	tick, asked := time.NewTicker(f.view.o.Tick), time.NewTicker(min(f.view.o.Tick, questionTick))
	defer tick.Stop()
	defer asked.Stop()
	for n := 0; ; {
		look := looker.look
		select {
		case <-stop:
			return
		case <-tick.C:
			n++
		case <-asked.C:
			look = looker.lookAtQuestions
		}
		f.mu.Lock()
		readers := f.readers
		f.mu.Unlock()
		if readers == 0 && n%idleTicks != 0 {
			continue
		}
		var changes []draft
		err := crash.Caught(func() (err error) {
			changes, err = look(ctx)
			return err
		})()
		if err != nil {
			f.view.o.Logger.Warn("look for changes of sessions", "error", err)
		}
		f.emit(changes)
	}
}
