package overview

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/session"
)

// changing is a turn that changed files.
func (w *world) changing(id, turn string, paths ...string) {
	w.t.Helper()
	l, err := w.store.Acquire(context.Background(), id)
	must(w.t, err)
	must(w.t, l.Begin(turn))
	at := session.Time{Time: w.now}
	var changes []session.Change
	for _, p := range paths {
		changes = append(changes, session.Change{Path: p})
	}
	must(w.t, l.Append(session.Entry{Kind: session.EntryTurn, Turn: turn, Message: `it says "changes":[ and no more`, Time: at}))
	must(w.t, l.Append(session.Entry{Kind: session.EntryIntent, Turn: turn, Changes: []session.Change{{Path: "PKG-01/DEL-01/intended.md"}}, Time: at}))
	must(w.t, l.Append(session.Entry{Kind: session.EntryTools, Turn: turn, Changes: changes, Time: at}))
	must(w.t, l.Append(session.Entry{Kind: session.EntryEnd, Turn: turn, Time: at}))
	must(w.t, l.Release())
	w.now = w.now.Add(1e9)
}

// The sessions of a folder are those that changed something in it, and not beside it.
func TestTouching(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	project := t.TempDir()
	first, other, last := w.session(project, "Levels"), w.session(project, "Elsewhere"), w.session(project, "")
	w.changing(first.SessionID, "t1", "PKG-01/DEL-01/a.md", "PKG-01/DEL-010/b.md")
	w.changing(first.SessionID, "t2", "PKG-01/DEL-01/a.md", "PKG-01/DEL-01/deep/c.csv")
	w.changing(other.SessionID, "t3", "PKG-01/DEL-010/b.md", "PKG-01/DEL-01")
	w.changing(last.SessionID, "t4", "PKG-01/DEL-01/d.md")
	all, more, err := w.Touching(t.Context(), project, "PKG-01/DEL-01")
	must(t, err)
	for i := range all {
		all[i].Last = session.Time{}
	}
	want := []Touching{
		{SessionID: last.SessionID, Title: `it says "changes":[ and no more`, Persona: "WORKING_ITEMS", Turns: 1, Paths: []string{"PKG-01/DEL-01/d.md"}},
		{SessionID: first.SessionID, Title: "Levels", Persona: "WORKING_ITEMS", Turns: 2, Paths: []string{"PKG-01/DEL-01/a.md", "PKG-01/DEL-01/deep/c.csv"}},
	}
	if diff := cmp.Diff(want, all); diff != "" || more {
		t.Errorf("more %v (-want +got):\n%s", more, diff)
	}
}
