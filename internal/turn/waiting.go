package turn

import (
	"context"
	"errors"
	"time"

	"belay/internal/permit"
	"belay/internal/tool"
)

// ErrLeft ends the work on a turn that waits for a person when its server stops, and
// the streams that follow it. It is no end of the turn: the next server takes it up.
var ErrLeft = errors.New("the turn is left to the next server")

// OnQuestion values of [Opts]. Without one nobody is known to attend the turn, and
// its questions have a limit ([Limits.Unattended]).
const (
	// OnQuestionWait lets a question wait until somebody answers.
	OnQuestionWait = "wait"
	// OnQuestionRefuse refuses each call that would have to be asked about.
	OnQuestionRefuse = "refuse"
)

// unasked is what the model gets for a call of a turn that asks nobody.
func unasked(reason string) tool.Result {
	return tool.Refuse("not permitted: %s, and this turn asks nobody", reason).
		WithHint(`go on without it, or say what should be allowed; a person permits it with --allow or --mode, or lets the turn wait for an answer with --wait or opts.onQuestion "wait"`).
		Result()
}

// until is when a question of the turn counts as not answered; zero is no limit
// beside the store's.
func (t *agentRun) until(asked time.Time) time.Time {
	limit := t.settings.rules.Limits.Unattended
	if t.settings.onQuestion == OnQuestionWait || limit <= 0 {
		return time.Time{}
	}
	return asked.Add(limit)
}

// answered waits for the answer to a question. It fails with ErrLeft where the turn is
// left to the next server.
func (t *agentRun) answered(pending *permit.Pending) (permit.Decision, error) {
	if !t.stays.Load() || t.workflow {
		return pending.Wait(t.ctx)
	}
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.closing, func() { cancel(ErrLeft) })()
	return pending.Wait(ctx)
}

// standStill stops the turn's own time while a call of it is asked about, and gives
// its place among the running turns to another one, until goOn is called. Then the
// turn takes a place at once, also where that is one more than there are: a turn
// that has begun is never held up by those that began while it waited.
func (t *agentRun) standStill() (goOn func()) {
	t.limit.Pause()
	t.leavePlace(1)
	return func() {
		t.leavePlace(-1)
		t.limit.Resume()
	}
}
