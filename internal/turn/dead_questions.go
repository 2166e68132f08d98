package turn

import (
	"context"
	"fmt"
	"slices"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/session"
)

// processDied closes the questions of a turn whose process did.
var processDied = closing{permit.ByBelay, "the process that ran the turn ended before an answer came"}

// withdrawQuestions closes the questions of a turn whose process died, of all turns
// of the session for "".
func (r *recordRecovery) withdrawQuestions(ctx context.Context, lease *session.Lease, turnID string) error {
	if r.requests == nil {
		return nil
	}
	open, err := r.requests.List(ctx, lease.Record().SessionID)
	if err != nil {
		return err
	}
	for _, q := range open {
		if turnID != "" && q.TurnID != turnID {
			continue
		}
		pending, still, err := r.requests.Reopen(q.ID)
		if err != nil {
			return err
		}
		if still {
			r.questions.withdraw(pending, processDied)
		}
	}
	return nil
}

// danglingQuestions are the open questions of a turn whose process died: settling the
// record of the session closes them.
func (r *recordRecovery) danglingQuestions(ctx context.Context, lease *session.Lease) ([]permit.Request, error) {
	id, dangling := lease.DanglingTurn()
	if !dangling || r.requests == nil {
		return nil, nil
	}
	open, err := r.requests.List(ctx, lease.Record().SessionID)
	return slices.DeleteFunc(open, func(q permit.Request) bool { return q.TurnID != id }), err
}

// closedByNewTurn says that a new turn closed a question that nobody had answered.
func closedByNewTurn(q permit.Request) string {
	said := fmt.Sprintf("the question %s of turn %s is closed without an answer, because the process of that turn has ended: %s", q.ID, q.TurnID, q.Effect.Act())
	if q.Effect.Done != nil {
		return said + " (what it changed is kept: belay changes list)"
	}
	return said + " (it was not done)"
}

// closedSince reports how the questions ended that a turn's readers know as open,
// and the subagent with them.
func (r *recordRecovery) closedSince(logged *trace) (drafts []event.Draft) {
	for _, q := range logged.asked {
		if r.requests == nil || logged.resolved[q.DecisionID] {
			continue
		}
		logged.resolved[q.DecisionID] = true // it may have been asked twice
		d, answered, err := r.requests.Verdict(q.DecisionID)
		if err != nil || !answered {
			d = permit.Decision{DecisionID: q.DecisionID, Verdict: permit.VerdictDeny, By: processDied.by, Note: processDied.note}
		}
		drafts = append(drafts, resolvedDraft(q.ToolCallID, d))
	}
	if a := logged.helper; a != nil {
		no := false
		a.OK = &no
		drafts = append(drafts, event.Draft{Type: event.SubagentEnd, Data: *a})
	}
	return drafts
}
