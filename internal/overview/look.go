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
			changes = append(changes, draft{ProjectsChanged, Nothing{}})
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

// sessions are those that are new, gone, or look different. Without a change of a file
// only those are looked at that were busy, and those with other questions.
func (l *looker) sessions(ctx context.Context, slow bool, asking map[string]bool) ([]draft, error) {
	uses := l.view.o.Sessions.Changes(l.roots)
	var changes []draft
	look := map[string]bool{}
	if uses != l.uses || slow && time.Since(l.moved) < settled || !l.looked {
		rows, _, err := l.view.rows(ctx, "")
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
