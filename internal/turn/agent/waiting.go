package agent

import (
	"context"
	"errors"
	"time"

	"belay/internal/permit"
	"belay/internal/tool"
)

// ErrSuspended ends the work on a turn that waits for a person when its server stops.
// It is no end of the turn: another process takes it up.
var ErrSuspended = errors.New("the turn waits for a person and is left to another process")

// unasked is what the model gets for a call of a turn that asks nobody.
func unasked(reason string) tool.Result {
	return tool.Refuse("not permitted: %s, and this turn asks nobody", reason).
		WithHint(`go on without it, or say what should be allowed; a person permits it with --allow or --mode, or lets the turn wait for an answer with --wait or opts.onQuestion "wait"`).
		Result()
}

// until is when a question of the turn counts as not answered; zero is no limit
// beside the store's.
func (a *Run) until(asked time.Time) time.Time {
	if a.Settings.Unattended <= 0 {
		return time.Time{}
	}
	return asked.Add(a.Settings.Unattended)
}

// answered waits for the answer to a question. It fails with [ErrSuspended] where the turn is
// left to the next server.
func (a *Run) answered(pending *permit.Pending) (permit.Decision, error) {
	if !a.Suspends() {
		return pending.Wait(a.Context)
	}
	ctx, cancel := context.WithCancelCause(a.Context)
	defer cancel(nil)
	defer context.AfterFunc(a.Closing, func() { cancel(ErrSuspended) })()
	return pending.Wait(ctx)
}
