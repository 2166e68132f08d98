package turn

import (
	"fmt"

	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

// suspendedCall is the call at which one agent of such a turn waits.
type suspendedCall struct {
	// entries are the agent's own lines, after that of the turn.
	entries []session.Entry
	// calls have no result yet, in their order. It is calls[asked] that waits: for
	// a person or, where inner is set, for the subagent that it started.
	calls []model.ToolCall
	asked int
	inner *suspendedCall
	// job is set where the agent's work was done, and a person was asked about the
	// changes of a background job: that of waits, the nth call of its id.
	job bool
	nth int
	// question is the decision that waits is about, closed whether it was taken or
	// withdrawn since.
	waits    model.ToolCall
	question string
	closed   bool
}

// innermost is where the question stands.
func (h *suspendedCall) innermost() *suspendedCall {
	for h.inner != nil {
		h = h.inner
	}
	return h
}

// agentKey distinguishes the subagents of a turn: by the call that started one,
// which is the nth of its id.
func agentKey(call string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s#%d", call, n)
	}
	return call
}

// nth is how often an agent's answers call something by that id.
func nth(entries []session.Entry, call string) (n int) {
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
