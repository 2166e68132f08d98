package overview

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/workspace/finding"
)

// AuditLog is the operator's record of what happened; [permit.Audit] is.
type AuditLog interface {
	Read(ctx context.Context, f permit.AuditFilter, before int64, limit int) (permit.AuditPage, error)
}

// Happening is something that happened in a project.
type Happening struct {
	// ID names it among those of its project.
	ID string    `json:"id"`
	At time.Time `json:"at"`
	// Kind is changes, undo, transition, register, files or run.
	Kind string `json:"kind"`
	// What says it in a sentence.
	What string `json:"what"`
	// Deliverable is that which it is about, PKG-01::DEL-01-02, absent where it is about none,
	// or several.
	Deliverable string `json:"deliverable,omitempty"`
	// SessionID, TurnID and RunID are where it happened.
	SessionID string `json:"sessionId,omitempty"`
	TurnID    string `json:"turnId,omitempty"`
	RunID     string `json:"runId,omitempty"`
	// By is the person, or the agent, that did it.
	By string `json:"by,omitempty"`
	// Paths are the first files, relative to the project; Files counts all.
	Paths []string `json:"paths,omitempty"`
	Files int      `json:"files,omitempty"`
	// Status is, of a run, how it ended.
	Status string `json:"status,omitempty"`
}

// The kinds of happenings.
const (
	// KindChanges: a turn changed files.
	KindChanges = "changes"
	// KindUndo: somebody took changes back.
	KindUndo = "undo"
	// KindTransition: a deliverable went to another state.
	KindTransition = "transition"
	// KindRegister: a register was written.
	KindRegister = "register"
	// KindFiles: a command of belay changed files.
	KindFiles = "files"
	// KindRun: a run of a workflow ended.
	KindRun = "run"
)

// What [Overview.Activity] looks at: sessions, those used last first, bytes of their
// transcripts, and runs, the newest first.
const (
	activitySessions = 200
	activityBytes    = 64 << 20
	activityRuns     = 200
	// auditPages are pages of the audit log: 1,000 entries, of at most 64 MiB of it.
	auditPages = 2
)

// ActivityQuery says what of a project's activity is wanted.
type ActivityQuery struct {
	Project string
	// Since is the time after which it happened.
	Since time.Time
	// Limit is how many happenings at most; 0 stands for [DefaultPage].
	Limit int
	// Cursor is the [Activity.NextCursor] of the page before.
	Cursor string
}

// Activity is a part of what happened in a project, the latest first.
type Activity struct {
	Happenings []Happening `json:"happenings"`
	// NextCursor leads to the next page, absent on the last one.
	NextCursor string `json:"nextCursor,omitempty"`
	// Total is how many happenings all pages have.
	Total int `json:"total"`
	// More is set where there may be others that were not looked at.
	More bool `json:"more,omitempty"`
}

// Activity lists what happened in a project after a time: applied changes, transitions,
// edits of registers, and runs that ended. It is gathered from the transcripts of the 200
// sessions that were used last (at most 64 MiB), the newest 1,000 entries about the project
// in the last 64 MiB of the audit log, and the newest 200 runs. A cursor leads to what
// happened before it, also when more happens meanwhile.
func (v *Overview) Activity(ctx context.Context, q ActivityQuery) (Activity, error) {
	after, err := readCursor(q.Cursor, ofActivity)
	if err != nil {
		return Activity{}, err
	}
	var a Activity
	for _, gather := range []func(context.Context, ActivityQuery, *Activity) error{v.sessionActivity, v.auditActivity, v.runActivity} {
		if err := gather(ctx, q, &a); err != nil {
			return Activity{}, err
		}
	}
	all := a.Happenings
	slices.SortFunc(all, func(a, b Happening) int {
		return cmp.Or(cmp.Compare(b.At.UnixMilli(), a.At.UnixMilli()), strings.Compare(b.ID, a.ID))
	})
	a.Total = len(all)
	if after != nil {
		all = slices.DeleteFunc(all, func(h Happening) bool {
			return cmp.Or(cmp.Compare(h.At.UnixMilli(), after.Used), strings.Compare(h.ID, after.ID)) >= 0
		})
	}
	if limit := cmp.Or(q.Limit, DefaultPage); len(all) > limit {
		all = all[:limit]
		last := all[limit-1]
		a.NextCursor = writeCursor(cursor{last.At.UnixMilli(), last.ID, ofActivity})
	}
	a.Happenings = append([]Happening{}, all...) // a list, also where it is empty
	return a, nil
}

// sessionActivity adds what turns changed.
func (v *Overview) sessionActivity(ctx context.Context, q ActivityQuery, a *Activity) error {
	rows, _, err := v.rows(ctx, q.Project)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r session.Row) bool { return r.Damaged || !r.Used.After(q.Since) })
	slices.SortFunc(rows, byUse)
	left := int64(activityBytes)
	for i, r := range rows {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if i == activitySessions || left <= 0 {
			a.More = true
			return nil
		}
		changes, read, err := v.o.Sessions.ChangesAfter(r, q.Since)
		left -= read
		if err != nil || len(changes) == 0 {
			continue // who opens the session learns that it cannot be read
		}
		title, persona := r.ID, ""
		if rec, err := v.o.Sessions.Read(r); err == nil && rec != nil {
			persona = rec.Persona
			if d, err := v.digest(r); err == nil {
				title = cmp.Or(titleOf(rec, d), title)
			}
		}
		for _, c := range changes {
			h := Happening{
				ID: join(r.ID, c.Turn), At: c.At.Time, Kind: KindChanges, What: title, By: persona,
				SessionID: r.ID, TurnID: c.Turn, Paths: c.Paths, Files: c.Files, Deliverable: common(c.Paths, c.Files),
			}
			if c.Undone {
				h.ID, h.Kind, h.By = join(r.ID, c.Turn, KindUndo), KindUndo, c.By
			}
			a.Happenings = append(a.Happenings, h)
		}
	}
	return nil
}

// join makes an id of several parts.
func join(parts ...string) string { return strings.Join(parts, "-") }

// common is the deliverable in which all files are, "" where there is none or not all are
// known.
func common(paths []string, files int) string {
	if len(paths) == 0 || len(paths) < files {
		return ""
	}
	of := deliverableIn(paths[0])
	for _, p := range paths[1:] {
		if deliverableIn(p) != of {
			return ""
		}
	}
	return of
}

// deliverableIn is the deliverable in whose folder a path is, "" for none.
func deliverableIn(path string) string {
	pkg, id := finding.Place(path)
	if pkg == "" || id == "" {
		return ""
	}
	return pkg + "::" + id
}
