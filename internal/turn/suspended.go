package turn

import (
	"context"
	"slices"

	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

// suspendedTurn is a turn whose process died while a call of it waited for a person.
type suspendedTurn struct {
	begun  session.Entry
	logged *trace
	call   *suspendedCall
	// answer is what a person said to the question since; it is empty where nobody
	// has answered, and where the question's time is over.
	answer permit.Decision
}

// answered reports whether a person has answered, so that the turn must not be ended
// before the answer is carried out.
func (p *suspendedTurn) answered() bool { return p.answer.DecisionID != "" }

// suspendedTurns finds the turns whose processes died while a call waited for a person.
type suspendedTurns struct {
	store     *session.Store
	questions questions
}

// find finds the turn of the session that can be taken up again, nil if there
// is none: its last answer, or that of a subagent, has a call whose question is
// still open, or was answered after the process had died. The caller holds the
// lease.
func (f *suspendedTurns) find(ctx context.Context, lease *session.Lease) (*suspendedTurn, error) {
	if f.questions.requests == nil || len(lease.Tampered()) > 0 {
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
	logged, err := retrace(ctx, f.store, lease, begun)
	if err != nil {
		return nil, err
	}
	var lines []session.Entry
	for _, e := range entries {
		if e.Turn == id && e.Kind != session.EntryTurn {
			lines = append(lines, e)
		}
	}
	p := &suspendedTurn{begun: begun, logged: logged}
	if p.call = f.suspendedCalls(lease.Record().SessionID, id, lines, "", "", logged); p.call == nil {
		return nil, nil
	}
	p.answer, err = f.personsAnswer(p.call.innermost().question)
	return p, err
}

// personsAnswer is what a person said to a question, empty for none.
func (f *suspendedTurns) personsAnswer(id string) (permit.Decision, error) {
	d, answered, err := f.questions.requests.Verdict(id)
	if err != nil || !answered || d.Timeout || d.By == permit.ByBelay || d.By == permit.ByInterrupt {
		return permit.Decision{}, err
	}
	return d, nil
}

// suspendedCalls finds where an agent of a turn waits, nil if it does not. Lines are
// those of the turn since the agent began; agent is the call that started it, key
// distinguishes it from others of the turn.
func (f *suspendedTurns) suspendedCalls(sessionID, turnID string, lines []session.Entry, agent, key string, logged *trace) *suspendedCall {
	h := &suspendedCall{}
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
		h.asked, h.waits, h.nth = i, c, n
		for _, h.question = range []string{decisionID(sessionID, turnID, key, c.ID, n), changesQuestion(sessionID, turnID, key, c.ID, n)} {
			if !logged.resolved[h.question] && f.questions.known(h.question) {
				return h
			}
		}
		if agent != "" {
			continue // a subagent has none itself
		}
		if h.inner = f.suspendedCalls(sessionID, turnID, lines[answer:], c.ID, agentKey(c.ID, n), logged); h.inner != nil {
			return h
		}
	}
	if len(h.calls) == 0 && f.askedAboutJob(h, sessionID, turnID, key, logged) {
		return h
	}
	return nil
}

// askedAboutJob finds the background job of an agent whose changes a person was asked
// about at the end of the agent's work.
func (f *suspendedTurns) askedAboutJob(h *suspendedCall, sessionID, turnID, key string, logged *trace) bool {
	made := map[string]int{}
	for _, e := range h.entries {
		if e.Kind != session.EntryAssistant {
			continue
		}
		for _, c := range conversation.CallsOf(e.Blocks) {
			made[c.ID]++
			id := changesQuestion(sessionID, turnID, key, c.ID, made[c.ID])
			if logged.asks(id) && !logged.resolved[id] && f.questions.known(id) {
				h.job, h.waits, h.nth, h.question = true, c, made[c.ID], id
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
