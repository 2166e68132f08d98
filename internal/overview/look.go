package overview

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/workflow/run"
)

// looker finds out what changed since it looked last. It compares files, so the process
// that changed them does not matter. Only the goroutine of the feed uses it.
type looker struct {
	view   *Overview
	looked bool // at least once
	count  int

	roots []string
	// open are the questions that wait, waits those of runs, by their ids. asked is when a
	// question was asked or answered last.
	open  map[string]permit.Request
	waits map[string]run.Waiting
	asked time.Time
	// uses is [session.Catalog.Changes]; rows are the sessions, shown what was reported of
	// some, busy those whose state may change without a change of their files.
	uses  [sha256.Size]byte
	moved time.Time // when uses differed last
	rows  map[string]session.Row
	shown map[string]Session
	busy  map[string]bool
	// runs are the runs of projects, by their ids, begun is when one of a project began
	// last, live are the projects with a run that has not ended.
	runs  map[string]run.Summary
	begun map[string]time.Time
	live  map[string]bool
}

func newLooker(v *Overview) *looker {
	return &looker{
		view: v, open: map[string]permit.Request{}, waits: map[string]run.Waiting{}, rows: map[string]session.Row{},
		shown: map[string]Session{}, busy: map[string]bool{}, runs: map[string]run.Summary{}, begun: map[string]time.Time{}, live: map[string]bool{},
	}
}

// slowly is how often, in looks, it is looked at what seldom changes.
const slowly = 4

// settled is how long after a change the sessions are listed anyway: two changes may have
// the same time in the file system.
const settled = 3 * time.Second

// look returns what changed; the first time nothing.
func (l *looker) look(ctx context.Context) (changes []draft, err error) {
	slow := l.count%slowly == 0
	l.count++
	if slow {
		if roots := l.view.roots(); !slices.Equal(roots, l.roots) {
			l.roots = roots
			changes = append(changes, draft{ProjectsChanged, struct{}{}})
		}
	}
	asking := map[string]bool{} // the sessions with new or closed questions
	decisions, err := l.decisions(ctx, slow, asking)
	changes = append(changes, decisions...)
	sessions, e := l.sessions(ctx, slow, asking)
	changes, err = append(changes, sessions...), errors.Join(err, e)
	if slow {
		runs, e := l.allRuns(ctx)
		changes, err = append(changes, runs...), errors.Join(err, e)
	}
	if !l.looked {
		l.looked = err == nil
		return nil, err
	}
	return changes, err
}

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

// touched is when a question was asked or answered last, the zero time where the store of
// questions does not tell.
func (l *looker) touched() time.Time {
	if t, ok := l.view.o.Questions.(interface{ Touched() time.Time }); ok {
		return t.Touched()
	}
	return time.Time{}
}

func (l *looker) allowed(projectRoot string) bool {
	return l.view.o.Allow == nil || l.view.o.Allow(projectRoot) == nil
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

// sessions are those that are new, gone, or look different. Without a change of a file
// only those are looked at that were busy, and those with other questions.
func (l *looker) sessions(ctx context.Context, slow bool, asking map[string]bool) ([]draft, error) {
	uses := l.view.o.Sessions.Changes(l.roots)
	var changes []draft
	look := map[string]bool{}
	if uses != l.uses || slow && time.Since(l.moved) < settled || !l.looked {
		rows, err := l.view.rows(ctx, "")
		if err != nil {
			return nil, err
		}
		now := make(map[string]session.Row, len(rows))
		for _, r := range rows {
			now[r.ID] = r
			if was, known := l.rows[r.ID]; !known || was.Version != r.Version || was.Damaged != r.Damaged {
				look[r.ID] = true
			}
		}
		for _, id := range slices.Sorted(maps.Keys(l.rows)) {
			if _, there := now[id]; !there {
				delete(l.shown, id)
				delete(l.busy, id)
				changes = append(changes, draft{SessionRemoved, Removed{id}})
			}
		}
		if uses != l.uses {
			l.moved = time.Now()
		}
		l.uses, l.rows = uses, now
	}
	for id := range l.busy {
		look[id] = true
	}
	for id := range asking {
		look[id] = true
	}
	if len(look) == 0 {
		return changes, nil
	}
	open := asked{map[string]int{}, nil}
	for _, q := range l.open {
		open.inSession[q.SessionID]++
	}
	if !l.looked {
		return nil, l.first(ctx, open)
	}
	for _, id := range slices.Sorted(maps.Keys(look)) {
		more, err := l.session(ctx, id, open)
		if err != nil {
			return changes, err
		}
		changes = append(changes, more...)
	}
	return changes, nil
}

// first notes which sessions are busy at the first look.
func (l *looker) first(ctx context.Context, open asked) error {
	rows := slices.Collect(maps.Values(l.rows))
	digests, err := l.view.digestAll(ctx, rows)
	if err != nil {
		return err
	}
	for i, r := range rows {
		if state := l.view.state(r, digests[i], open); state != Running && state != Waiting {
			continue
		}
		s, err := l.view.show(ctx, r, open)
		if err != nil {
			return err
		}
		if s != nil {
			l.shown[r.ID] = *s
			l.note(r.ID, s.State)
		}
	}
	return nil
}

// note remembers a session whose state may change without a change of its files.
func (l *looker) note(id string, s State) {
	if s == Running || s == Waiting {
		l.busy[id] = true
	} else {
		delete(l.busy, id)
	}
}

// session is one that is looked at, where what people see of it differs.
func (l *looker) session(ctx context.Context, id string, open asked) ([]draft, error) {
	r, known := l.rows[id]
	if !known {
		return nil, nil // of a project that callers may not name, or just deleted
	}
	s, err := l.view.show(ctx, r, open)
	if s == nil || err != nil {
		return nil, err
	}
	l.note(id, s.State)
	same, reported := l.shown[id]
	same.UpdatedAt = s.UpdatedAt
	if reported && reflect.DeepEqual(same, *s) {
		return nil, nil
	}
	l.shown[id] = *s
	return []draft{{SessionChanged, Changed{*s}}}, nil
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
