package worker

import (
	"context"
	"errors"

	"belay/internal/bus/contract"
	"belay/internal/fault"
	"belay/internal/session"
)

// errCancelled ends the wait of a request that somebody interrupted before its turn
// began.
var errCancelled = errors.New("interrupted before it began")

// interrupt ends what a request asks to end, and begins its own text, if it has
// one, before everything that waits.
func (l *line) interrupt(ctx context.Context, j *job) {
	stopped, err := l.stop(ctx, j.message.Target)
	switch {
	case j.message.Text != "":
		l.enqueue(j, true)
		return
	case err == nil && !stopped:
		err = session.NoTurn(l.session).WithHint("there is nothing to stop")
	}
	if err != nil {
		j.fail(ctx, err)
		return
	}
	j.report(ctx, contract.LifecycleChanged{State: contract.StateResolved})
	j.finish(ctx)
}

// stop ends a request, "" for whatever runs in the session. It is false where there
// is no such.
func (l *line) stop(ctx context.Context, target string) (bool, error) {
	l.w.mu.Lock()
	a := l.active
	for i, j := range l.waiting {
		if target != "" && j.key.request == target {
			l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
			l.w.mu.Unlock()
			j.cancelled(ctx)
			return true, nil
		}
	}
	l.w.mu.Unlock()
	if a != nil && (target == "" || a.key.request == target) {
		return true, a.interrupt(ctx)
	}
	if target != "" {
		return false, nil
	}
	err := l.w.o.Engine.Interrupt(ctx, l.session, "")
	if fault.Is(err, fault.SessionNotFound) {
		return false, nil
	}
	return err == nil, err
}

// interrupt ends the request: its turn, or its wait for one.
func (j *job) interrupt(ctx context.Context) error {
	j.cancel(errCancelled)
	id := j.turnID()
	if id == "" {
		return nil // run sees it
	}
	err := j.w.o.Engine.Interrupt(ctx, j.key.session, id)
	if fault.Is(err, fault.SessionNotFound) {
		return nil // it has just ended
	}
	return err
}
