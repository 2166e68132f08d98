package turn

import (
	"log/slog"

	"belay/internal/permit"
)

// questions finds and closes the questions about calls, also those of a process that
// died.
type questions struct {
	// requests is nil where nobody can be asked.
	requests Requests
	logger   *slog.Logger
}

// closing is who closes a question that no person answers, and why.
type closing struct{ by, note string }

// withdraw closes a question and returns how that is on record.
func (q questions) withdraw(p *permit.Pending, c closing) permit.Decision {
	d, err := p.Withdraw(c.by, c.note)
	if err != nil {
		q.logger.Error("withdraw a question", "session", p.Request.SessionID, "decision", p.Request.ID, "error", err)
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
func (q questions) lookUp(id string) (found question, err error) {
	if found.decision, found.answered, err = q.requests.Verdict(id); err != nil || found.answered {
		return found, err
	}
	if found.pending, found.open, err = q.requests.Reopen(id); err != nil || found.open {
		return found, err
	}
	found.decision, found.answered, err = q.requests.Verdict(id)
	return found, err
}

// known reports whether there is a question of that id, or an answer to it.
func (q questions) known(id string) bool {
	found, err := q.lookUp(id)
	return err == nil && (found.open || found.answered)
}
