package run

import (
	"context"
	"time"

	"belay/internal/turn"
)

// seat is a task's place among those at work.
type seat struct {
	places chan struct{}
	held   bool
}

// leave gives the place to another task.
func (s *seat) leave() {
	if s.held {
		<-s.places
		s.held = false
	}
}

// comeBack takes a place again if one is free, and goes on without one if not: a
// task that has begun is not held up by those that began while it waited.
func (s *seat) comeBack() {
	select {
	case s.places <- struct{}{}:
		s.held = true
	default:
	}
}

// pauses is what stands still while a call of a task waits for a person: the time
// limits of the task and of those that hold it, and the task's place.
type pauses struct {
	limits []*turn.TimeLimit
	seat   *seat
}

type pausesKey struct{}

// pausesOf is what a task of ctx stands under.
func pausesOf(ctx context.Context) pauses {
	p, _ := ctx.Value(pausesKey{}).(pauses)
	return p
}

// withLimit is ctx with one more time limit.
func withLimit(ctx context.Context, l *turn.TimeLimit) context.Context {
	p := pausesOf(ctx)
	p.limits = append(p.limits[:len(p.limits):len(p.limits)], l)
	return context.WithValue(ctx, pausesKey{}, p)
}

// withSeat is ctx with the task's place.
func withSeat(ctx context.Context, s *seat) context.Context {
	p := pausesOf(ctx)
	p.seat = s
	return context.WithValue(ctx, pausesKey{}, p)
}

func (p pauses) pause() {
	for _, l := range p.limits {
		l.Pause()
	}
	if p.seat != nil {
		p.seat.leave()
	}
}

func (p pauses) resume() {
	if p.seat != nil {
		p.seat.comeBack()
	}
	for _, l := range p.limits {
		l.Resume()
	}
}

// rest gives the task's place to another task for a while, and then waits for one again. The
// time limits count the while, and not the wait.
func (p pauses) rest(ctx context.Context, while time.Duration) error {
	if p.seat != nil {
		p.seat.leave()
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(while):
	}
	if p.seat == nil {
		return nil
	}
	for _, l := range p.limits {
		l.Pause()
		defer l.Resume()
	}
	select {
	case p.seat.places <- struct{}{}:
		p.seat.held = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
