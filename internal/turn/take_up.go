package turn

import (
	"context"
	"errors"
	"fmt"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
)

// Stay says that this process is there for longer than one turn: from now on it
// takes up every turn that it comes across whose process died while a call waited
// for a person, and does not end it.
func (l *Local) Stay() { l.stays.Store(true) }

// Resume takes up the turns of these sessions, as [Local.Stay] says, and puts the
// end of others whose process died on record. A session that is not there, as on a
// disk that is not mounted, is left alone. The errors of all are joined.
func (l *Local) Resume(ctx context.Context, sessionIDs ...string) error {
	l.Stay()
	var errs []error
	for _, id := range sessionIDs {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(errs, err)...)
		}
		if _, err := l.heal(ctx, id); err != nil && !fault.Is(err, fault.SessionNotFound) {
			errs = append(errs, fmt.Errorf("session %s: %w", id, err))
		}
	}
	return errors.Join(errs...)
}

// Earlier is a turn whose process died at a question that a person has answered since.
type Earlier struct {
	// Stream begins where the turn stood.
	Stream
	// Answer is the person's.
	Answer permit.Decision
}

// TakeUp carries out the answer that a person gave after the process of a turn had
// died: that turn goes on in this process. It is nil where the session has no such
// turn. A process that runs single turns calls it before the next turn of a session;
// one that stays needs no call ([Local.Stay]).
func (l *Local) TakeUp(ctx context.Context, sessionID string) (*Earlier, error) {
	lease, err := l.leases.tryAcquire(ctx, sessionID)
	if errors.Is(err, session.ErrBusy) || fault.Is(err, fault.SessionReadOnly) {
		return nil, nil // the start of a turn says so
	} else if err != nil {
		return nil, err
	}
	p, err := l.suspendedTurns.find(ctx, lease)
	if err != nil || p == nil || !p.answered() {
		return nil, errors.Join(err, l.leaveWaiting(lease, p))
	}
	reader, err := l.o.Store.Reader(ctx, sessionID, lease.LastSeq())
	if err != nil {
		return nil, errors.Join(err, l.leaveWaiting(lease, p))
	}
	t, err := l.resume(lease, p)
	if err != nil {
		return nil, errors.Join(err, reader.Close())
	}
	s := l.stream(sessionID, t.id, reader)
	s.own = t
	return &Earlier{s, p.answer}, nil
}

// acquireIdle is acquire of a session in which no turn waits for a person. A process
// that stays takes such a turn up first. Another process must not end a turn whose
// question is answered: the start fails.
func (l *Local) acquireIdle(ctx context.Context, id, onBusy string) (*session.Lease, error) {
	for {
		lease, err := l.leases.acquire(ctx, id, onBusy)
		if err != nil {
			return nil, err
		}
		p, err := l.suspended(ctx, lease)
		switch {
		case err != nil:
			return nil, errors.Join(err, lease.Release())
		case p == nil:
			return lease, nil
		case !l.stays.Load():
			return nil, errors.Join(l.leaveWaiting(lease, p), notCarriedOut(id, p.answer))
		}
		if _, err := l.resume(lease, p); err != nil {
			return nil, err
		}
		if onBusy != onBusyQueue {
			return nil, session.Busy(id).With("turn", p.begun.Turn).
				WithHint("its process had ended while a call waited for a decision, and it goes on now: send again when it has ended")
		}
	}
}

// leaveWaiting gives a session back as it was found: with p, its turn is still one
// that a process can take up.
func (l *Local) leaveWaiting(lease *session.Lease, p *suspendedTurn) error {
	if p == nil {
		return lease.Release()
	}
	return errors.Join(lease.Begin(p.begun.Turn), lease.Leave())
}

// notCarriedOut refuses what would end a turn whose question a person has answered.
func notCarriedOut(sessionID string, d permit.Decision) *fault.Error {
	return fault.New(fault.TurnInProgress, "the answer to %s (%s by %s) is not carried out yet: the process of its turn has ended", d.DecisionID, d.Verdict, d.By).
		With("sessionId", sessionID).With("decisionId", d.DecisionID).
		WithHint("belay turn --session %s carries it out before it sends a message, and belay serve at its start", sessionID)
}

// suspended finds the turn of the session that must not be ended, nil if there is none.
// A process that stays takes up every turn that waits for a person. Any other process
// leaves those whose question a person has answered. The caller holds the lease.
func (l *Local) suspended(ctx context.Context, lease *session.Lease) (*suspendedTurn, error) {
	p, err := l.suspendedTurns.find(ctx, lease)
	if err != nil || p == nil || l.stays.Load() || p.answered() {
		return p, err
	}
	return nil, nil
}
