package turn

import (
	"time"

	"belay/internal/tool"
)

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
// beside the desk's.
func (t *running) until(asked time.Time) time.Time {
	limit := t.settings.rules.Limits.Unattended
	if t.settings.onQuestion == OnQuestionWait || limit <= 0 {
		return time.Time{}
	}
	return asked.Add(limit)
}

// standStill stops the turn's own time while a call of it is asked about, and gives
// its place among the running turns to another one, until goOn is called. Then the
// turn takes a place at once, also where that is one more than there are: a turn
// that has begun is never held up by those that began while it waited.
func (t *running) standStill() (goOn func()) {
	limit := t.top().limit
	limit.Pause()
	t.l.leavePlace(1)
	return func() {
		t.l.leavePlace(-1)
		limit.Resume()
	}
}

// leavePlace counts the turns that wait for a person: n more of them.
func (l *Local) leavePlace(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking += n
}
