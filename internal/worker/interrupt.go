package worker

import (
	"context"
	"errors"
	"slices"

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
	if j := l.withdraw(target); j != nil {
		j.cancelled(ctx)
		return true, nil
	}
	if a := l.current(); a != nil && (target == "" || a.key.request == target) {
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

// withdraw takes a request that has not begun out of the line, nil where it is not there.
func (l *line) withdraw(request string) *job {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	for _, list := range []*[]*job{&l.waiting, &l.later} {
		if i := slices.IndexFunc(*list, func(j *job) bool { return j.key.request == request }); i >= 0 {
			j := (*list)[i]
			*list = slices.Delete(*list, i, i+1)
			return j
		}
	}
	return nil
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
