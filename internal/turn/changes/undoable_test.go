package changes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/session"
)

// A repository that a turn has made is git's: undo takes other files back and does
// not break it.
func TestUndoLeavesRepositories(t *testing.T) {
	t.Parallel()
	made := []session.Change{{Path: "sub/.git/config", After: "1"}, {Path: ".GIT/hooks/x", After: "2"}, {Path: "README", After: "3"}}
	entries := []session.Entry{
		{Kind: session.EntryTurn, Turn: "t1"}, {Kind: session.EntryTools, Turn: "t1", Changes: made}, {Kind: session.EntryEnd, Turn: "t1"},
	}
	got, done, err := Undoable(entries, UndoRequest{SessionID: "s1", TurnID: "t1"})
	if err != nil || len(got) != 1 || cmp.Diff([]string{"README"}, done.Paths) != "" {
		t.Errorf("taken back: %+v, %v, %v", got, done.Paths, err)
	}
}

// What a person applied of a turn after its undo stands, is shown as its own, and can be taken
// back in turn.
func TestUndoOfWhatWasAppliedLater(t *testing.T) {
	t.Parallel()
	entries := []session.Entry{
		{Kind: session.EntryTurn, Turn: "t1"}, {Kind: session.EntryTools, Turn: "t1", Changes: []session.Change{{Path: "a", After: "1"}}},
		{Kind: session.EntryEnd, Turn: "t1"}, {Kind: session.EntryUndo, Turn: "t1", Paths: []string{"a"}},
	}
	r := UndoRequest{SessionID: "s1", TurnID: "t1"}
	if got, done, err := Undoable(entries, r); err != nil || len(got) != 0 || !done.Already || cmp.Diff([]string{"a"}, done.Paths) != "" {
		t.Errorf("all was taken back: %+v, %+v, %v", got, done, err)
	}
	entries = append(entries, session.Entry{Kind: session.EntryChanges, Turn: "t1", Changes: []session.Change{{Path: "b", After: "2"}}})
	if got, done, err := Undoable(entries, r); err != nil || len(got) != 1 || done.Already || cmp.Diff([]string{"b"}, done.Paths) != "" {
		t.Errorf("one was applied later: %+v, %+v, %v", got, done, err)
	}
	if got := takenBackBy([]session.Change{{Path: "a", After: "1"}, {Path: "b", After: "2"}}, []session.Change{{Path: "a", Before: "1"}, {Path: "b", Before: "9"}}); cmp.Diff([]string{"a"}, got) != "" {
		t.Errorf("an undo of a took back %v", got)
	}
	if all := In(entries, ""); len(all) != 2 || all[0].Undone == nil || all[1].Undone != nil {
		t.Errorf("the changes are %+v", all)
	}
}
