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
