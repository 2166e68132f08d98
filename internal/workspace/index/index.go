// Package index knows what projects hold, now.
//
// A [Set] keeps one index for each root that somebody asks about: a [scan.Result]
// in memory, made from the files and kept fresh by the system's notifications of
// changes. [Set.Current] answers with a [Snapshot] that is never older than the
// question: what was written before the call is in it. [Set.Subscribe] reports
// changes as they happen.
//
// Nothing is stored. An index that nobody asks for is dropped after a while and
// made again from the files; one in doubt (a lost notification, a folder that can
// not be followed) is made again at once, and now and then without a doubt.
//
// The kernel reports changes on Linux. Elsewhere, and where a project has more
// folders than the system or the settings let one watch, it is looked at every
// Poll and at every question; a snapshot says which it is.
//
// Each index has one goroutine, which alone changes it; [Set.Close] ends them all.
package index

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// DefaultWatches is a usual [Options.MaxWatches]: a watch takes about a kilobyte of the
// system's memory, and the system often allows no more.
const DefaultWatches = 200_000

// DefaultPoll is the default of [Options.Poll].
const DefaultPoll = 2 * time.Second

// Options configure a [Set]. The zero value works.
type Options struct {
	// MaxWatches is how many folders of one project are watched; 0 watches none.
	MaxWatches int
	// Poll is how often a project is looked at that is not watched; default 2 s.
	Poll time.Duration
	// Recheck is how often a watched one is looked at as a whole, should the system
	// have missed something; default 1 min.
	Recheck time.Duration
	// Idle is how long an index is kept that nobody asks for; default 10 min.
	Idle time.Duration
	// MaxRoots is how many indexes are kept; the least used one makes room.
	// Default 64.
	MaxRoots int
	// Settle completes or takes back what a process that died has left half done of a
	// project's files; it is called before each look. An error says that they may be half
	// changed: it is logged, and the next question tries again. nil does nothing.
	Settle func(ctx context.Context, root string) error
	// Logger gets one warning when projects are polled; nil discards it.
	Logger *slog.Logger
	// Clock gives the time of snapshots; nil is the system's.
	Clock func() time.Time
}

// Set is all the indexes of a process. It is safe for concurrent use.
type Set struct {
	o        Options
	life     context.Context
	end      context.CancelFunc
	work     sync.WaitGroup
	notified sync.Once

	mu     sync.Mutex
	roots  map[string]*root
	closed bool
}

// ErrClosed is returned by a set that was closed.
var ErrClosed = errors.New("the index is closed")

// NewSet returns an empty set. The caller closes it.
func NewSet(o Options) *Set {
	o.Poll = cmp.Or(o.Poll, DefaultPoll)
	o.Recheck = cmp.Or(o.Recheck, time.Minute)
	o.Idle = cmp.Or(o.Idle, 10*time.Minute)
	o.MaxRoots = cmp.Or(o.MaxRoots, 64)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Settle == nil {
		o.Settle = func(context.Context, string) error { return nil }
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	s := &Set{o: o, roots: map[string]*root{}}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Close ends every index and waits until their goroutines have ended.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.work.Wait()
}

// Current returns what the project holds, no older than the call. Root is an
// absolute path in normal form.
func (s *Set) Current(ctx context.Context, root string) (*Snapshot, error) {
	x, err := s.use(root)
	if err != nil {
		return nil, err
	}
	defer s.leave(x)
	return x.ask(ctx)
}

// use returns the index of a root, begun when there is none, and keeps it from
// being dropped until leave.
func (s *Set) use(path string) (*root, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	x := s.roots[path]
	if x == nil {
		s.makeRoom()
		x = newRoot(s, path)
		s.roots[path] = x
		s.work.Go(x.run)
	}
	x.users++
	return x, nil
}

func (s *Set) leave(x *root) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.users--
	x.used = time.Now()
}

// makeRoom drops the index that was not used for the longest time where there are
// too many. s.mu is held.
func (s *Set) makeRoom() {
	if len(s.roots) < s.o.MaxRoots {
		return
	}
	var oldest *root
	for _, x := range s.roots {
		if x.users == 0 && (oldest == nil || x.used.Before(oldest.used)) {
			oldest = x
		}
	}
	if oldest != nil {
		delete(s.roots, oldest.path)
		oldest.end()
	}
}

// dropIdle drops an index that nobody has used for long, and reports whether it
// did.
func (s *Set) dropIdle(x *root) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.users > 0 || time.Since(x.used) < s.o.Idle {
		return false
	}
	s.forget(x)
	return true
}

// isUsed reports whether somebody follows the index.
func (s *Set) isUsed(x *root) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return x.users > 0
}

// drop lets the next question begin the index anew.
func (s *Set) drop(x *root) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(x)
}

// forget takes x out of the set. s.mu is held.
func (s *Set) forget(x *root) {
	if s.roots[x.path] == x {
		delete(s.roots, x.path)
	}
}
