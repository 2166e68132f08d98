package turn

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
)

// OnBusy values of [Opts].
const (
	onBusyReject = "reject"
	onBusyQueue  = "queue"
)

// How often a waiter looks at a lease that another process may free; how long a
// start waits for a turn of another process that may be over already (its last
// event is out just before its lease is free); and how long for a lease that is
// held without a turn (a record being repaired or deleted).
const (
	leasePoll   = 50 * time.Millisecond
	leaseHandOn = 25 * time.Millisecond
	leaseSettle = 2 * time.Second
)

// leases takes the leases of sessions for the turns of this process. Those that wait for
// a busy session stand in line, first come first served.
type leases struct {
	store   *session.Store
	running *runningTurns
	// closing ends every wait.
	closing context.Context
	// length bounds the line behind a session, patience the time in it.
	length   int
	patience time.Duration

	mu     sync.Mutex
	queues map[string]*queue // by session; only where somebody waits
}

// queue is the line of turns behind a busy session.
type queue struct{ waiting []chan struct{} }

// newLeases returns the leases of an engine. Closing ends when the engine does.
func newLeases(closing context.Context, store *session.Store, running *runningTurns, limits Limits) *leases {
	return &leases{
		store: store, running: running, closing: closing,
		length: limits.QueueLength, patience: limits.QueueWait, queues: map[string]*queue{},
	}
}

// acquire takes the session's lease: at once, or, when the caller asked to be
// queued, as soon as everybody before it is done.
func (l *leases) acquire(ctx context.Context, id, onBusy string) (*session.Lease, error) {
	lease, err := l.tryAcquire(ctx, id)
	if !errors.Is(err, session.ErrBusy) {
		return lease, err
	}
	if onBusy != onBusyQueue {
		return nil, l.busy(id)
	}
	return l.wait(ctx, id)
}

// busy is the error for a session whose lease somebody else has, or waits for.
func (l *leases) busy(id string) *fault.Error {
	l.mu.Lock()
	waiting := l.queues[id] != nil
	l.mu.Unlock()
	if _, _, runs := l.store.Signals.Running(id); runs || waiting || l.running.in(id) != nil {
		return session.Busy(id)
	}
	return fault.New(fault.TurnInProgress, "somebody else changes session %s: its changes are taken back, or its record is written", id).With("sessionId", id).
		WithHint("try it again when that is done")
}

// busyFor is busy for what is no turn.
func (l *leases) busyFor(id string) *fault.Error {
	err := l.busy(id)
	if err.Hint == "" {
		return err.WithHint("wait until the turn has ended, or interrupt it")
	}
	return err
}

// tryAcquire takes the lease if no turn has it and nobody waits for it.
func (l *leases) tryAcquire(ctx context.Context, id string) (*session.Lease, error) {
	l.mu.Lock()
	waiting := l.queues[id] != nil
	l.mu.Unlock()
	if waiting {
		return nil, session.ErrBusy
	}
	return l.acquireFree(ctx, id)
}

// acquireFree takes the lease if no turn has it. It passes by those who wait in line.
func (l *leases) acquireFree(ctx context.Context, id string) (lease *session.Lease, err error) {
	err = l.whenFree(ctx, id, func() (err error) {
		lease, err = l.store.Acquire(ctx, id)
		return err
	})
	return lease, err
}

// whenFree does what needs the lease. Where that is about to be free it tries
// again; [session.ErrBusy] is its answer where a turn really runs.
func (l *leases) whenFree(ctx context.Context, id string, do func() error) error {
	begun := time.Now()
	for {
		err := do()
		if !errors.Is(err, session.ErrBusy) {
			return err
		}
		if err := l.holdOn(ctx, id, time.Since(begun)); err != nil {
			return err
		}
	}
}

// holdOn waits a moment where a busy lease is about to be free, and is
// [session.ErrBusy] where a turn really runs.
func (l *leases) holdOn(ctx context.Context, id string, waited time.Duration) error {
	if t := l.running.in(id); t != nil {
		if !t.said.Load() {
			return session.ErrBusy
		}
		select {
		case <-t.done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	_, _, running := l.store.Signals.Running(id)
	if running && waited > leaseHandOn || waited > leaseSettle || l.store.Signals.Booting(id) {
		return session.ErrBusy
	}
	return model.Sleep(ctx, time.Millisecond)
}

// wait waits in line for the lease.
func (l *leases) wait(ctx context.Context, id string) (*session.Lease, error) {
	head, leave, err := l.enqueue(id)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeoutCause(ctx, l.patience, session.Busy(id).
		WithHint("the turns before it took longer than %v", l.patience))
	defer cancel()
	if err := l.waitFor(ctx, head, 0); err != nil {
		return nil, err
	}
	for {
		lease, err := l.store.Acquire(ctx, id)
		if !errors.Is(err, session.ErrBusy) {
			return lease, err
		}
		// A turn of this process says when it is done; that of another one is
		// looked at now and then.
		var done chan struct{}
		poll := leasePoll
		if t := l.running.in(id); t != nil {
			done, poll = t.done, 0
		}
		if err := l.waitFor(ctx, done, poll); err != nil {
			return nil, err
		}
	}
}

// waitFor waits until ch is closed or, unless it is 0, poll has passed. It fails
// when ctx is done or the engine closes.
func (l *leases) waitFor(ctx context.Context, ch <-chan struct{}, poll time.Duration) error {
	var tick <-chan time.Time
	if poll > 0 {
		timer := time.NewTimer(poll)
		defer timer.Stop()
		tick = timer.C
	}
	select {
	case <-ch:
	case <-tick:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-l.closing.Done():
		return shuttingDown()
	}
	return nil
}

// enqueue joins the session's line. The channel closes when the caller is at
// its head; leave gives the place up.
func (l *leases) enqueue(id string) (head chan struct{}, leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[id]
	waiting := 0
	if q != nil {
		waiting = len(q.waiting)
	}
	if waiting >= l.length {
		return nil, nil, session.Busy(id).WithHint("%d turns already wait; try again later", waiting)
	}
	if q == nil {
		q = &queue{}
		l.queues[id] = q
	}
	head = make(chan struct{})
	q.waiting = append(q.waiting, head)
	if len(q.waiting) == 1 {
		close(head)
	}
	return head, func() { l.dequeue(id, head) }, nil
}

func (l *leases) dequeue(id string, head chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[id]
	i := slices.Index(q.waiting, head)
	q.waiting = slices.Delete(q.waiting, i, i+1)
	if len(q.waiting) == 0 {
		delete(l.queues, id)
		return
	}
	if i == 0 {
		close(q.waiting[0])
	}
}
