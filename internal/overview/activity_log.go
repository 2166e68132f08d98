package overview

import (
	"context"
	"strconv"

	"belay/internal/permit"
	"belay/internal/workflow/run"
)

// auditActivity adds what the audit log has beside the changes of turns. Kept changes that
// were applied are on the record of their turn, too, where their session was free.
func (v *Overview) auditActivity(ctx context.Context, q ActivityQuery, a *Activity) error {
	if v.o.Audit == nil {
		return nil
	}
	known := map[string]bool{}
	for _, h := range a.Happenings {
		known[join(h.SessionID, h.TurnID)] = true
	}
	more, err := v.o.Audit.Newest(ctx, func(l permit.Logged) bool {
		if !l.Time.After(q.Since) {
			return false
		}
		if l.Project != q.Project {
			return true
		}
		h := Happening{
			ID: "audit-" + strconv.Itoa(l.N), At: l.Time, What: l.Summary, SessionID: l.SessionID, TurnID: l.TurnID,
			By: l.By, Deliverable: deliverableIn(l.Summary),
		}
		if h.By == "" {
			h.By = l.Agent
		}
		switch l.Kind {
		case KindTransition, KindRegister:
			if l.Verdict == "failed" {
				return true
			}
			h.Kind = l.Kind
		case KindFiles:
			h.Kind = KindFiles
		case KindChanges:
			if known[join(l.SessionID, l.TurnID)] {
				return true
			}
			h.Kind = KindChanges
		default:
			return true
		}
		a.Happenings = append(a.Happenings, h)
		return true
	})
	a.More = a.More || more
	return err
}

// runActivity adds the runs that ended.
func (v *Overview) runActivity(ctx context.Context, q ActivityQuery, a *Activity) error {
	if v.o.Runs == nil {
		return nil
	}
	runs, more, err := v.o.Runs.List(ctx, q.Project, activityRuns)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.EndedAt == nil || !r.EndedAt.After(q.Since) || r.Status == run.Running {
			continue
		}
		a.Happenings = append(a.Happenings, Happening{
			ID: "run-" + r.ID, At: *r.EndedAt, Kind: KindRun, What: r.Workflow, RunID: r.ID, Status: string(r.Status),
		})
	}
	a.More = a.More || more > 0 && runs[len(runs)-1].StartedAt.After(q.Since)
	return nil
}
