package turn

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/trace"

	"belay/internal/crash"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn/changes"
	"belay/internal/turn/recovery"
)

// deadTurns are the turns whose processes died. One that waits for a person can be taken
// up; the end of any other is put on record.
type deadTurns struct {
	store    *session.Store
	tracer   trace.Tracer
	lifetime *lifetime
	leases   *leases
	files    *changes.Files
	records  *recovery.Records
	waiting  *recovery.SuspendedTurns
	maker    *turnMaker
}

// suspended finds the turn of the session that must not be ended, nil if there is none.
// A process that stays takes up every turn that waits for a person. Any other process
// leaves those whose question a person has answered. The caller holds the lease.
func (d *deadTurns) suspended(ctx context.Context, lease *session.Lease) (*recovery.SuspendedTurn, error) {
	p, err := d.waiting.Find(ctx, lease)
	if err != nil || p == nil || d.lifetime.stays.Load() || p.Answered() {
		return p, err
	}
	return nil, nil
}

// heal writes the end of a turn whose process died, so that nobody waits for a
// process:exit that will never come. It reports whether somebody is at work in
// the session instead, or the session is a copy that nobody works in.
func (d *deadTurns) heal(ctx context.Context, id string) (alive bool, err error) {
	if _, _, running := d.store.Signals.Running(id); running || d.lifetime.closing.Err() != nil {
		return true, nil // while the engine is being closed, the next one heals
	}
	lease, err := d.store.Acquire(ctx, id)
	switch {
	case errors.Is(err, session.ErrBusy):
		return true, nil
	case fault.Is(err, fault.SessionReadOnly):
		return false, nil
	case err != nil:
		return false, err
	}
	p, err := d.suspended(ctx, lease)
	switch {
	case err != nil:
		return false, errors.Join(err, lease.Release())
	case p == nil:
		// Nothing runs here, so nobody waits for an answer: not even to the question
		// of a turn of which a power cut left nothing else.
		return false, errors.Join(d.records.Settle(ctx, lease), d.records.WithdrawQuestions(ctx, lease, ""), lease.Release())
	case !d.lifetime.stays.Load():
		return true, leaveSuspended(lease, p)
	}
	_, err = d.resume(lease, p)
	return true, err
}

// end ends a turn that waits for a person, or whose answer is not carried out yet, and that no
// process runs: a person gives it up. It reports whether there was one: turnID, or any where
// that is "".
func (d *deadTurns) end(ctx context.Context, id, turnID string) (ended bool, err error) {
	if d.lifetime.closing.Err() != nil {
		return false, nil // what this process leaves is the next one's
	}
	lease, err := d.leases.acquireFree(ctx, id)
	switch {
	case errors.Is(err, session.ErrBusy): // another process has taken it up meanwhile
		return true, d.store.Signals.RequestInterrupt(id, turnID)
	case fault.Is(err, fault.SessionReadOnly), fault.Is(err, fault.SessionNotFound):
		return false, nil // who asks learns that no turn runs
	case err != nil:
		return false, err
	}
	p, err := d.waiting.Find(ctx, lease)
	if err != nil || p == nil || turnID != "" && turnID != p.Begun.Turn {
		return false, errors.Join(err, leaveSuspended(lease, p))
	}
	return true, errors.Join(d.records.Interrupt(ctx, lease), lease.Release())
}

// settle puts on record how a turn ended whose process died, for those who ask
// what it did. One that waits for a decision is left to a process that takes it
// up, and a session that somebody works in, or nobody may, as it is. A turn that has
// said how it ended has given the session back before.
func (d *deadTurns) settle(ctx context.Context, id string) error {
	if !d.store.Signals.Died(id) && !d.files.Left(ctx, id) {
		return nil
	}
	lease, err := d.leases.acquireFree(ctx, id)
	if errors.Is(err, session.ErrBusy) || fault.Is(err, fault.SessionReadOnly) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := d.waiting.Find(ctx, lease)
	if err == nil && p == nil {
		err = d.records.Settle(ctx, lease)
	}
	return errors.Join(err, leaveSuspended(lease, p))
}

// maxHealed is how many sessions are read at a time.
const maxHealed = 16

// resumeAll takes up the turns of these sessions and settles the others, some at a time: one
// whose tool comes late, perhaps after a minute, holds up no other.
func (d *deadTurns) resumeAll(ctx context.Context, sessionIDs []string) error {
	errs := make([]error, len(sessionIDs))
	var all crash.Group
	places := make(chan struct{}, maxHealed)
	for i, id := range sessionIDs {
		places <- struct{}{}
		if err := ctx.Err(); err != nil {
			errs[i] = err
			break
		}
		all.Go(func() {
			defer func() { <-places }()
			if _, err := d.heal(ctx, id); err != nil && !fault.Is(err, fault.SessionNotFound) {
				errs[i] = fmt.Errorf("session %s: %w", id, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// recoverFiles settles the changes of files that dead processes left half done, in
// all projects, and puts them on the record of their sessions. A project that is
// gone is left out, and a session that somebody works in does it by itself.
func (d *deadTurns) recoverFiles(ctx context.Context) error {
	pending, err := d.files.Journal.Pending(ctx)
	if err != nil || len(pending) == 0 {
		return err
	}
	var errs []error
	done := map[string]bool{}
	for _, p := range pending {
		if !done[p.Project] {
			done[p.Project] = true
			errs = append(errs, d.files.FinishProject(ctx, p.Project))
		}
	}
	for _, p := range pending {
		if id := p.Owner.Session; id != "" && !done[id] {
			done[id] = true
			if err := d.settle(ctx, id); !fault.Is(err, fault.SessionNotFound) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
