package turn

import (
	"context"
	"fmt"
	"slices"

	"belay/internal/model"
	"belay/internal/session"
)

// pause is a turn whose process died while a call of it waited for a person.
type pause struct {
	begun session.Entry
	told  *trace
	halt  *halt
}

// halt is where one agent of such a turn stood.
type halt struct {
	// entries are the agent's own lines, behind that of the turn.
	entries []session.Entry
	// calls have no result yet, in their order. It is calls[asked] that waits: for
	// a person or, where inner is set, for the subagent that it started.
	calls []model.ToolCall
	asked int
	inner *halt
	// question is the decision that calls[asked] waits for, closed whether it was
	// taken or withdrawn since.
	question string
	closed   bool
}

// innermost is where the question stands.
func (h *halt) innermost() *halt {
	for h.inner != nil {
		h = h.inner
	}
	return h
}

// paused finds the turn of the session that this process is to take up again, nil
// if there is none. The caller holds the lease.
func (l *Local) paused(ctx context.Context, lease *session.Lease) (*pause, error) {
	if !l.stays.Load() {
		return nil, nil
	}
	return l.waiting(ctx, lease)
}

// waiting finds the turn of the session that can be taken up again, nil if there
// is none: its last answer, or that of a subagent, has a call whose question is
// still open, or was answered after the process had died. The caller holds the
// lease.
func (l *Local) waiting(ctx context.Context, lease *session.Lease) (*pause, error) {
	if l.o.Desk == nil || len(lease.Tampered()) > 0 {
		return nil, nil
	}
	id, open := lease.DanglingTurn()
	entries := lease.Entries()
	last := lastEntry(entries)
	if !open || last.Turn != id || last.Kind == session.EntryEnd {
		return nil, nil
	}
	begun, known := findTurn(entries, id)
	if !known || begun.By != "" { // a workflow begins a turn of its own anew
		return nil, nil
	}
	told, err := l.retrace(ctx, lease, begun)
	if err != nil {
		return nil, err
	}
	var lines []session.Entry
	for _, e := range entries {
		if e.Turn == id && e.Kind != session.EntryTurn {
			lines = append(lines, e)
		}
	}
	p := &pause{begun: begun, told: told}
	if p.halt = l.halted(lease.Record().SessionID, id, lines, "", "", told); p.halt == nil {
		return nil, nil
	}
	return p, nil
}

// halted finds where an agent of a turn waits, nil if it does not. Lines are
// those of the turn since the agent began; agent is the call that started it, key
// tells it apart from others of the turn.
func (l *Local) halted(sessionID, turnID string, lines []session.Entry, agent, key string, told *trace) *halt {
	h := &halt{}
	answer := 0 // where the last answer is
	for i, e := range lines {
		if e.Agent != agent {
			continue
		}
		h.entries = append(h.entries, e)
		if e.Kind == session.EntryAssistant {
			answer = i
		}
	}
	h.calls = openCalls(h.entries)
	for i, c := range h.calls {
		n := nth(h.entries, c.ID)
		h.asked = i
		for _, h.question = range []string{decisionID(sessionID, turnID, key, c.ID, n), changesQuestion(sessionID, turnID, key, c.ID, n)} {
			if !told.resolved[h.question] && l.questioned(h.question) {
				return h
			}
		}
		if agent != "" {
			continue // a subagent has none itself
		}
		if h.inner = l.halted(sessionID, turnID, lines[answer:], c.ID, agentKey(c.ID, n), told); h.inner != nil {
			return h
		}
	}
	return nil
}

// agentKey tells the subagents of a turn apart: by the call that started one,
// which is the nth of its id.
func agentKey(call string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s#%d", call, n)
	}
	return call
}

// questioned reports whether there is a question of that id, or an answer to it.
func (l *Local) questioned(id string) bool {
	q, err := l.lookUp(id)
	return err == nil && (q.open || q.answered)
}

// openCalls are the calls of the last answer that have no result.
func openCalls(entries []session.Entry) []model.ToolCall {
	var calls []model.ToolCall
	for _, e := range entries {
		switch e.Kind {
		case session.EntryAssistant:
			if calls = nil; !e.Partial {
				calls = callsOf(e.Blocks)
			}
		case session.EntryTools:
			for _, b := range e.Blocks {
				calls = slices.DeleteFunc(calls, func(c model.ToolCall) bool { return c.ID == b.ID })
			}
		}
	}
	return calls
}

// nth is how often an agent's answers call something by that id.
func nth(entries []session.Entry, call string) (n int) {
	for _, e := range entries {
		if e.Kind != session.EntryAssistant {
			continue
		}
		for _, c := range callsOf(e.Blocks) {
			if c.ID == call {
				n++
			}
		}
	}
	return n
}

func callsOf(blocks []session.Block) (calls []model.ToolCall) {
	for _, b := range blocks {
		if b.Type == session.BlockToolCall {
			calls = append(calls, toolCall(b))
		}
	}
	return calls
}
