package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

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

type inherited struct {
	entries []declared.Entry
	scope   declared.Scope
}

// within reports whether another task holds the one at p.
func (p place) within() bool { return strings.Contains(p.key, "/") }

// below is the place of a task within another.
func (p place) below(t *definition.Task, parts ...string) place {
	in := p.inherited[:len(p.inherited):len(p.inherited)]
	if len(t.Attachments) > 0 {
		in = append(in, inherited{t.Attachments, declared.Scope("task " + t.ID)})
	}
	return place{key: strings.Join(append([]string{p.key}, parts...), "/"), inherited: in, many: p.many}
}

// task does one task, or takes it from the record where that has its end. The
// task's own failure is in its record; the error is one that ends the run.
func (x *execution) task(ctx context.Context, t *definition.Task, p place, s scope, handed map[string]any) (*Task, any, error) {
	rec := x.beginning(t, p, s)
	if rec.ended() && x.corrected {
		if kept := x.recheck(ctx, t, p, s, handed, rec); kept {
			return rec, nil, x.reshaped(t, s, rec)
		}
	}
	if rec.ended() {
		children, err := x.children(t, rec)
		return rec, children, err
	}
	if t.Kind == definition.Basic || t.Kind == definition.Tool {
		// Before anything of it is held open, and before its time runs.
		seat, err := x.r.take(ctx)
		if err != nil {
			return nil, nil, err // it has not begun
		}
		defer seat.leave()
		x.works(1)
		defer x.works(-1)
		ctx = withSeat(ctx, seat)
		if len(rec.Attempts) == 0 {
			rec.StartedAt = x.now()
		}
	}
	children, err := x.try(ctx, t, p, s, handed, rec)
	if err == nil {
		if rec.Answer = nil; t.Outputs != nil {
			rec.Answer = rec.Output
		}
		err = x.reshape(t, rec, s, children)
	}
	if cause := stopped(ctx); err != nil && cause != nil {
		return nil, nil, x.abandon(rec, cause)
	}
	if fault.Is(err, fault.StorageFailure) {
		return nil, nil, err // what cannot be recorded must not go on
	}
	rec.Status = Success
	if err != nil {
		rec.Status, rec.Error = Failed, failureOf(err)
	}
	return rec, children, x.conclude(rec)
}

// stopped is why the task is not wanted any more, nil while it is.
func stopped(ctx context.Context) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errInterrupted), errors.Is(cause, errCancelled), errors.Is(cause, errLost), errors.Is(cause, errOther):
		return cause
	}
	return nil
}

// beginning is the task's record: that from before, or a new one.
func (x *execution) beginning(t *definition.Task, p place, s scope) *Task {
	x.mu.Lock()
	defer x.mu.Unlock()
	if rec := x.before[p.key]; rec != nil {
		rec.many = p.many
		if rec.Input == nil && p.within() {
			rec.Input = s.input
		}
		if !rec.ended() {
			rec.Status, rec.Error, rec.EndedAt = Running, nil, nil
		}
		return rec
	}
	if p.order == 0 {
		x.order++
		p.order = x.order
	}
	rec := &Task{Key: p.key, ID: t.ID, Kind: t.Kind, Order: p.order, Status: Running, StartedAt: x.now(), many: p.many}
	if s.in {
		rec.Index, rec.Item = &s.index, s.item
	}
	if t.Agent != nil {
		rec.Agent = t.Agent.ID
	}
	if t.Action != nil {
		rec.Action = t.Action.ID
	}
	return rec
}

func (x *execution) now() time.Time { return x.r.o.Clock().UTC() }

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
	given, err := x.given(t, s, handed)
	if err != nil {
		return nil, invalid("what the task "+t.ID+" is given cannot be evaluated", problemOf(x.w.name, err))
	}
	rec.inherits = p.within() && !given.own
	s, rec.Input = given, given.input
	if done := x.answered(ctx, t, p, s, rec); done {
		return nil, x.announce(rec, 0)
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
	if err := x.announce(rec, 0); err != nil {
		return err
	}
	value, route, err := x.choose(t, s)
	if err != nil {
		return err
	}
	rec.Route = route
	rec.Output = map[string]any{"condition": value, "route_taken": route, "router_type": "conditional"}
	return nil
}

