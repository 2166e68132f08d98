package bus

import (
	"context"
	"math"
	"sync"
	"time"
)

const (
	// unknown is a cursor that must be asked from the stream.
	unknown = -1
	// toTheEnd is the target of a session whose end is not known.
	toTheEnd = math.MaxInt64
	// idleTasks is how many sessions without news are remembered. A forgotten
	// one costs a question to the stream when it speaks again.
	idleTasks = 10_000
)

// minBackoff is the delay after the first failure of a session; it doubles with
// every further one.
const minBackoff = 100 * time.Millisecond

// task is one session's way from its log to the stream.
type task struct {
	session string

	// Of the worker that took the task:

	// cursor is the last sequence known to be in the stream, or unknown.
	cursor int64
	// floor is the position when the stream holds nothing: what it confirmed
	// once is not published again because it aged out. base is the floor while
	// nothing is confirmed.
	floor, base int64
	// drained and failed say how the round went: the log had no more events;
	// something went wrong and the session should wait. unreadable says that it
	// was the session's own log: nobody can wait for that to heal.
	drained, failed, unreadable bool

	// Guarded by workQueue.mu:

	state     taskState
	target    int64 // the highest sequence reported
	confirmed int64 // cursor at the end of the last round
	news      bool  // reported since a worker took it
	doubt     bool  // cursor and floor are not to be trusted any more
	gone      bool  // the session was deleted: dropped when it comes to rest
	attempts  int   // failures in a row
	due       time.Time
}

func (t *task) moveTo(seq int64) { t.cursor, t.floor = seq, seq }

type taskState uint8

const (
	resting taskState = iota
	ready             // in workQueue.queue
	taken             // with a worker
	parked            // in workQueue.parked until due
)

// workQueue is the set of sessions with news and the order in which workers take
// them. Its size is bounded by the number of sessions, not of events.
type workQueue struct {
	now        func() time.Time
	maxBackoff time.Duration
	wake       chan struct{} // holds a token while there may be work

	mu     sync.Mutex
	tasks  map[string]*task
	queue  []*task
	parked []*task
	open   int // tasks that are not resting
	closed bool
	// givenUp counts the sessions that could not be read when it was closed.
	givenUp int
	done    chan struct{} // closed when closed and open is 0
}

func newWorkQueue(now func() time.Time, maxBackoff time.Duration) *workQueue {
	return &workQueue{now: now, maxBackoff: maxBackoff, wake: make(chan struct{}, 1), tasks: make(map[string]*task), done: make(chan struct{})}
}

// add notes that session has events up to last. floor is where to begin when
// neither this work queue nor the stream has met the session.
func (a *workQueue) add(session string, floor, last int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	t := a.tasks[session]
	if t == nil {
		a.forget()
		t = &task{session: session, cursor: unknown, floor: floor, base: floor, confirmed: unknown}
		if floor == 0 && last != toTheEnd {
			t.cursor = 0 // these are its first events: the stream cannot have any
		}
		a.tasks[session] = t
	}
	if t.gone { // and made again under the same id
		t.gone, t.doubt, t.base, t.target = false, true, floor, 0
	}
	t.target = max(t.target, last)
	t.news = true
	if t.state == resting {
		a.open++
		a.enqueue(t)
	}
}

// drop forgets a session that was deleted: what is known of it would be wrong for
// another one of the same id.
func (a *workQueue) drop(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch t := a.tasks[session]; {
	case t == nil:
	case t.state == resting:
		delete(a.tasks, session)
	default: // a worker has it, or will: it finds an empty log
		t.gone = true
	}
}

// forget drops all resting tasks when there are too many. a.mu must be held.
func (a *workQueue) forget() {
	if len(a.tasks)-a.open < idleTasks {
		return
	}
	for id, t := range a.tasks {
		if t.state == resting {
			delete(a.tasks, id)
		}
	}
}

// enqueue makes t ready. a.mu must be held.
func (a *workQueue) enqueue(t *task) {
	t.state = ready
	a.queue = append(a.queue, t)
	a.signal()
}

func (a *workQueue) signal() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// wait returns true when there may be work, and at least once per maxBackoff;
// false when ctx is done.
func (a *workQueue) wait(ctx context.Context) bool {
	timer := time.NewTimer(a.untilDue())
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-a.wake:
	case <-timer.C:
	}
	return ctx.Err() == nil
}

// close refuses further news, and gives up on what cannot be read.
func (a *workQueue) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.closed = true
	if a.open == 0 {
		close(a.done)
	}
	waiting := a.parked[:0]
	for _, t := range a.parked {
		if t.unreadable {
			a.rest(t)
		} else {
			waiting = append(waiting, t)
		}
	}
	clear(a.parked[len(waiting):])
	a.parked = waiting
}

// unread returns how many sessions a closed work queue has given up.
func (a *workQueue) unread() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.givenUp
}

// idle returns a channel that is closed when a closed work queue has no work left.
func (a *workQueue) idle() <-chan struct{} { return a.done }
