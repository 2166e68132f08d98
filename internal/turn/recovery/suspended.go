package recovery

import (
	"context"
	"errors"
	"os"
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
func (f *SuspendedTurns) Find(ctx context.Context, lease *session.Lease) (_ *SuspendedTurn, err error) {
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
	of := &stoodAt{SuspendedTurns: f, session: lease.Record().SessionID, turn: id, logged: logged}
	if of.project, err = os.OpenRoot(lease.Record().ProjectRoot); err == nil {
		defer func() { err = errors.Join(err, of.project.Close()) }()
	}
	if p.Call = of.calls(lines, "", ""); p.Call == nil {
		return nil, nil
	}
	at := p.Call.Innermost()
	at.Unheard = !at.Reported && !logged.asks(at.Question)
	p.Answer, err = f.personsAnswer(at.Question)
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
