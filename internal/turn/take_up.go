package turn

import (
	"context"
	"encoding/json"
	"errors"

	"go.opentelemetry.io/otel/attribute"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/telemetry"
	"belay/internal/turn/recovery"
)

// answered takes the lease of a session whose turn a person has answered since its
// process died. Without such a turn both are nil.
func (d *deadTurns) answered(ctx context.Context, sessionID string) (*session.Lease, *recovery.SuspendedTurn, error) {
	lease, err := d.leases.tryAcquire(ctx, sessionID)
	if errors.Is(err, session.ErrBusy) || fault.Is(err, fault.SessionReadOnly) {
		return nil, nil, nil // the start of a turn says so
	} else if err != nil {
		return nil, nil, err
	}
	p, err := d.waiting.Find(ctx, lease)
	if err != nil || p == nil || !p.Answered() {
		return nil, nil, errors.Join(err, leaveSuspended(lease, p))
	}
	return lease, p, nil
}

// resume takes a suspended turn up in this process. The lease goes with it.
func (d *deadTurns) resume(lease *session.Lease, p *recovery.SuspendedTurn) (_ *turn, err error) {
	if err := d.lifetime.enter(); err != nil {
		return nil, errors.Join(err, leaveSuspended(lease, p))
	}
	ctx, span := telemetry.Begin(d.lifetime.ctx, d.tracer, "turn", attribute.String("belay.session.id", lease.Record().SessionID), attribute.Bool("belay.resumed", true))
	t := d.maker.newTurn(ctx, lease, Request{SessionID: lease.Record().SessionID, Message: p.Begun.Message, Destination: p.Begun.Destination}, p.Begun.Turn)
	t.suspended = p
	began := false
	defer func() {
		if !began {
			telemetry.End(span, err)
			err = errors.Join(err, leaveSuspended(lease, p))
			t.retire()
			d.lifetime.leave()
		}
	}()
	if len(p.Begun.Options) > 0 {
		if err := json.Unmarshal(p.Begun.Options, &t.req.Opts); err != nil {
			return nil, err
		}
	}
	if err := t.register(); err != nil {
		return nil, err
	}
	if err := d.maker.settleOptions(t.Context, t); err != nil {
		return nil, givenUp(t.SessionID, err)
	}
	if err := d.maker.warnOfUndos(t); err != nil {
		return nil, err
	}
	t.main.Files, t.main.Links, t.main.Refused = p.Begun.Attachments, p.Begun.Links, p.Begun.Warning
	if err := t.main.Compose(lease.Record().ProjectRoot); err != nil {
		return nil, givenUp(t.SessionID, err)
	}
	*t.Spent = p.Spent()
	began = true
	t.running.takenUp.Add(1)
	t.began = t.Clock()
	go func() {
		defer d.lifetime.leave()
		defer t.report(nil)
		t.run()
	}()
	return t, nil
}

// acquireIdle is acquire of a session in which no turn waits for a person. A process
// that stays takes such a turn up first. Another process must not end a turn whose
// question is answered: the start fails.
func (d *deadTurns) acquireIdle(ctx context.Context, id, onBusy string) (*session.Lease, error) {
	for {
		lease, err := d.leases.acquire(ctx, id, onBusy)
		if err != nil {
			return nil, err
		}
		p, err := d.suspended(ctx, lease)
		switch {
		case err != nil:
			return nil, errors.Join(err, lease.Release())
		case p == nil:
			return lease, nil
		case !d.lifetime.stays.Load():
			return nil, errors.Join(leaveSuspended(lease, p), notCarriedOut(id, p.Answer))
		}
		if _, err := d.resume(lease, p); err != nil {
			return nil, err
		}
		if onBusy != onBusyQueue {
			return nil, session.Busy(id).With("turn", p.Begun.Turn).
				WithHint("its process had ended while a call waited for a decision, and it goes on now: send again when it has ended")
		}
	}
}

// acquireWhole takes the lease of a session whose record is whole. It fails with
// TURN_IN_PROGRESS where a turn runs or waits for a person: what is no message must not
// answer a question in passing.
func (d *deadTurns) acquireWhole(ctx context.Context, id string) (*session.Lease, error) {
	lease, err := d.leases.acquireFree(ctx, id)
	if errors.Is(err, session.ErrBusy) {
		return nil, d.leases.busyFor(id)
	}
	if err != nil {
		return nil, err
	}
	p, err := d.waiting.Find(ctx, lease)
	switch {
	case err != nil:
	case p != nil && p.Answered():
		err = notCarriedOut(id, p.Answer)
	case p != nil:
		err = session.Busy(id).
			WithHint("its process died while a call waited for a decision: answer that, or interrupt the turn")
	default:
		if err = d.records.Settle(ctx, lease); err == nil {
			return lease, nil
		}
	}
	return nil, errors.Join(err, leaveSuspended(lease, p))
}

// mayEnd reports whether a session holds no answer that is still to be carried out. What cannot
// be read holds none.
func (d *deadTurns) mayEnd(ctx context.Context, id string) error {
	lease, err := d.leases.acquireFree(ctx, id)
	if err != nil {
		return nil // who deletes the session says why it cannot be used
	}
	p, _ := d.waiting.Find(ctx, lease)
	left := leaveSuspended(lease, p)
	if p != nil && p.Answered() {
		return errors.Join(notCarriedOut(id, p.Answer), left)
	}
	return nil // a full disk, on which nothing can be noted, hinders no deletion
}

// leaveSuspended gives a session back as it was found: with p, its turn is still one
// that a process can take up.
func leaveSuspended(lease *session.Lease, p *recovery.SuspendedTurn) error {
	if p == nil {
		return lease.Release()
	}
	return errors.Join(lease.Begin(p.Begun.Turn), lease.Leave())
}

// givenUp is why a suspended turn cannot go on, with the way out where nobody can correct that.
func givenUp(sessionID string, err error) error {
	f := fault.From(err)
	return f.WithHint("%s; the turn that waits can be given up with belay session interrupt %s", f.NextStep(), sessionID)
}

// notCarriedOut refuses what would end a turn whose question a person has answered.
func notCarriedOut(sessionID string, d permit.Decision) *fault.Error {
	return fault.New(fault.TurnInProgress, "the answer to %s (%s by %s) is not carried out yet: the process of its turn has ended", d.DecisionID, d.Verdict, d.By).
		With("sessionId", sessionID).With("decisionId", d.DecisionID).
		WithHint("belay turn --session %s \"go on\" carries it out before it sends the message, and belay serve at its start; belay session interrupt %s gives it up", sessionID, sessionID)
}
