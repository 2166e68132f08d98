package turn

import (
	"context"
	"errors"

	"belay/internal/fault"
	"belay/internal/session"
)

// heal writes the end of a turn whose process died, so that nobody waits for a
// process:exit that will never come. It reports whether somebody is at work in
// the session instead, or the session is a copy that nobody works in.
func (l *Local) heal(ctx context.Context, id string) (alive bool, err error) {
	if _, _, running := l.o.Store.Signals.Running(id); running || l.lifetime.closing.Err() != nil {
		return true, nil // while the engine is being closed, the next one heals
	}
	lease, err := l.o.Store.Acquire(ctx, id)
	switch {
	case errors.Is(err, session.ErrBusy):
		return true, nil
	case fault.Is(err, fault.SessionReadOnly):
		return false, nil
	case err != nil:
		return false, err
	}
	p, err := l.suspended(ctx, lease)
	switch {
	case err != nil:
		return false, errors.Join(err, lease.Release())
	case p == nil:
		// Nothing runs here, so nobody waits for an answer: not even to the question
		// of a turn of which a power cut left nothing else.
		return false, errors.Join(l.records.settle(ctx, lease), l.records.withdrawQuestions(ctx, lease, ""), lease.Release())
	case !l.stays.Load():
		return true, l.leaveWaiting(lease, p)
	}
	_, err = l.resume(lease, p)
	return true, err
}

// settleDead puts on record how a turn ended whose process died, for those who ask
// what it did. One that waits for a decision is left to a process that takes it
// up, and a session that somebody works in, or nobody may, as it is. A turn that has
// said how it ended has given the session back before.
func (l *Local) settleDead(ctx context.Context, id string) error {
	if !l.o.Store.Signals.Died(id) && !l.Files.Left(ctx, id) {
		return nil
	}
	lease, err := l.leases.acquireFree(ctx, id)
	if errors.Is(err, session.ErrBusy) || fault.Is(err, fault.SessionReadOnly) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := l.suspendedTurns.find(ctx, lease)
	if err == nil && p == nil {
		err = l.records.settle(ctx, lease)
	}
	return errors.Join(err, l.leaveWaiting(lease, p))
}

// RecoverFiles settles the changes of files that dead processes left half done, in
// all projects, and puts them on the record of their sessions. A project that is
// gone is left out, and a session that somebody works in does it by itself.
func (l *Local) RecoverFiles(ctx context.Context) error {
	pending, err := l.o.Journal.Pending(ctx)
	if err != nil || len(pending) == 0 {
		return err
	}
	var errs []error
	done := map[string]bool{}
	for _, p := range pending {
		if !done[p.Project] {
			done[p.Project] = true
			errs = append(errs, l.Files.FinishProject(ctx, p.Project))
		}
	}
	for _, p := range pending {
		if id := p.Owner.Session; id != "" && !done[id] {
			done[id] = true
			if err := l.settleDead(ctx, id); !fault.Is(err, fault.SessionNotFound) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
