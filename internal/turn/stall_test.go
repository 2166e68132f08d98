package turn

import (
	"context"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/turn/ending"
)

// A provider that hangs behind keep-alives does not hold the turn.
func TestKeepAlivesAloneEndTheTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Rules.Limits.Stall = 20 * time.Millisecond })
	r.provider.play = func(ctx context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		for model.Sleep(ctx, time.Millisecond) == nil {
			if !yield(model.Alive{}, nil) {
				return
			}
		}
		yield(nil, ctx.Err())
	}
	events := r.say(r.session(), "go")
	exit := exitOf(t, events)
	if exit.ExitCode != ending.Failed || exit.ErrorType != string(fault.SDKFailure) || exit.Status != 504 || exit.ErrorDetails["category"] != "REQUEST_TIMEOUT" {
		t.Errorf("exit %+v", exit)
	}
	payload[event.Failure](t, events, event.TurnError)
}
