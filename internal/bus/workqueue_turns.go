package bus

import "time"

// untilDue returns how long it is until the next parked task is due.
func (a *workQueue) untilDue() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	wait := a.maxBackoff
	for _, t := range a.parked {
		wait = min(wait, t.due.Sub(a.now()))
	}
	return max(wait, 0)
}

// take hands up to n tasks to the calling worker, which must settle each.
func (a *workQueue) take(n int) []*task {
	a.mu.Lock()
	defer a.mu.Unlock()
	waiting := a.parked[:0]
	for _, t := range a.parked {
		if t.due.After(a.now()) {
			waiting = append(waiting, t)
		} else {
			a.enqueue(t)
		}
	}
	clear(a.parked[len(waiting):])
	a.parked = waiting

	n = min(n, len(a.queue))
	picked := make([]*task, n)
	copy(picked, a.queue)
	rest := copy(a.queue, a.queue[n:])
	clear(a.queue[rest:])
	if a.queue = a.queue[:rest]; rest > 0 {
		a.signal() // for the other worker
	} else {
		a.queue = nil // a burst must not pin its array
	}
	for _, t := range picked {
		t.state, t.news = taken, false
		t.drained, t.failed, t.unreadable = false, false, false
		if t.doubt {
			t.doubt, t.cursor, t.floor = false, unknown, t.base
		}
	}
	return picked
}

// recheck puts every session on the work queue, to be asked from the stream anew:
// a server that came back may have lost what it had confirmed.
func (a *workQueue) recheck() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed && a.open == 0 {
		return
	}
	for _, t := range a.tasks {
		t.doubt, t.news = true, true
		if t.state == resting {
			a.open++
			a.enqueue(t)
		}
	}
}

// settle takes a task back after a round and decides when it goes again.
func (a *workQueue) settle(t *task) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t.drained && !t.news {
		t.target = t.cursor // the log ends here, whatever was reported
	}
	t.confirmed = t.cursor
	switch {
	case t.unreadable && a.closed:
		a.rest(t)
	case t.failed:
		t.attempts++
		t.state, t.due = parked, a.now().Add(a.backoff(t.attempts))
		a.parked = append(a.parked, t)
		a.signal() // for a new timer
	case t.news || t.cursor < t.target:
		t.attempts = 0
		a.enqueue(t)
	default:
		t.attempts = 0
		a.rest(t)
	}
}

// rest takes t off the work queue until there is news of it. a.mu must be held.
func (a *workQueue) rest(t *task) {
	t.state = resting
	if t.gone {
		delete(a.tasks, t.session)
	}
	if t.unreadable {
		a.givenUp++
	}
	if a.open--; a.open == 0 && a.closed {
		close(a.done)
	}
}

func (a *workQueue) backoff(attempts int) time.Duration {
	d := minBackoff
	for range attempts - 1 {
		if d *= 2; d >= a.maxBackoff {
			break
		}
	}
	return min(d, a.maxBackoff)
}

// lag returns how many sessions are not settled and how many events they are
// known to lack.
func (a *workQueue) lag() (sessions, events int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.tasks {
		if t.state == resting {
			continue
		}
		sessions++
		if t.target != toTheEnd && t.confirmed != unknown {
			events += max(t.target-t.confirmed, 0)
		}
	}
	return sessions, events
}
