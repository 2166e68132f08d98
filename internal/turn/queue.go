package turn

import (
	"context"
	"errors"
	"slices"
	"time"

	"belay/internal/fault"
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

// queue is the line of turns behind a busy session, first come first served.
type queue struct{ waiting []chan struct{} }

// acquire takes the session's lease: at once, or, when the caller asked to be
// queued, as soon as everybody before it is done.
func (l *Local) acquire(ctx context.Context, id, onBusy string) (*session.Lease, error) {
	lease, err := l.tryAcquire(ctx, id)
	if !errors.Is(err, session.ErrBusy) {
		return lease, err
	}
	if onBusy != onBusyQueue {
		return nil, busy(id)
	}
	return l.wait(ctx, id)
}

// tryAcquire takes the lease if no turn has it and nobody waits for it.
func (l *Local) tryAcquire(ctx context.Context, id string) (*session.Lease, error) {
	l.mu.Lock()
	waiting := l.queues[id] != nil
	l.mu.Unlock()
	if waiting {
		return nil, session.ErrBusy
	}
	begun := time.Now()
	for {
		lease, err := l.o.Store.Acquire(ctx, id)
		if !errors.Is(err, session.ErrBusy) {
			return lease, err
		}
		if err := l.holdOn(ctx, id, time.Since(begun)); err != nil {
			return nil, err
		}
	}
}

// holdOn waits a moment where a busy lease is about to be free, and is
// [session.ErrBusy] where a turn really runs.
func (l *Local) holdOn(ctx context.Context, id string, waited time.Duration) error {
	l.mu.Lock()
	t := l.active[id]
	l.mu.Unlock()
	if t != nil {
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
	_, _, running := l.o.Store.Running(id)
	if running && waited > leaseHandOn || waited > leaseSettle {
		return session.ErrBusy
	}
	return sleep(ctx, time.Millisecond)
}

func (l *Local) wait(ctx context.Context, id string) (*session.Lease, error) {
	turn, leave, err := l.enqueue(id)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeoutCause(ctx, l.o.Rules.Limits.QueueWait, busy(id))
	defer cancel()
	select {
	case <-turn:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	for {
		lease, err := l.o.Store.Acquire(ctx, id)
		if !errors.Is(err, session.ErrBusy) {
			return lease, err
		}
		if err := sleep(ctx, leasePoll); err != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// enqueue joins the session's line. The channel closes when the caller is at
// its head; leave gives the place up.
func (l *Local) enqueue(id string) (turn chan struct{}, leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[id]
	if q == nil {
		q = &queue{}
		l.queues[id] = q
	}
	if len(q.waiting) >= l.o.Rules.Limits.QueueLength {
		return nil, nil, busy(id).WithHint("%d turns already wait (turn.queue_length); try again later", len(q.waiting))
	}
	turn = make(chan struct{})
	q.waiting = append(q.waiting, turn)
	if len(q.waiting) == 1 {
		close(turn)
	}
	return turn, func() { l.dequeue(id, turn) }, nil
}

func (l *Local) dequeue(id string, turn chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[id]
	i := slices.Index(q.waiting, turn)
	q.waiting = slices.Delete(q.waiting, i, i+1)
	if len(q.waiting) == 0 {
		delete(l.queues, id)
		return
	}
	if i == 0 {
		close(q.waiting[0])
	}
}

func busy(id string) *fault.Error {
	return fault.New(fault.TurnInProgress, "a turn is running in session %s", id).With("sessionId", id)
}

// sleep waits for d or until ctx is done.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
