package turn

import (
	"crypto/sha256"
	"fmt"

	"belay/internal/event"
	"belay/internal/model"
)

// refusalsMost is how often one call, the same tool with the same input, may be
// refused before the turn is ended: a model that does not take no for an answer
// would go on to the limit of model calls.
const refusalsMost = 3

// refusals counts the refusals of each call of one agent.
type refusals struct {
	// answer numbers the answers whose calls are taken. Calls of one answer count
	// once: the model learns of a refusal with its next answer.
	answer int
	calls  map[[sha256.Size]byte]refusal
	// stuck is the tool of the call that was refused too often, "" for none.
	stuck string
}

// refusal is how often a call was refused, and in which answer last.
type refusal struct{ times, answer int }

// noteRefusal counts a call that was refused. One that was not permitted counts
// whatever came in between; one that the tool rejected counts while it is repeated
// in a row, because what was wrong with it may have changed since. A call that ran
// begins anew.
func (t *agentRun) noteRefusal(s *toolCall) {
	sum := sameCall(s)
	r := t.refusals.calls[sum]
	switch {
	case s.outcome == event.OutcomeRefused, s.outcome == event.OutcomeExpired:
	case s.rejected && t.repeats.count > 1:
	case s.rejected:
		r = refusal{}
	default:
		delete(t.refusals.calls, sum)
		return
	}
	if r.answer == t.refusals.answer {
		return
	}
	r.times, r.answer = r.times+1, t.refusals.answer
	if t.refusals.calls == nil {
		t.refusals.calls = map[[sha256.Size]byte]refusal{}
	}
	t.refusals.calls[sum] = r
	if r.times >= refusalsMost {
		t.refusals.stuck = s.name
	}
}

// stuck is the end of an agent's work that repeats a refused call; text is what it
// said last.
func (t *agentRun) stuck(text string) (completion, bool) {
	why := fmt.Sprintf("the same call of %s was refused %d times, so the agent was stopped", t.refusals.stuck, refusalsMost)
	return completion{reason: string(model.StopRepeats), why: why, text: text}, t.refusals.stuck != ""
}
