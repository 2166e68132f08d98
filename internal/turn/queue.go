package turn

import (
	"context"
	"errors"
	"slices"
	"time"

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
		return nil, session.Busy(id)
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
	var lease *session.Lease
	err := l.whenFree(ctx, id, func() (err error) {
		lease, err = l.o.Store.Acquire(ctx, id)
		return err
	})
	return lease, err
}

// whenFree does what needs the lease. Where that is about to be free it tries
// again; [session.ErrBusy] is its answer where a turn really runs.
func (l *Local) whenFree(ctx context.Context, id string, do func() error) error {
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
func (l *Local) holdOn(ctx context.Context, id string, waited time.Duration) error {
	if t := l.runningIn(id); t != nil {
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
	_, _, running := l.o.Store.Signals.Running(id)
	if running && waited > leaseHandOn || waited > leaseSettle || l.o.Store.Signals.Booting(id) {
		return session.ErrBusy
	}
	return model.Sleep(ctx, time.Millisecond)
}

// wait waits in line for the lease.
func (l *Local) wait(ctx context.Context, id string) (*session.Lease, error) {
	head, leave, err := l.enqueue(id)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeoutCause(ctx, l.o.Rules.Limits.QueueWait, session.Busy(id).
		WithHint("the turns before it took longer than %v", l.o.Rules.Limits.QueueWait))
	defer cancel()
	if err := l.waitFor(ctx, head, 0); err != nil {
		return nil, err
	}
	for {
		lease, err := l.o.Store.Acquire(ctx, id)
		if !errors.Is(err, session.ErrBusy) {
			return lease, err
		}
		// A turn of this process says when it is done; that of another one is
		// looked at now and then.
		var done chan struct{}
		poll := leasePoll
		if t := l.runningIn(id); t != nil {
			done, poll = t.done, 0
		}
		if err := l.waitFor(ctx, done, poll); err != nil {
			return nil, err
		}
	}
}

// waitFor waits until ch is closed or, unless it is 0, poll has passed. It fails
// when ctx is done or the engine closes.
func (l *Local) waitFor(ctx context.Context, ch <-chan struct{}, poll time.Duration) error {
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
func (l *Local) enqueue(id string) (head chan struct{}, leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[id]
	waiting := 0
	if q != nil {
		waiting = len(q.waiting)
	}
	if waiting >= l.o.Rules.Limits.QueueLength {
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

func (l *Local) dequeue(id string, head chan struct{}) {
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
