package worker

import (
	"context"
	"errors"

	"belay/internal/attachment/block"
	"belay/internal/bus/contract"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// line is the requests of one session. Its goroutine lives as long as there are
// any.
type line struct {
	w       *Worker
	session string
	wake    chan struct{}

	// Guarded by Worker.mu:

	inbox   []*job // delivered, not looked at
	active  *job
	waiting []*job

	// later are what people said to the active request before its turn began; of the
	// line's goroutine alone.
	later []*job
}

func newLine(w *Worker, session string) *line {
	return &line{w: w, session: session, wake: make(chan struct{}, 1)}
}

func (l *line) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run deals with the requests of the session until there are none, or the worker
// ends.
func (l *line) run() {
	for l.w.life.Err() == nil {
		j, over := l.next()
		switch {
		case over:
			return
		case j != nil:
			l.deal(j)
			continue
		}
		var begun, done chan struct{}
		if a := l.current(); a != nil {
			done = a.done
			if len(l.later) > 0 {
				begun = a.begun
			}
		}
		select {
		case <-l.wake:
		case <-begun:
			l.sayLater()
		case <-done:
			l.advance()
		case <-l.w.life.Done():
		}
	}
	l.abandon()
}

// next returns the next delivered request, nil for none, and whether the line is
// over.
func (l *line) next() (j *job, over bool) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	if len(l.inbox) > 0 && !l.w.draining {
		j, l.inbox = l.inbox[0], l.inbox[1:]
		return j, false
	}
	if l.w.draining {
		for _, j := range append(l.waiting, l.inbox...) {
			l.w.release(j)
		}
		l.inbox, l.waiting = nil, nil
	}
	if l.active != nil || len(l.inbox)+len(l.waiting)+len(l.later) > 0 {
		return nil, false
	}
	delete(l.w.lines, l.session)
	return nil, true
}

// release gives a request back to the bus. w.mu must be held.
func (w *Worker) release(j *job) {
	delete(w.jobs, j.key)
	j.cancel(nil)
	_ = j.held().Release() // or it comes again by itself
}

// abandon leaves the line's requests to the next worker.
func (l *line) abandon() {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	for _, j := range append(append(l.later, l.waiting...), l.inbox...) {
		l.w.release(j)
	}
	l.later, l.waiting, l.inbox = nil, nil, nil
	delete(l.w.lines, l.session)
}

func (l *line) current() *job {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.active
}

// deal does what a delivered request asks for.
func (l *line) deal(j *job) {
	ctx := l.w.life
	if j.message.Queue != contract.QueuePrompt { // which looks when it begins
		over := (*overError)(nil)
		switch _, begun, err := j.earlier(ctx); {
		case errors.As(err, &over):
			j.again(ctx, over.last)
			return
		case err != nil:
			j.fail(ctx, err)
			return
		case begun:
			l.enqueue(j, false) // it began a turn, whatever its queue says
			return
		}
	}
	switch j.message.Queue {
	case contract.QueueSteer, contract.QueueFollowUp:
		if a := l.current(); a != nil && !a.hasBegun() {
			l.later = append(l.later, j)
			return
		}
		l.say(ctx, j)
	case contract.QueueInterrupt:
		l.interrupt(ctx, j)
	default:
		l.enqueue(j, false)
	}
}

// enqueue has a request run when its turn comes: first in line, or last.
func (l *line) enqueue(j *job, first bool) {
	l.w.mu.Lock()
	if l.active != nil {
		if first {
			l.waiting = append([]*job{j}, l.waiting...)
		} else {
			l.waiting = append(l.waiting, j)
		}
		l.w.mu.Unlock()
		j.report(l.w.life, contract.LifecycleChanged{State: contract.StateQueued})
		return
	}
	l.active = j
	l.w.mu.Unlock()
	l.w.requests.Go(j.run)
}

// advance begins the next request once the active one is done.
func (l *line) advance() {
	l.w.mu.Lock()
	l.active = nil
	var following *job
	if len(l.waiting) > 0 && !l.w.draining {
		following, l.waiting = l.waiting[0], l.waiting[1:]
		l.active = following
	}
	l.w.mu.Unlock()
	if following != nil {
		l.w.requests.Go(following.run)
	}
	l.sayLater() // where the active one ended before it began
}

// sayLater says what waited for the active turn to begin.
func (l *line) sayLater() {
	later := l.later
	l.later = nil
	for _, j := range later {
		if l.w.isDraining() {
			j.leave()
		} else {
			l.deal(j)
		}
	}
}

// say says a request into the running turn, or makes it a prompt where none runs.
func (l *line) say(ctx context.Context, j *job) {
	text, files := spoken(j.message)
	r := turn.SteerRequest{SessionID: l.session, Message: text, Links: files, Mode: session.Steer, Key: j.key.request, Merge: block.Policy(j.message.Merge)}
	if j.message.Queue == contract.QueueFollowUp {
		r.Mode = session.FollowUp
	}
	for failures := 1; ; failures++ {
		err := l.w.o.Engine.Steer(ctx, r)
		l.w.o.step("said")
		switch {
		case err == nil:
			said := contract.LifecycleChanged{State: contract.StateResolved}
			if a := l.current(); a != nil {
				said.Into, said.TurnID = a.key.request, a.turnID()
			}
			j.report(ctx, said)
			j.finish(ctx)
		case fault.Is(err, fault.NoTurnInProgress):
			l.enqueue(j, false)
		case permanent(err) || failures == attempts:
			j.fail(ctx, err)
		default:
			if l.w.pause(ctx, failures) == nil {
				continue
			}
			j.leave() // the worker ends
		}
		return
	}
}
