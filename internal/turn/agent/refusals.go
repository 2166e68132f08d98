package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/tool"
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

// note counts a call that was refused. One that was not permitted counts
// whatever came in between; one that the tool rejected counts while it is repeated
// in a row, because what was wrong with it may have changed since. A call that ran
// begins anew.
func (r *refusals) note(s *toolCall, inARow bool) {
	sum := sameCall(s)
	of := r.calls[sum]
	switch {
	case s.outcome == event.OutcomeRefused, s.outcome == event.OutcomeExpired:
	case s.rejected && inARow:
	case s.rejected:
		of = refusal{}
	default:
		delete(r.calls, sum)
		return
	}
	if of.answer == r.answer {
		return
	}
	of.times, of.answer = of.times+1, r.answer
	if r.calls == nil {
		r.calls = map[[sha256.Size]byte]refusal{}
	}
	r.calls[sum] = of
	if of.times >= refusalsMost {
		r.stuck = s.name
	}
}

// end is the end of an agent's work that repeats a refused call; text is what it
// said last.
func (r *refusals) end(text string) (Completion, bool) {
	why := fmt.Sprintf("the same call of %s was refused %d times, so the agent was stopped", r.stuck, refusalsMost)
	return Completion{Reason: string(model.StopRepeats), why: why, Text: text}, r.stuck != ""
}

// repeatsMost is how often one call may give one result in a row before it is
// refused: a model that turns in circles must learn so.
const repeatsMost = 6

// repeats notes the last call and how often it came in a row with one result.
type repeats struct {
	last  [sha256.Size]byte
	count int
}

func fingerprint(parts ...string) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	h.Sum(sum[:0])
	return sum
}

// sameCall identifies a call by its tool and its input, however that is laid out.
func sameCall(s *toolCall) [sha256.Size]byte {
	input := string(s.input)
	var b bytes.Buffer
	if json.Compact(&b, s.input) == nil {
		input = b.String()
	}
	return fingerprint(s.name, input)
}

// refusal counts a call, and is its refusal where that has been made too often.
func (r *repeats) refusal(s *toolCall) *tool.Refusal {
	sum := sameCall(s)
	if sum != r.last {
		*r = repeats{last: sum}
	}
	if r.count++; r.count <= repeatsMost {
		return nil
	}
	return tool.Refuse("this is the same call of %s for the %dth time in a row, and it was not made again", s.name, r.count).
		WithHint("do something else, or say what keeps you from going on")
}
