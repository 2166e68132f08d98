package overview

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/workflow/run"
)

// endedRuns are runs of a project, as a runner lists them.
type endedRuns []run.Summary

func (endedRuns) Questions(context.Context) ([]run.Waiting, error) { return nil, nil }

func (r endedRuns) List(context.Context, string, int) ([]run.Summary, int, error) { return r, 0, nil }

// unread has runs of which none can be read.
type unread struct{ endedRuns }

func (unread) List(context.Context, string, int) ([]run.Summary, int, error) { return nil, 3, nil }

// Folders of runs that never began are no fault of the activity.
func TestActivityWithoutARunThatBegan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Runs = unread{} })
	a, err := w.Activity(t.Context(), ActivityQuery{Project: t.TempDir()})
	if err != nil || !a.More {
		t.Errorf("%+v, %v", a, err)
	}
	if a.Happenings == nil {
		t.Error("the list is null in JSON")
	}
}

// says is an activity in short.
func says(a Activity) (all []string) {
	for _, h := range a.Happenings {
		all = append(all, strings.Join(slices.DeleteFunc([]string{h.Kind, h.What, h.Deliverable, strings.Join(h.Paths, " "), h.By, h.Status}, func(s string) bool { return s == "" }), "|"))
	}
	return all
}

func TestActivity(t *testing.T) {
	t.Parallel()
	project, other := t.TempDir(), t.TempDir()
	day := func(hour int) time.Time { return time.Date(2026, 1, 2, hour, 0, 0, 0, time.UTC) }
	var at time.Time
	audit, err := permit.OpenAudit(filepath.Join(t.TempDir(), "audit.jsonl"), func() time.Time { return at })
	must(t, err)
	ended, early := day(9), day(1)
	w := newWorld(t, func(o *Options) {
		o.Audit = audit
		o.Runs = endedRuns{{ID: "r2", Workflow: "audit", Status: run.Failed, EndedAt: &ended}, {ID: "r1", Workflow: "audit", Status: run.Success, EndedAt: &early}, {ID: "r3", Workflow: "audit", Status: run.Running}}
	})
	note := func(hour int, e permit.Entry) {
		t.Helper()
		at = day(hour)
		must(t, audit.Append(t.Context(), e))
	}
	const deck = "PKG-01_Bridge/1_Working/DEL-01-01_Deck/"
	s := w.session(project, "Levels")
	l, err := w.store.Acquire(t.Context(), s.SessionID)
	must(t, err)
	must(t, l.Begin("t1"))
	for hour, changes := range map[int][]session.Change{5: {{Path: deck + "deck.csv", After: "a"}, {Path: deck + "Datasheet.md", After: "b"}}} {
		must(t, l.Append(
			session.Entry{Kind: session.EntryTurn, Turn: "t1", Message: "raise it", Time: session.Time{Time: day(hour)}},
			session.Entry{Kind: session.EntryTools, Turn: "t1", Time: session.Time{Time: day(hour)}, Changes: changes},
			session.Entry{Kind: session.EntryEnd, Turn: "t1", Time: session.Time{Time: day(hour)}}))
	}
	must(t, l.Append(session.Entry{Kind: session.EntryUndo, Turn: "t1", Time: session.Time{Time: day(10)}, Paths: []string{deck + "deck.csv"}, By: "ana"}))
	must(t, l.Release())
	note(2, permit.Entry{Kind: "transition", Project: project, Summary: "too early"})
	note(6, permit.Entry{Kind: "transition", Project: project, Summary: deck + "_STATUS.md: OPEN to INITIALIZED by HUMAN", By: "ana"})
	note(7, permit.Entry{Kind: "register", Project: project, Summary: deck + "Dependencies.csv: 2 rows", By: "ben", Verdict: "written"})
	note(7, permit.Entry{Kind: "register", Project: project, Summary: deck + "Dependencies.csv: 3 rows", Verdict: "failed"})
	for _, verdict := range []string{"begins", "failed"} { // one that failed did not happen, and one that did happen stays
		note(7, permit.Entry{Kind: "transition", Project: project, Summary: deck + "_STATUS.md: INITIALIZED to SEMANTIC_READY by HUMAN", By: "ana", Verdict: verdict, Reason: verdict})
		note(7, permit.Entry{Kind: "files", Project: project, Summary: "renumber: " + deck + "Dependencies.csv", By: "ana", Note: "one", Verdict: verdict})
	}
	note(4, permit.Entry{Kind: "files", Project: project, Summary: "renumber: " + deck + "Dependencies.csv", By: "ana", Note: "two", Verdict: "begins"})
	note(8, permit.Entry{Kind: "transition", Project: other, Summary: "elsewhere"})
	note(8, permit.Entry{Kind: "changes", Project: project, SessionID: s.SessionID, TurnID: "t1", Summary: "kept ones of the same turn"})
	note(8, permit.Entry{Kind: "refusal", Project: project, Summary: "no"})

	q := ActivityQuery{Project: project, Since: day(3)}
	a, err := w.Activity(t.Context(), q)
	must(t, err)
	want := []string{
		"undo|Levels|PKG-01::DEL-01-01|" + deck + "deck.csv|ana",
		"run|audit|failed",
		"register|" + deck + "Dependencies.csv: 2 rows|PKG-01::DEL-01-01|ben",
		"transition|" + deck + "_STATUS.md: OPEN to INITIALIZED by HUMAN|PKG-01::DEL-01-01|ana",
		"changes|Levels|PKG-01::DEL-01-01|" + deck + "deck.csv " + deck + "Datasheet.md|WORKING_ITEMS",
		"files|renumber: " + deck + "Dependencies.csv|ana",
	}
	if diff := cmp.Diff(want, says(a)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a.Total != len(want) || a.More || a.NextCursor != "" {
		t.Errorf("total %d, more %v, cursor %q", a.Total, a.More, a.NextCursor)
	}

	// Page by page; what happens meanwhile does not disturb.
	var paged []string
	for q.Limit = 2; ; {
		page, err := w.Activity(t.Context(), q)
		must(t, err)
		paged = append(paged, says(page)...)
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			break
		}
		note(11, permit.Entry{Kind: "register", Project: project, Summary: fmt.Sprint("new ", len(paged))})
	}
	if diff := cmp.Diff(want, paged); diff != "" {
		t.Errorf("page by page (-want +got):\n%s", diff)
	}
	q.Cursor = "nonsense"
	if _, err := w.Activity(t.Context(), q); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("a cursor that is none: %v", err)
	}
}

