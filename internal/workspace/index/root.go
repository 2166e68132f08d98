package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"belay/internal/crash"
	"belay/internal/workspace/scan"
)

// root is the index of one project. What is not said to be shared belongs to its
// goroutine.
type root struct {
	set  *Set
	path string
	life context.Context
	end  context.CancelFunc
	asks chan chan answer
	done chan struct{}

	// users and used are the set's.
	users int
	used  time.Time

	journal *journal
	now     *Snapshot
	// result is what the project held at the latest look. It differs from that of
	// now at most in what listings do not show.
	result *scan.Result
	// cost is how long the latest scan of the whole project took.
	cost    time.Duration
	watch   watcher // nil while polling
	watched map[string]bool

	// What has to be done because of what happened.
	doubt   bool
	scopes  map[string]bool // folders to scan
	moved   map[string]bool // folders that came or went; "." is any
	changed map[string]bool // paths for the next change
	more    bool
	// unsettled is set while files may be half changed.
	unsettled bool
	// proposals is set where what agents propose changed; proposed is when their folder was
	// changed at the last look.
	proposals bool
	proposed  time.Time
}

type answer struct {
	snapshot *Snapshot
	err      error
}

// calm is how long an index waits after something has happened for what belongs to it; a
// question does not wait.
const calm = 8 * time.Millisecond

func newRoot(s *Set, path string) *root {
	x := &root{
		set: s, path: path, asks: make(chan chan answer), done: make(chan struct{}), journal: newJournal(), used: time.Now(),
		watched: map[string]bool{}, scopes: map[string]bool{}, moved: map[string]bool{}, changed: map[string]bool{},
	}
	x.life, x.end = context.WithCancel(s.life)
	return x
}

// ask returns a snapshot no older than the call.
func (x *root) ask(ctx context.Context) (*Snapshot, error) {
	reply := make(chan answer, 1)
	select {
	case x.asks <- reply:
	case <-x.done:
		return nil, x.failure()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case a := <-reply:
		return a.snapshot, a.err
	case <-x.done: // where it panicked nobody replies
		select {
		case a := <-reply:
			return a.snapshot, a.err
		default:
			return nil, x.failure()
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// failure is why the index ended.
func (x *root) failure() error {
	x.journal.mu.Lock()
	defer x.journal.mu.Unlock()
	return x.journal.err
}

// run is the goroutine. It ends when the set does, when nobody uses the index, and
// when the project cannot be looked at.
func (x *root) run() {
	err := crash.Caught(x.live)()
	x.set.drop(x)
	if x.watch != nil {
		err = errors.Join(err, x.watch.close())
	}
	if err == nil || x.life.Err() != nil {
		err = ErrClosed
	}
	x.end()
	x.journal.end(err)
	close(x.done)
}

func (x *root) live() error {
	idle := time.NewTicker(max(x.set.o.Idle/4, time.Millisecond))
	defer idle.Stop()
	for x.now == nil {
		select {
		case <-x.life.Done():
			return nil
		case first := <-x.asks:
			if err := x.begin(x.askers(first)); err != nil {
				return err
			}
		case <-idle.C:
			if x.set.dropIdle(x) {
				return nil
			}
		}
	}
	tick := time.NewTicker(x.interval())
	defer tick.Stop()
	settled := time.NewTimer(0)
	defer settled.Stop()
	for {
		var ready <-chan struct{}
		if x.watch != nil {
			ready = x.watch.ready()
		}
		var err error
		select {
		case <-x.life.Done():
			return nil
		case <-ready:
			if x.collect(); x.pending() {
				settled.Reset(calm)
			}
		case <-settled.C:
			x.collect()
			err = x.refresh()
		case reply := <-x.asks:
			err = x.reply(x.askers(reply))
		case <-tick.C:
			if x.watch != nil || x.set.isUsed(x) {
				x.doubt = true
				err = x.refresh()
			}
			tick.Reset(x.interval())
		case <-idle.C:
			if x.set.dropIdle(x) {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
}

// interval is the time to the next look at the whole project, which should take
// only a small part of it.
func (x *root) interval() time.Duration {
	least := x.set.o.Recheck
	if x.watch == nil {
		least = x.set.o.Poll
	}
	return max(least, 20*x.cost)
}

// askers are all who wait for an answer by now.
func (x *root) askers(first chan answer) []chan answer {
	all := []chan answer{first}
	for {
		select {
		case next := <-x.asks:
			all = append(all, next)
		default:
			return all
		}
	}
}

func (x *root) reply(askers []chan answer) error {
	x.doubt = x.doubt || x.watch == nil
	x.collect()
	err := x.refresh()
	for _, reply := range askers {
		reply <- answer{x.now, err}
	}
	return err
}

// begin makes the first snapshot for those who asked before it was begun, and
// begins to watch.
func (x *root) begin(askers []chan answer) error {
	x.settle()
	x.proposed = x.proposalsTime()
	result, err := x.scan(".")
	if err == nil {
		// Versions begin with the time, so those of an earlier life are smaller.
		version := uint64(x.set.o.Clock().UnixMilli())
		x.result = result
		x.now = &Snapshot{Root: x.path, Version: version, Mode: Polling, Layout: &Layout{Result: result, At: x.set.o.Clock()}}
		if len(result.Visited) <= x.set.o.MaxWatches {
			x.now.Mode = Events
		}
		x.journal.begin(version)
	}
	for _, reply := range askers {
		reply <- answer{x.now, err}
	}
	if err != nil {
		return err
	}
	if x.now.Mode == Events {
		x.listen(result.Visited)
	} else {
		x.doubt = true // those who follow want stamps to compare with
		x.notifyPolling(fmt.Errorf("it has %d folders, more than the %d that are watched", len(result.Visited), x.set.o.MaxWatches))
	}
	return nil
}
