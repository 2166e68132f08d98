package worker

import (
	"context"
	"math"

	"belay/internal/bus"
	"belay/internal/bus/contract"
	"belay/internal/fault"
)

// lastPlace is that of an end which no event of the log says.
var lastPlace = bus.Place{Event: math.MaxInt64}

// envelope is that of messages about the request.
func (j *job) envelope(id string) contract.Envelope {
	return contract.Envelope{ID: id, Request: j.key.request, Session: j.key.session, Client: j.client}
}

// report publishes where the request stands.
func (j *job) report(ctx context.Context, l contract.LifecycleChanged) {
	l.Time = j.w.o.Clock().UTC()
	if l.TurnID == "" {
		l.TurnID = j.turnID()
	}
	if err := j.w.publish(ctx, j.envelope("lifecycle:"+j.key.session+":"+j.key.request+":"+string(l.State)), &l); err != nil && ctx.Err() == nil {
		j.log().Error("bus: the state of a request is not published", "error", err)
	}
}

// end publishes the end of a request without, or in place of, that of a turn. An output
// that has its end keeps it, and that is the state which people learn.
func (j *job) end(ctx context.Context, state contract.State, why *contract.Failure) {
	out := bus.NewOutbox(j.w.o.Bus, j.envelope(""))
	err := j.w.persist(ctx, func() error {
		if err := out.Publish(ctx, lastPlace, &contract.ResponseText{State: state, Error: why}); err != nil {
			return err
		}
		last, err := out.Ended(ctx)
		if last != nil {
			state, why = last.State, last.Error
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		j.log().Error("bus: the end of a request is not published", "error", err)
	}
	j.report(ctx, contract.LifecycleChanged{State: state, Error: why})
}

// fail ends the request with the reason. What might have passed and did not is a
// dead letter as well. Where the server is about to stop, the next one tries again.
func (j *job) fail(ctx context.Context, err error) {
	if !permanent(err) && j.w.isDraining() {
		j.leave()
		return
	}
	j.end(ctx, contract.StateFailed, contract.FailureOf(err))
	if permanent(err) {
		j.finish(ctx)
		return
	}
	j.log().Error("bus: a request failed", "error", err)
	if ctx.Err() == nil {
		j.held().Bury(ctx, fault.From(err))
	}
	j.w.forget(j)
}

// overError says that a request ended before it began a turn. No transcript has such an
// end: last is all that is on record of it.
type overError struct{ last *contract.ResponseText }

// Error implements error.
func (e *overError) Error() string { return "the request has ended: " + string(e.last.State) }

// ended is the end of the request's output, nil while it has none.
func (j *job) ended(ctx context.Context) (last *contract.ResponseText, err error) {
	out := bus.NewOutbox(j.w.o.Bus, j.envelope(""))
	err = j.w.persist(ctx, func() (err error) {
		last, err = out.Ended(ctx)
		return err
	})
	return last, err
}

// again settles a request that came again after its end, as it was to be settled then.
func (j *job) again(ctx context.Context, last *contract.ResponseText) {
	if last.Error != nil {
		j.fail(ctx, last.Error.Fault())
		return
	}
	j.end(ctx, last.State, nil)
	j.finish(ctx)
}

// cancelled ends a request that somebody interrupted before it began.
func (j *job) cancelled(ctx context.Context) {
	j.end(ctx, contract.StateCancelled, nil)
	j.finish(ctx)
}

// finish takes the request off the bus. Where that fails, or the process ends
// before, it comes again, and all of it is found done.
func (j *job) finish(ctx context.Context) {
	if ctx.Err() == nil {
		if err := j.held().Done(ctx); err != nil && ctx.Err() == nil {
			j.log().Warn("bus: a request is not acknowledged; it comes again", "error", err)
		}
		j.w.o.step("acknowledged")
	}
	j.w.forget(j)
}

// leave gives the request to the next worker.
func (j *job) leave() {
	j.w.mu.Lock()
	defer j.w.mu.Unlock()
	j.w.release(j)
}

// permanent reports whether err would be the same at the next attempt: the request
// itself is wrong, or what it is about is not there.
func permanent(err error) bool {
	switch f := fault.From(err); {
	case f == nil:
		return false
	case f.Type == fault.TurnInProgress, f.Type == fault.Overloaded, f.Type == fault.StorageFailure, f.Type == fault.SDKFailure:
		return false
	default:
		return true
	}
}
