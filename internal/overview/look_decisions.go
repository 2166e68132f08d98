package overview

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"belay/internal/permit"
	"belay/internal/workflow/run"
)

// lookAtQuestions returns what changed since questions were asked or answered; nothing where
// none were.
func (l *looker) lookAtQuestions(ctx context.Context) ([]draft, error) {
	if at := l.touched(); at.IsZero() || at.Equal(l.asked) && time.Since(at) >= time.Second {
		return nil, nil
	}
	asking := map[string]bool{}
	changes, err := l.decisions(ctx, false, asking)
	sessions, e := l.sessions(ctx, false, asking)
	return append(changes, sessions...), errors.Join(err, e)
}

// decisions are the questions that were asked or closed. The folder's time of change tells
// of most; every few looks they are listed anyway, because they also expire.
func (l *looker) decisions(ctx context.Context, slow bool, asking map[string]bool) (changes []draft, _ error) {
	at := l.touched()
	if slow || at.IsZero() || !at.Equal(l.asked) || time.Since(at) < time.Second {
		list, err := l.view.o.Questions.List(ctx, "")
		if err != nil {
			return nil, err
		}
		l.asked = at
		now := make(map[string]permit.Request, len(list))
		for _, q := range list {
			now[q.ID] = q
			if _, known := l.open[q.ID]; !known && l.allowed(q.ProjectRoot) {
				asking[q.SessionID] = true
				changes = append(changes, draft{DecisionOpened, Opened{
					DecisionID: q.ID, SessionID: q.SessionID, TurnID: q.TurnID, ProjectID: l.view.idOf(q.ProjectRoot), ProjectRoot: q.ProjectRoot,
					Tool: q.Effect.Tool, Reason: q.Reason, Created: q.Created, Expires: q.Expires}})
			}
		}
		for _, id := range slices.Sorted(maps.Keys(l.open)) {
			if q := l.open[id]; now[id].ID == "" && l.allowed(q.ProjectRoot) {
				asking[q.SessionID] = true
				c := Closed{DecisionID: id, SessionID: q.SessionID, ProjectID: l.view.idOf(q.ProjectRoot)}
				if d, ok, err := l.view.o.Questions.Verdict(id); ok && err == nil {
					c.Verdict, c.By, c.Note = string(d.Verdict), d.By, d.Note
				}
				changes = append(changes, draft{DecisionClosed, c})
			}
		}
		l.open = now
	}
	if slow && l.view.o.Runs != nil {
		more, err := l.runDecisions(ctx)
		return append(changes, more...), err
	}
	return changes, nil
}

// runDecisions are the questions of runs that were asked or closed.
func (l *looker) runDecisions(ctx context.Context) (changes []draft, _ error) {
	list, err := l.view.o.Runs.Questions(ctx)
	if err != nil {
		return nil, err
	}
	now := make(map[string]run.Waiting, len(list))
	for _, w := range list {
		if !l.allowed(w.Project) {
			continue
		}
		now[w.DecisionID] = w
		if _, known := l.waits[w.DecisionID]; !known {
			o := Opened{DecisionID: w.DecisionID, RunID: w.RunID, ProjectID: l.view.idOf(w.Project), ProjectRoot: w.Project, Reason: w.Message, Created: w.Since}
			if w.Until != nil {
				o.Expires = *w.Until
			}
			changes = append(changes, draft{DecisionOpened, o})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(l.waits)) {
		if _, waits := now[id]; !waits {
			w := l.waits[id]
			changes = append(changes, draft{DecisionClosed, Closed{DecisionID: id, RunID: w.RunID, ProjectID: l.view.idOf(w.Project)}})
		}
	}
	l.waits = now
	return changes, nil
}

// newestRuns is of how many runs of a project it is looked for changes.
const newestRuns = 50

// allRuns are the runs that are new or have another status.
func (l *looker) allRuns(ctx context.Context) (changes []draft, _ error) {
	if l.view.o.Runs == nil {
		return nil, nil
	}
	for _, root := range l.roots {
		at := run.Touched(root)
		if at.IsZero() || at.Equal(l.begun[root]) && !l.live[root] {
			continue
		}
		list, _, err := l.view.o.Runs.List(ctx, root, newestRuns)
		if err != nil {
			return changes, err
		}
		l.begun[root], l.live[root] = at, time.Since(at) < 2*time.Second
		for _, s := range list {
			was, known := l.runs[s.ID]
			l.live[root] = l.live[root] || s.Live || len(s.Waits) > 0
			if known && was.Status == s.Status && len(was.Waits) == len(s.Waits) {
				continue
			}
			l.runs[s.ID] = run.Summary{Status: s.Status, Waits: s.Waits}
			changes = append(changes, draft{RunChanged, RunState{RunID: s.ID, Workflow: s.Workflow, ProjectID: l.view.idOf(root), ProjectRoot: root,
				Status: string(s.Status), Waits: len(s.Waits)}})
		}
	}
	return changes, nil
}
