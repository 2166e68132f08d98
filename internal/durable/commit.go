package durable

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Syncer is something with bytes that are not on disk yet: what
// [FlushOf] returns and [*Lines] are.
type Syncer interface{ Sync() error }

// ErrClosed is returned by a [Committer] that was closed.
var ErrClosed = errors.New("the committer is closed")

// Committer flushes files to disk with a bounded number of threads. A flush
// blocks a thread in the kernel, so a thousand turns that end at one instant
// would otherwise make a thousand threads; flushes that wait together also share
// the journal's work on most file systems.
//
// It is safe for concurrent use. Its goroutines exist only while there is work.
type Committer struct {
	limit int

	mu      sync.Mutex
	queue   []*flush
	waiting map[Syncer]*flush // in queue, not begun
	running int
	closed  bool
	idle    *sync.Cond
}

// flush is one file on its way to disk, for everyone who asked before it began.
type flush struct {
	what Syncer
	done chan struct{}
	err  error
}

// NewCommitter returns a committer with at most workers flushes at a time, 16
// for 0.
func NewCommitter(workers int) *Committer {
	if workers <= 0 {
		workers = 16
	}
	c := &Committer{limit: workers, waiting: map[Syncer]*flush{}}
	c.idle = sync.NewCond(&c.mu)
	return c
}

// Commit returns when everything written to files before the call is on disk.
// A file that already waits for its turn is flushed once for all who ask. The
// errors of all files are joined. When ctx ends first, the flushes go on and
// nothing is known about them.
func (c *Committer) Commit(ctx context.Context, files ...Syncer) error {
	jobs := make([]*flush, 0, len(files))
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	for _, f := range files {
		jobs = append(jobs, c.enqueue(f))
	}
	c.mu.Unlock()

	var errs []error
	for _, j := range jobs {
		select {
		case <-j.done:
			if j.err != nil {
				errs = append(errs, j.err)
			}
		case <-ctx.Done():
			return fmt.Errorf("commit: %w", context.Cause(ctx))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// enqueue joins a flush that has not begun or queues a new one. c.mu is held.
func (c *Committer) enqueue(f Syncer) *flush {
	if j := c.waiting[f]; j != nil {
		return j
	}
	j := &flush{what: f, done: make(chan struct{})}
	c.waiting[f] = j
	c.queue = append(c.queue, j)
	if c.running < c.limit {
		c.running++
		go c.work()
	}
	return j
}

// work flushes until the queue is empty.
func (c *Committer) work() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) > 0 {
		j := c.queue[0]
		c.queue[0] = nil
		c.queue = c.queue[1:]
		delete(c.waiting, j.what)
		c.mu.Unlock()
		j.err = j.what.Sync()
		close(j.done)
		c.mu.Lock()
	}
	c.queue = nil
	c.running--
	c.idle.Broadcast()
}

// Close waits for the flushes under way; later commits fail with [ErrClosed].
func (c *Committer) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for c.running > 0 {
		c.idle.Wait()
	}
	return nil
}
