package turn

import (
	"errors"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/model"
)

// Tokens are estimated from bytes. Text that is denser than the estimate, such as
// tables of numbers, is noticed by what the provider counts, or by its refusal.
const (
	// denser is how much more caution one refusal teaches, densest the most.
	denser  = 1.25
	densest = 2.5
)

// density is how many tokens the provider counts for one that we estimate.
func (t *running) density() float64 { return max(t.dense, 1) }

// counted is what the provider is likely to count of the next call's input.
func (t *running) counted() int64 { return int64(float64(t.inputTokens) * t.density()) }

// learn compares what the provider counted of a call's input with the estimate.
// Short input proves nothing, and neither does more than the context holds.
func (t *running) learn(u model.Usage) {
	real := u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens
	if most := t.limits.ContextTokens; real < most/4 || real > most {
		return
	}
	t.dense = min(max(t.dense, float64(real)/float64(t.inputTokens)), densest)
}

// consult calls the model within the turn's allowance; without one there is no
// answer. A request that the provider finds too long, although it was thought to
// fit, is planned with more caution and sent again.
func (t *running) consult(r *model.Request) (*answer, allowance, error) {
	for {
		most := t.allowance()
		if most.tokens <= 0 {
			return nil, most, nil
		}
		r.MaxTokens = most.tokens
		a, err := t.call(r)
		if err == nil {
			t.learn(a.usage)
			return a, most, nil
		}
		if t.dense = t.density() * denser; t.dense > densest || !tooLong(err) {
			return nil, most, err
		}
		if err := t.arrange(); err != nil {
			return nil, most, err
		}
		r = t.compose()
	}
}

// tooLongWords are how services say that a request is over the model's context.
var tooLongWords = lazyregexp.New(`(?i)prompt is too long|exceeds? (the )?(model's )?(maximum )?context|maximum context length`)

func tooLong(err error) bool {
	if said := (*model.TooLongError)(nil); errors.As(err, &said) {
		return true
	}
	f := fault.From(err)
	return f != nil && f.Type == fault.SDKFailure && f.Status == 400 && tooLongWords.MatchString(f.Message)
}
