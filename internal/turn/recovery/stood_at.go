package recovery

import (
	"os"

	"belay/internal/session"
	"belay/internal/tool/shell/kept"
	"belay/internal/turn/agent"
	"belay/internal/turn/conversation"
)

// stoodAt finds where a turn stood whose process died.
type stoodAt struct {
	*SuspendedTurns
	session, turn string
	logged        *trace
	project       *os.Root // nil where it cannot be opened
}

// calls finds where an agent of the turn waits, nil if it does not. Lines are
// those of the turn since the agent began; by is the call that started it, key
// distinguishes it from others of the turn.
func (s *stoodAt) calls(lines []session.Entry, by, key string) *agent.SuspendedCall {
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
		if h.Question = agent.DecisionID(s.session, s.turn, key, c.ID, n); s.waits(h.Question) || s.changes(h, key) {
			return h
		}
		if by != "" {
			continue // a subagent has none itself
		}
		if h.Inner = s.calls(lines[answer:], c.ID, agent.Key(c.ID, n)); h.Inner != nil {
			return h
		}
	}
	if len(h.Calls) == 0 && s.job(h, key) {
		return h
	}
	return nil
}

// job finds the background job of an agent whose changes a person was asked
// about at the end of the agent's work. The question may be in the log, or the process died
// before it was: then the changes still await it.
func (s *stoodAt) job(h *agent.SuspendedCall, key string) bool {
	made := map[string]int{}
	for _, e := range h.Entries {
		if e.Kind != session.EntryAssistant {
			continue
		}
		for _, c := range conversation.CallsOf(e.Blocks) {
			made[c.ID]++
			h.Job, h.Waits, h.Nth = true, c, made[c.ID]
			first := agent.ChangesQuestion(s.session, s.turn, key, c.ID, h.Nth)
			if s.changes(h, key) && (s.logged.asks(first) || s.logged.asks(h.Question) || s.awaits(first)) {
				return true
			}
		}
	}
	return false
}

// waits reports whether a question is open, or was answered and the readers do not know it.
func (s *stoodAt) waits(question string) bool {
	return !s.logged.resolved[question] && s.Questions.Known(question)
}

// changes finds the question about what the call that waits changed. Where a person has answered
// it, the changes may await that this is carried out, or that the second question is asked.
func (s *stoodAt) changes(h *agent.SuspendedCall, key string) bool {
	first := agent.ChangesQuestion(s.session, s.turn, key, h.Waits.ID, h.Nth)
	second := agent.AutomaticQuestion(s.session, s.turn, key, h.Waits.ID, h.Nth)
	for _, h.Question = range []string{first, second} {
		if s.waits(h.Question) {
			return true
		}
	}
	if s.project == nil {
		return false
	}
	h.Question = kept.Awaits(s.project, agent.ChangeID(first))
	switch {
	case h.Question != first && h.Question != second:
		return false
	case s.answeredByPerson(h.Question):
		h.Reported = true
	case h.Question == second && !s.Questions.Known(second) && s.answeredByPerson(first): // it is asked next
	default:
		return false
	}
	return true
}

// awaits reports whether the changes of a call are held for a question, of which the first is
// given.
func (s *stoodAt) awaits(first string) bool {
	return s.project != nil && kept.Awaits(s.project, agent.ChangeID(first)) != ""
}

func (s *stoodAt) answeredByPerson(question string) bool {
	d, err := s.personsAnswer(question)
	return err == nil && d.DecisionID != ""
}
