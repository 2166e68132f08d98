package recovery

import (
	"context"
	"slices"

	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn/agent"
	"belay/internal/turn/conversation"
)

// SuspendedTurn is a turn whose process died while a call of it waited for a person.
type SuspendedTurn struct {
	Begun  session.Entry
	logged *trace
	Call   *agent.SuspendedCall
	// Answer is what a person said to the question since; it is empty where nobody
	// has answered, and where the question's time is over.
	Answer permit.Decision
}

// Answered reports whether a person has answered, so that the turn must not be ended
// before the answer is carried out.
func (p *SuspendedTurn) Answered() bool { return p.Answer.DecisionID != "" }

// Spent is what the turn had used when its process died.
func (p *SuspendedTurn) Spent() agent.Spending {
	s := agent.Spending{Calls: p.logged.calls}
	if p.logged.totals != nil {
		s.Totals, s.Called = *p.logged.totals, true
	}
	return s
}

// SuspendedTurns finds the turns whose processes died while a call waited for a person.
type SuspendedTurns struct {
	Store     *session.Store
	Questions agent.Questions
}

// Find finds the turn of the session that can be taken up again, nil if there
// is none: its last answer, or that of a subagent, has a call whose question is
// still open, or was answered after the process had died. The caller holds the
// lease.
func (f *SuspendedTurns) Find(ctx context.Context, lease *session.Lease) (*SuspendedTurn, error) {
	if f.Questions.Requests == nil || len(lease.Tampered()) > 0 {
		return nil, nil
	}
	id, open := lease.DanglingTurn()
	entries := lease.Entries()
	last := session.LastStep(entries)
	if !open || last.Turn != id || last.Kind == session.EntryEnd {
		return nil, nil
	}
	begun, known := session.FindTurn(entries, id)
	if !known || begun.By != "" { // a workflow begins a turn of its own anew
		return nil, nil
	}
	logged, err := retrace(ctx, f.Store, lease, begun)
	if err != nil {
		return nil, err
	}
	var lines []session.Entry
	for _, e := range entries {
		if e.Turn == id && e.Kind != session.EntryTurn {
			lines = append(lines, e)
		}
	}
	p := &SuspendedTurn{Begun: begun, logged: logged}
	if p.Call = f.suspendedCalls(lease.Record().SessionID, id, lines, "", "", logged); p.Call == nil {
		return nil, nil
	}
	p.Answer, err = f.personsAnswer(p.Call.Innermost().Question)
	return p, err
}

// personsAnswer is what a person said to a question, empty for none.
func (f *SuspendedTurns) personsAnswer(id string) (permit.Decision, error) {
	d, answered, err := f.Questions.Requests.Verdict(id)
	if err != nil || !answered || d.Timeout || d.By == permit.ByBelay || d.By == permit.ByInterrupt {
		return permit.Decision{}, err
	}
	return d, nil
}

// suspendedCalls finds where an agent of a turn waits, nil if it does not. Lines are
// those of the turn since the agent began; by is the call that started it, key
// distinguishes it from others of the turn.
func (f *SuspendedTurns) suspendedCalls(sessionID, turnID string, lines []session.Entry, by, key string, logged *trace) *agent.SuspendedCall {
	h := &agent.SuspendedCall{}
	answer := 0 // where the last answer is
	for i, e := range lines {
		if e.Agent != by {
			continue
		}
		h.Entries = append(h.Entries, e)
		if e.Kind == session.EntryAssistant {
			answer = i
		}
	}
	h.Calls = openCalls(h.Entries)
	for i, c := range h.Calls {
		n := agent.Nth(h.Entries, c.ID)
		h.Asked, h.Waits, h.Nth = i, c, n
		for _, h.Question = range []string{agent.DecisionID(sessionID, turnID, key, c.ID, n), agent.ChangesQuestion(sessionID, turnID, key, c.ID, n)} {
			if !logged.resolved[h.Question] && f.Questions.Known(h.Question) {
				return h
			}
		}
		if by != "" {
			continue // a subagent has none itself
		}
		if h.Inner = f.suspendedCalls(sessionID, turnID, lines[answer:], c.ID, agent.Key(c.ID, n), logged); h.Inner != nil {
			return h
		}
	}
	if len(h.Calls) == 0 && f.askedAboutJob(h, sessionID, turnID, key, logged) {
		return h
	}
	return nil
}

// askedAboutJob finds the background job of an agent whose changes a person was asked
// about at the end of the agent's work.
func (f *SuspendedTurns) askedAboutJob(h *agent.SuspendedCall, sessionID, turnID, key string, logged *trace) bool {
	made := map[string]int{}
	for _, e := range h.Entries {
		if e.Kind != session.EntryAssistant {
			continue
		}
		for _, c := range conversation.CallsOf(e.Blocks) {
			made[c.ID]++
			id := agent.ChangesQuestion(sessionID, turnID, key, c.ID, made[c.ID])
			if logged.asks(id) && !logged.resolved[id] && f.Questions.Known(id) {
				h.Job, h.Waits, h.Nth, h.Question = true, c, made[c.ID], id
				return true
			}
		}
	}
	return false
}

// openCalls are the calls of the last answer that have no result.
func openCalls(entries []session.Entry) []model.ToolCall {
	var calls []model.ToolCall
	for _, e := range entries {
		switch e.Kind {
		case session.EntryAssistant:
			if calls = nil; !e.Partial {
				calls = conversation.CallsOf(e.Blocks)
			}
		case session.EntryTools:
			for _, b := range e.Blocks {
				calls = slices.DeleteFunc(calls, func(c model.ToolCall) bool { return c.ID == b.ID })
			}
		}
	}
	return calls
}
