package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// place is where a task stands in the run.
type place struct {
	key string
	// order is the task's in the order of beginning, 0 where nobody has said it.
	order int
	// inherited are the attachments of the tasks that hold this one.
	inherited []inherited
	// many says that the task is in a large collection.
	many bool
}

// inherited is a list of attachments, and whose it is.
type inherited struct {
	entries []declared.Entry
	scope   declared.Scope
	at      *authored.Node
	path    string
}

// within reports whether another task holds the one at p.
func (p place) within() bool { return strings.Contains(p.key, "/") }

// below is the place of a task within another.
func (p place) below(t *definition.Task, parts ...string) place {
	in := p.inherited[:len(p.inherited):len(p.inherited)]
	if len(t.Attachments) > 0 {
		in = append(in, attachedBy(t))
	}
	return place{key: strings.Join(append([]string{p.key}, parts...), "/"), inherited: in, many: p.many}
}

// task does one task, or takes it from the record where that has its end. The
// task's own failure is in its record; the error is one that ends the run.
func (x *execution) task(ctx context.Context, t *definition.Task, p place, s scope, handed map[string]any) (*Task, any, error) {
	rec := x.records.beginning(t, p, s)
	if rec.ended() && x.corrected {
		if kept := x.reuse().recheck(ctx, t, p, s, handed, rec); kept {
			return rec, nil, x.reuse().reshaped(t, s, handed, rec)
		}
	}
	if rec.ended() {
		return rec, x.reuse().children(t, p, s, handed, rec), nil
	}
	if t.Kind == definition.Basic || t.Kind == definition.Tool {
		// Before anything of it is held open, and before its time runs.
		seat, err := x.r.take(ctx)
		if err != nil {
			return nil, nil, err // it has not begun
		}
		defer seat.leave()
		x.count(0, 1)
		defer x.count(0, -1)
		ctx = withSeat(ctx, seat)
		if len(rec.Attempts) == 0 {
			rec.StartedAt, rec.PausedMs, rec.ResumedAt = x.records.now(), 0, nil
		}
	}
	children, err := x.try(ctx, t, p, s, handed, rec)
	if holds(t) {
		x.records.release(rec.Key)
	}
	if err == nil {
		if rec.Answer = nil; t.Outputs != nil {
			rec.Answer = rec.Output
		}
		err = x.eval.reshape(t, rec, s, handed, children)
	}
	if cause := stopped(ctx); err != nil && cause != nil {
		return nil, nil, x.records.abandon(rec, cause)
	}
	if fault.Is(err, fault.StorageFailure) {
		return nil, nil, err // what cannot be recorded must not go on
	}
	rec.Status = Success
	if err != nil {
		rec.Status, rec.Error = Failed, failureOf(err)
	}
	if e := x.records.conclude(rec); e != nil {
		return nil, nil, e
	}
	if isUnattended(err) {
		return nil, nil, rec.Error.of(rec.Key) // nobody was asked, so no branch is taken
	}
	return rec, children, nil
}

// stopped is why the task is not wanted any more, nil while it is.
func stopped(ctx context.Context) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errInterrupted), errors.Is(cause, errCancelled), errors.Is(cause, errLost), errors.Is(cause, errOther),
		errors.Is(cause, errRunEnds):
		return cause
	}
	return nil
}

// try does the task's work. A panic in it is the task's failure.
func (x *execution) try(ctx context.Context, t *definition.Task, p place, s scope, handed map[string]any, rec *Task) (children any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the task "+t.ID+" crashed", v)
		}
	}()
	if t.Timeout > 0 {
		var stop context.CancelCauseFunc
		defer func() { // whatever noticed first that the time was up
			if cause := (*fault.Error)(nil); err != nil && ctx.Err() != nil && errors.As(context.Cause(ctx), &cause) {
				err = cause
			}
		}()
		ctx, stop = context.WithCancelCause(ctx)
		defer stop(nil)
		limit := turn.NewTimeLimit(t.Timeout, func() {
			stop(fault.New(fault.TaskTimeout, "the task %s reached its time limit of %v (timeout)", t.ID, authored.LengthText(t.Timeout)))
		})
		defer limit.Stop()
		ctx = withLimit(ctx, limit)
	}
	given, err := x.eval.given(t, s, handed)
	if err != nil {
		return nil, invalid("what the task "+t.ID+" is given cannot be evaluated", problemOf(x.w.name, err))
	}
	rec.inherits = p.within() && !given.own
	s, rec.Input = given, given.input
	if done := x.reuse().answered(ctx, t, p, s, rec); done {
		return nil, x.records.announce(rec, 0)
	}
	switch t.Kind {
	case definition.Router:
		err = x.route(t, s, rec)
	case definition.Parallel, definition.Collection:
		children, err = x.several(ctx, t, p, s, rec)
	case definition.Basic:
		err = x.basic(ctx, t, p, s, rec)
	case definition.Composite:
		children, err = x.sequence(ctx, t, p, s, rec)
	case definition.Repeat:
		children, err = x.repeat(ctx, t, p, s, rec)
	case definition.Tool:
		err = x.direct(ctx, t, s, rec)
	case definition.Wait:
		err = x.waitTask(ctx, t, s, rec)
	}
	return children, err
}

// route chooses what follows a router.
func (x *execution) route(t *definition.Task, s scope, rec *Task) error {
	if err := x.records.announce(rec, 0); err != nil {
		return err
	}
	value, route, err := x.eval.choose(t, s)
	if err != nil {
		return err
	}
	rec.Route = route
	rec.Output = map[string]any{"condition": value, "route_taken": route, "router_type": "conditional"}
	return nil
}

func sum(a, b *event.Tokens) *event.Tokens {
	if b == nil {
		return a
	}
	s := *b
	if a == nil {
		return &s
	}
	s.InputTokens += a.InputTokens
	s.OutputTokens += a.OutputTokens
	s.CacheReadTokens += a.CacheReadTokens
	s.CacheWriteTokens += a.CacheWriteTokens
	if a.CostUSD != nil || b.CostUSD != nil {
		total := 0.0
		for _, c := range []*float64{a.CostUSD, b.CostUSD} {
			if c != nil {
				total += *c
			}
		}
		s.CostUSD = &total
	}
	return &s
}

func panicked(what string, v any) error {
	return fault.New(fault.TaskFailed, "%s; nothing else did", what).With("category", "PANIC").
		Because(fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
}