// choose evaluates a router's condition to the task that follows.
func (x *execution) choose(t *definition.Task, s scope) (value, route string, err error) {
	value, err = t.Condition.Route(x.values(s))
	if err != nil {
		return "", "", fault.New(fault.TaskFailed, "the router %s: %v", t.ID, err)
	}
	var known []string
	for _, r := range t.Routes {
		if r.Value == value {
			route = r.Task
		}
		known = append(known, r.Value)
	}
	if route == "" {
		route = t.Default
	}
	if route == "" {
		return "", "", fault.New(fault.TaskFailed, "the router %s has no route for %.200q and no default; its routes are %s", t.ID, value, strings.Join(known, ", ")).
			WithHint("add the route, or default: with the task for all others")
	}
	return value, route, nil
}

// reshape makes the task's output of its outputs, where it has some.
func (x *execution) reshape(t *definition.Task, rec *Task, s scope, children any) error {
	if rec.Input != nil {
		s.input, _ = rec.Input.(map[string]any)
	}
	output, err := plain(rec.Output)
	if err != nil {
		return err
	}
	rec.Output = output
	if t.Outputs == nil {
		return nil
	}
	s = s.after(&Task{ID: t.ID, Input: rec.Input, Output: rec.Output, Status: Success}, children)
	values := x.values(s)
	values["output"] = rec.Output
	fields, err := t.Outputs.Fields(values)
	if err != nil {
		return invalid("the outputs of the task "+t.ID+" cannot be evaluated", problemOf(x.w.name, err))
	}
	rec.Output, err = plainMap(fields)
	return err
}

// announce records that the task has begun, and tells.
func (x *execution) announce(rec *Task, of int) error {
	if err := x.keep(rec); err != nil {
		return err
	}
	return x.journal.add(TaskStart, rec.Key, TaskBegun{
		ID: rec.ID, Kind: rec.Kind, Agent: rec.Agent, Action: rec.Action, Model: rec.Model, Index: rec.Index, Of: of,
	})
}

// keep writes a task's record. That of a task in a large collection is on disk when the
// task has ended: one that had not is done again.
func (x *execution) keep(rec *Task) error {
	if !rec.many {
		return x.folder.writeTask(rec)
	}
	written := *rec
	if rec.inherits {
		written.Input = nil
	}
	return x.members.put(x.ctx, x.folder, &written, rec.Status != Running)
}

// conclude records the task's end, and tells.
func (x *execution) conclude(rec *Task) error {
	now := x.now()
	rec.EndedAt = &now
	if err := x.keep(rec); err != nil {
		return err
	}
	d := TaskEnded{Status: rec.Status, Route: rec.Route, Error: rec.Error}
	for _, a := range rec.Attachments {
		if a.Refused != "" {
			d.Refused++
		}
	}
	if u := rec.Usage; u != nil {
		d.Tokens, d.CostUSD = u.InputTokens+u.OutputTokens, u.CostUSD
		x.mu.Lock()
		x.record.Usage = sum(x.record.Usage, u)
		x.mu.Unlock()
	}
	if d.Calls = rec.Calls; d.Calls != nil {
		x.mu.Lock()
		x.record.Calls = x.record.Calls.Plus(d.Calls)
		x.mu.Unlock()
	}
	return x.journal.add(TaskEnd, rec.Key, d)
}

// abandon records that the task was stopped, and returns why.
func (x *execution) abandon(rec *Task, cause error) error {
	rec.Status = Interrupted
	if !errors.Is(cause, errInterrupted) {
		rec.Status = Cancelled
	}
	if err := x.conclude(rec); err != nil {
		return err
	}
	return cause
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
