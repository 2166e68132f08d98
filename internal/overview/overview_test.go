package overview

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is a state folder with the parts that an overview looks at.
type world struct {
	*Overview
	t        testing.TB
	store    *session.Store
	requests *permit.Requests
	now      time.Time
	ids      int
	// newID makes the ids of sessions, without their prefix.
	newID func() string
}

func newWorld(t testing.TB, adjust ...func(*Options)) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	w.newID = func() string { w.ids++; return fmt.Sprintf("s%04d", w.ids) }
	clock := func() time.Time { w.now = w.now.Add(time.Second); return w.now }
	var err error
	w.store, err = session.NewStore(session.Options{StateDir: t.TempDir(), Clock: clock, NewID: func() string { return w.newID() }})
	must(t, err)
	t.Cleanup(func() { must(t, w.store.Close()) })
	w.requests, err = permit.OpenRequests(permit.RequestsOptions{Dir: t.TempDir()})
	must(t, err)
	t.Cleanup(func() { must(t, w.requests.Close()) })
	o := Options{Sessions: w.store.Catalog(), Questions: w.requests, Tick: 5 * time.Millisecond}
	for _, f := range adjust {
		f(&o)
	}
	w.Overview = New(o)
	t.Cleanup(w.Overview.Close)
	return w
}

func (w *world) session(project, title string) session.Record {
	w.t.Helper()
	rec, err := w.store.CreateFrom(context.Background(), session.Record{ProjectRoot: project, Persona: "WORKING_ITEMS", Mode: "direct", Title: title})
	must(w.t, err)
	return rec
}

// turn runs a turn that says message and costs so much; without an end where open is set,
// whose lease is returned.
func (w *world) turn(id, turn, message string, cost float64, open bool) *session.Lease {
	w.t.Helper()
	l, err := w.store.Acquire(context.Background(), id)
	must(w.t, err)
	must(w.t, l.Begin(turn))
	must(w.t, l.Append(session.Entry{Kind: session.EntryTurn, Turn: turn, Message: message, Time: session.Time{Time: w.now}}))
	if open {
		return l
	}
	w.now = w.now.Add(time.Second)
	must(w.t, l.Append(session.Entry{Kind: session.EntryEnd, Turn: turn, Usage: &event.Tokens{CostUSD: &cost}, Time: session.Time{Time: w.now}}))
	must(w.t, l.Release())
	return nil
}

func (w *world) ask(id, sessionID, project string) {
	w.t.Helper()
	_, err := w.requests.Post(context.Background(), permit.Request{ID: id, SessionID: sessionID, ProjectRoot: project,
		Effect: permit.Effect{Tool: "bash", Command: "make"}, Reason: "it asks"})
	must(w.t, err)
}

