package index

import (
	"cmp"
	"context"
	"errors"
	"sync"
)

// journal is the latest changes of a root, for its followers.
type journal struct {
	mu      sync.Mutex
	changes []Change // the newest last
	// first is the version before the oldest change that is kept.
	first uint64
	last  uint64
	wake  chan struct{} // closed and made anew with every change
	err   error
}

// maxChanges is how many changes are kept for those who come back.
const maxChanges = 256

func newJournal() *journal { return &journal{wake: make(chan struct{})} }

// begin says which version the first snapshot has.
func (j *journal) begin(version uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.first, j.last = version, version
}

func (j *journal) add(c Change) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.changes = append(j.changes, c)
	if over := len(j.changes) - maxChanges; over > 0 {
		j.first = j.changes[over-1].Version
		j.changes = append([]Change(nil), j.changes[over:]...)
	}
	j.last = c.Version
	close(j.wake)
	j.wake = make(chan struct{})
}

// end wakes everybody for good.
func (j *journal) end(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = err
		close(j.wake)
	}
}

// after returns the first change after a version; gap is set where changes
// between the two are not kept, or the version is none of this index's. With
// neither, wake is closed when there is more.
func (j *journal) after(version uint64) (c Change, gap, ok bool, wake <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if version < j.first || version > j.last {
		return Change{Version: j.last}, true, true, nil, nil
	}
	for _, c := range j.changes {
		if c.Version > version {
			return c, false, true, nil, nil
		}
	}
	return Change{}, false, false, j.wake, j.err
}

// Subscription follows the changes of one project. One goroutine at a time calls
// Next. Close may be called by any goroutine at any moment, and more than once.
type Subscription struct {
	set     *Set
	root    *root
	version uint64
	once    sync.Once
	done    chan struct{} // closed by Close
}

// ErrUnsubscribed is what Next returns after Close.
var ErrUnsubscribed = errors.New("the subscription was closed")

// Subscribe follows a project's changes after a version that a snapshot or a
// change had; 0 begins with the next change. The index is kept until the caller
// closes the subscription.
func (s *Set) Subscribe(ctx context.Context, path string, after uint64) (*Subscription, *Snapshot, error) {
	x, err := s.use(path)
	if err != nil {
		return nil, nil, err
	}
	// A new index answers before it watches the folders. It answers a second time when
	// no change can be missed any more.
	if _, err = x.ask(ctx); err != nil {
		s.leave(x)
		return nil, nil, err
	}
	now, err := x.ask(ctx)
	if err != nil {
		s.leave(x)
		return nil, nil, err
	}
	after = cmp.Or(after, now.Version)
	return &Subscription{set: s, root: x, version: after, done: make(chan struct{})}, now, nil
}

// Next waits for the next change. Gap is set where changes before it are not kept:
// the follower has to look at the whole project anew, and goes on after
// c.Version. The error is ctx's, [ErrUnsubscribed], or why the index ended.
func (s *Subscription) Next(ctx context.Context) (c Change, gap bool, err error) {
	for {
		select {
		case <-s.done:
			return Change{}, false, ErrUnsubscribed
		default:
		}
		c, gap, ok, wake, err := s.root.journal.after(s.version)
		if ok {
			s.version = c.Version
			return c, gap, nil
		}
		if err != nil {
			return Change{}, false, err
		}
		select {
		case <-wake:
		case <-s.done:
		case <-ctx.Done():
			return Change{}, false, ctx.Err()
		}
	}
}

// Close ends the subscription and the wait of a Next.
func (s *Subscription) Close() {
	s.once.Do(func() {
		close(s.done)
		s.set.leave(s.root)
	})
}