// A happening of a turn has the ids of the session and of the turn in its own, and is the
// last of a page like any other.
func TestActivityPagesByTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.newID = func() string { return uuid.Must(uuid.NewV7()).String() }
	project := t.TempDir()
	s := w.session(project, "Levels")
	l, err := w.store.Acquire(t.Context(), s.SessionID)
	must(t, err)
	for i := range 3 {
		turn := "turn_" + w.newID()
		at := session.Time{Time: w.now.Add(time.Duration(i) * time.Minute)}
		must(t, l.Begin(turn))
		must(t, l.Append(
			session.Entry{Kind: session.EntryTurn, Turn: turn, Message: "raise it", Time: at},
			session.Entry{Kind: session.EntryTools, Turn: turn, Time: at, Changes: []session.Change{{Path: fmt.Sprint(i), After: "a"}}},
			session.Entry{Kind: session.EntryEnd, Turn: turn, Time: at}))
	}
	must(t, l.Release())
	var paths []string
	for q := (ActivityQuery{Project: project, Limit: 1}); len(paths) < 4; {
		page, err := w.Activity(t.Context(), q)
		must(t, err)
		for _, h := range page.Happenings {
			paths = append(paths, h.Paths...)
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"2", "1", "0"}, paths); diff != "" {
		t.Error(diff)
	}
	for _, c := range []cursor{{1, "", ofActivity}, {1, strings.Repeat("x", maxCursorID+1), ofActivity}, {1, "sess_1", ""}} {
		if _, err := w.Activity(t.Context(), ActivityQuery{Project: project, Cursor: writeCursor(c)}); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("an id of %d bytes, of %q: %v", len(c.ID), c.Of, err)
		}
	}
}
