package agent

import (
	"fmt"

	"belay/internal/model"
)

// Completion is how a model loop ended that did not fail: the stop reason, what
// there is to say about it beyond its name, and the last answer's text.
type Completion struct {
	Reason, why, Text string
	// ContextTokens is, after a compaction, about how many tokens the conversation has.
	ContextTokens int64
}

// unfinished is why a subagent did not finish, for its parent, whose turn goes on.
func (c Completion) unfinished() string {
	if c.why == "" && c.Reason == string(model.StopMaxTurns) {
		return "it has made as many model calls as it may (opts.maxTurns, turn.max_turns, or max_turns of its persona)"
	}
	return c.Warning()
}

// Warning says why the answer may be incomplete.
func (c Completion) Warning() string {
	if c.why != "" {
		return c.why
	}
	switch model.StopReason(c.Reason) {
	case model.StopMaxTokens:
		return "the answer was cut off at the limit of output tokens (opts.maxTokens, turn.max_tokens, the provider's max_tokens, or the model's own)"
	case model.StopMaxTurns:
		return "the turn ended at its limit of model calls (opts.maxTurns, turn.max_turns, or the persona's)"
	case model.StopBudget:
		return "the answer was cut off at the turn's budget"
	case model.StopRefusal:
		return "the model declined to answer, and may decline what comes after; go on from before this turn (fork), or in a new session"
	case model.StopContext:
		return "the answer was cut off at the end of the model's context"
	}
	return fmt.Sprintf("the model stopped with %q; the answer may be incomplete", c.Reason)
}
