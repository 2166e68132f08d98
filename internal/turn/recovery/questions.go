package recovery

import (
	"context"
	"fmt"
	"slices"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn/agent"
)

// processDied closes the questions of a turn whose process did.
var processDied = agent.Closing{By: permit.ByBelay, Note: "the process that ran the turn ended before an answer came"}

// WithdrawQuestions closes the questions of a turn whose process died, of all turns
// of the session for "".
func (r *Records) WithdrawQuestions(ctx context.Context, lease *session.Lease, turnID string) error {
	if r.Requests == nil {
		return nil
	}
	open, err := r.Requests.List(ctx, lease.Record().SessionID)
	if err != nil {
		return err
	}
	for _, q := range open {
		if turnID != "" && q.TurnID != turnID {
			continue
		}
		pending, still, err := r.Requests.Reopen(q.ID)
		if err != nil {
			return err
		}
		if still {
			r.Questions.Withdraw(pending, processDied)
		}
	}
	return nil
}

// DanglingQuestions are the open questions of a turn whose process died: settling the
// record of the session closes them.
func (r *Records) DanglingQuestions(ctx context.Context, lease *session.Lease) ([]permit.Request, error) {
	id, dangling := lease.DanglingTurn()
	if !dangling || r.Requests == nil {
		return nil, nil
	}
	open, err := r.Requests.List(ctx, lease.Record().SessionID)
	return slices.DeleteFunc(open, func(q permit.Request) bool { return q.TurnID != id }), err
}

// ClosedByNewTurn says that a new turn closed a question that nobody had answered.
func ClosedByNewTurn(q permit.Request) string {
	said := fmt.Sprintf("the question %s of turn %s is closed without an answer, because the process of that turn has ended: %s", q.ID, q.TurnID, q.Effect.Act())
	if q.Effect.Done != nil {
		return said + " (what it changed is kept: belay changes list)"
	}
	return said + " (it was not done)"
}

// closedSince reports how the questions ended that a turn's readers know as open,
// and the subagent with them.
func (r *Records) closedSince(logged *trace) (drafts []event.Draft) {
	for _, q := range logged.asked {
		if r.Requests == nil || logged.resolved[q.DecisionID] {
			continue
		}
		logged.resolved[q.DecisionID] = true // it may have been asked twice
		d, answered, err := r.Requests.Verdict(q.DecisionID)
		if err != nil || !answered {
			d = permit.Decision{DecisionID: q.DecisionID, Verdict: permit.VerdictDeny, By: processDied.By, Note: processDied.Note}
		}
		drafts = append(drafts, agent.ResolvedDraft(q.ToolCallID, d))
	}
	if a := logged.helper; a != nil {
		no := false
		a.OK = &no
		drafts = append(drafts, event.Draft{Type: event.SubagentEnd, Data: *a})
	}
	return drafts
}
