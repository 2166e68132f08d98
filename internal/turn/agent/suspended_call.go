package agent

import (
	"fmt"

	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

// SuspendedCall is the call at which an agent waits for a person, or did when its process died.
type SuspendedCall struct {
	// Entries are the agent's own lines, after that of the turn.
	Entries []session.Entry
	// Calls have no result yet, in their order. It is Calls[Asked] that waits: for
	// a person or, where Inner is set, for the subagent that it started.
	Calls []model.ToolCall
	Asked int
	Inner *SuspendedCall
	// Job is set where the agent's work was done, and a person was asked about the
	// changes of a background job: that of Waits, the Nth call of its id.
	Job bool
	Nth int
	// Question is the decision that Waits is about, closed whether it was taken or
	// withdrawn since. Reported is set where the readers know the answer, and only its
	// outcome is missing, Unheard where they have not heard of the question.
	Waits    model.ToolCall
	Question string
	Reported bool
	Unheard  bool
	closed   bool
}

// Innermost is where the question stands.
func (h *SuspendedCall) Innermost() *SuspendedCall {
	for h.Inner != nil {
		h = h.Inner
	}
	return h
}

// Key distinguishes the subagents of a turn: by the call that started one,
// which is the nth of its id.
func Key(call string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s#%d", call, n)
	}
	return call
}

// Nth is how often an agent's answers call something by that id.
func Nth(entries []session.Entry, call string) (n int) {
	for _, e := range entries {
		if e.Kind != session.EntryAssistant {
			continue
		}
		for _, c := range conversation.CallsOf(e.Blocks) {
			if c.ID == call {
				n++
			}
		}
	}
	return n
}