// titles are those of a query's sessions, page by page.
func (w *world) titles(q Query) (all []string) {
	w.t.Helper()
	for {
		page, err := w.Sessions(context.Background(), q)
		must(w.t, err)
		for _, s := range page.Sessions {
			all = append(all, s.Title)
		}
		if page.NextCursor == "" {
			if page.Total != len(all) && q.Cursor != "" {
				w.t.Errorf("%d sessions, a total of %d", len(all), page.Total)
			}
			return all
		}
		q.Cursor = page.NextCursor
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bridge, tower := t.TempDir(), t.TempDir()
	a := w.session(bridge, "")
	w.turn(a.SessionID, "t1", "\n  Check the\tBearings \nof pier 4", 0.25, false)
	w.turn(a.SessionID, "t2", "again", 0.5, false)
	b := w.session(tower, "Lift shaft")
	l := w.turn(b.SessionID, "t1", "dig", 0, true)
	c := w.session(bridge, "")
	w.turn(c.SessionID, "t1", "Paint it", 0, false)
	w.ask("dec_1", c.SessionID, bridge)

	if diff := cmp.Diff([]string{"Paint it", "Lift shaft", "Check the Bearings"}, w.titles(Query{})); diff != "" {
		t.Error(diff)
	}
	for _, q := range []struct {
		Query
		want []string
	}{
		{Query{Limit: 1}, []string{"Paint it", "Lift shaft", "Check the Bearings"}},
		{Query{Limit: 2}, []string{"Paint it", "Lift shaft", "Check the Bearings"}},
		{Query{Text: "bearings CHECK"}, []string{"Check the Bearings"}},
		{Query{Text: "bearings shaft"}, nil},
		{Query{Project: bridge}, []string{"Paint it", "Check the Bearings"}},
		{Query{State: Running}, []string{"Lift shaft"}},
		{Query{State: Waiting}, []string{"Paint it"}},
		{Query{State: Idle}, []string{"Check the Bearings"}},
		{Query{State: Damaged}, nil},
	} {
		if diff := cmp.Diff(q.want, w.titles(q.Query)); diff != "" {
			t.Errorf("%+v: %s", q.Query, diff)
		}
	}
	page, err := w.Sessions(t.Context(), Query{State: Idle})
	must(t, err)
	got := page.Sessions[0]
	if got.Turns != 2 || got.CostUSD == nil || *got.CostUSD != 0.75 || got.ProjectRoot != bridge || got.ProjectID != ProjectID(bridge) {
		t.Errorf("%+v", got)
	}
	must(t, l.Release())
	if diff := cmp.Diff([]string{"Lift shaft", "Check the Bearings"}, w.titles(Query{State: Idle})); diff != "" {
		t.Errorf("after the turn: %s", diff)
	}
	must(t, w.store.Delete(t.Context(), b.SessionID))
	if diff := cmp.Diff([]string{"Paint it", "Check the Bearings"}, w.titles(Query{Limit: 1})); diff != "" {
		t.Errorf("after a deletion: %s", diff)
	}
	ofAnotherList := base64.RawURLEncoding.EncodeToString([]byte(`{"id":"sess_1","created":1795987413563,"updated":1795987413572}`))
	trailing := base64.RawURLEncoding.EncodeToString([]byte(`{"used":1,"id":"sess_1"}{}`))
	for _, at := range []string{"rubbish", ofAnotherList, trailing, writeCursor(cursor{1, "audit-1", ofActivity})} {
		if _, err := w.Sessions(t.Context(), Query{Cursor: at}); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("cursor %s: %v", at, err)
		}
	}
}

// Sessions that were used within one millisecond are each on one page, in the order of the
// cursors.
func TestSameMillisecond(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	rows := []session.Row{{ID: "a", Used: at.Add(time.Microsecond)}, {ID: "b", Used: at.Add(2 * time.Microsecond)}, {ID: "c", Used: at.Add(3 * time.Microsecond)}}
	slices.SortFunc(rows, byUse)
	var seen []string
	for len(rows) > 0 && len(seen) < 4 {
		seen = append(seen, rows[0].ID)
		rows = rowsAfter(rows, cursor{Used: rows[0].Used.UnixMilli(), ID: rows[0].ID})
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, seen); diff != "" {
		t.Error(diff)
	}
}

func TestProjects(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := newWorld(t, func(o *Options) { o.Home = home })
	bridge, added := t.TempDir(), t.TempDir()
	rec := w.session(bridge, "")
	w.ask("dec_1", rec.SessionID, bridge)
	p, err := w.Add(t.Context(), added)
	must(t, err)
	all, err := w.Projects(t.Context())
	must(t, err)
	if len(all) != 3 || all[0].Path != bridge || all[0].Sessions != 1 || all[0].OpenQuestions != 1 || !all[0].Exists {
		t.Errorf("%+v", all)
	}
	for _, want := range []string{bridge, added, home} {
		if got, err := w.Root(ProjectID(want)); err != nil || got != want {
			t.Errorf("%s: %q, %v", want, got, err)
		}
	}
	if p.ID != ProjectID(added) {
		t.Errorf("%+v", p)
	}
	for _, bad := range []string{"", "p_0123456789abcdef", "../etc"} {
		if _, err := w.Root(bad); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A page of many sessions is quick once they were looked at.
func BenchmarkSessions(b *testing.B) {
	w := newWorld(b)
	var projects []string
	for range 20 {
		projects = append(projects, b.TempDir())
	}
	for i := range 5000 {
		rec := w.session(projects[i%len(projects)], "")
		w.turn(rec.SessionID, "t1", fmt.Sprintf("session %d does something", i), 0.01, false)
	}
	for name, q := range map[string]Query{"all": {}, "query": {Text: "4999 something"}, "state": {State: Running}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := w.Sessions(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			v := New(w.o)
			if _, err := v.Sessions(b.Context(), Query{Text: "4999"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
