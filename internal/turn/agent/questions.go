package agent

import (
	"log/slog"

	"belay/internal/permit"
)

// Questions finds and closes the questions about calls, also those of a process that
// died.
type Questions struct {
	// Requests is nil where nobody can be asked.
	Requests Requests
	Logger   *slog.Logger
}

// Closing is who closes a question that no person answers, and why.
type Closing struct{ By, Note string }

// Withdraw closes a question and returns how that is on record.
func (q Questions) Withdraw(p *permit.Pending, c Closing) permit.Decision {
	d, err := p.Withdraw(c.By, c.Note)
	if err != nil {
		q.Logger.Error("withdraw a question", "session", p.Request.SessionID, "decision", p.Request.ID, "error", err)
	}
	return d
}

// question is the outcome of one whose process died: it is open, answered, or
// nobody knows it.
type question struct {
	pending  *permit.Pending
	open     bool
	decision permit.Decision
	answered bool
}

// lookUp finds a question, also one that is answered at this moment: the answer is
// there before the question goes.
func (q Questions) lookUp(id string) (found question, err error) {
	if found.decision, found.answered, err = q.Requests.Verdict(id); err != nil || found.answered {
		return found, err
	}
	if found.pending, found.open, err = q.Requests.Reopen(id); err != nil || found.open {
		return found, err
	}
	found.decision, found.answered, err = q.Requests.Verdict(id)
	return found, err
}

// Known reports whether there is a question of that id, or an answer to it.
func (q Questions) Known(id string) bool {
	found, err := q.lookUp(id)
	return err == nil && (found.open || found.answered)
}
