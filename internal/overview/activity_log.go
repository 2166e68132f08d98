package overview

import (
	"cmp"
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
	filter := permit.AuditFilter{Project: q.Project, Since: q.Since}
	failed := failures{}
	var before int64
	for range auditPages {
		page, err := v.o.Audit.Read(ctx, filter, before, permit.MaxAuditPage)
		if err != nil {
			return err
		}
		for _, l := range page.Entries {
			if failed.is(l) {
				continue
			}
			if h, ok := happeningOf(l, known); ok && h.At.After(q.Since) {
				a.Happenings = append(a.Happenings, h)
			}
		}
		if before = page.Next; before == 0 {
			return nil
		}
	}
	a.More = true
	return nil
}

// failures are acts that failed and whose beginning is still to come, as the log is read from
// its end. The two lines differ in verdict, reason, and nothing else.
type failures map[permit.Entry]int

// is reports whether an entry says of something that it failed, or that it began to fail.
func (f failures) is(l permit.Recorded) bool {
	act := l.Entry
	act.Verdict, act.Reason = "", ""
	switch {
	case l.Verdict == permit.VerdictFailed:
		f[act]++
		return true
	case l.Verdict == permit.VerdictBegins && f[act] > 0:
		f[act]--
		return true
	}
	return false
}

// happeningOf is an entry of the audit log as something that happened, false for one that is
// nothing of that, or that a known turn says already.
func happeningOf(l permit.Recorded, known map[string]bool) (h Happening, ok bool) {
	h = Happening{
		ID: "audit-" + strconv.Itoa(l.Line), At: l.Time, What: l.Summary, SessionID: l.SessionID, TurnID: l.TurnID,
		By: cmp.Or(l.By, l.Agent), Deliverable: deliverableIn(l.Summary), Kind: l.Kind,
	}
	switch l.Kind {
	case KindTransition, KindRegister, KindFiles:
		return h, true
	case KindChanges:
		return h, !known[join(l.SessionID, l.TurnID)]
	}
	return h, false
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
	a.More = a.More || more > 0 && (len(runs) == 0 || runs[len(runs)-1].StartedAt.After(q.Since))
	return nil
}
