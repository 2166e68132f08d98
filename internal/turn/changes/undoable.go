package changes

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/tool"
)

// Undoable are a turn's changes that stand, as they can be taken back, and the result of
// doing so; it is the earlier one's where all were taken back.
func Undoable(entries []session.Entry, r UndoRequest) ([]session.Change, UndoResult, error) {
	done := UndoResult{TurnID: r.TurnID}
	if _, known := session.FindTurn(entries, r.TurnID); !known {
		return nil, done, session.NoSuchTurn(r.SessionID, r.TurnID)
	}
	var changes []session.Change
	for _, turn := range In(entries, r.TurnID) {
		if turn.Undone != nil {
			continue
		}
		for _, c := range turn.Changes {
			if c.Restored {
				continue // it was undone at once
			}
			if inGit(c.Path) {
				continue // what a repository consists of is git's to take back
			}
			if c.Path == ".belay" || strings.HasPrefix(c.Path, ".belay/") {
				return nil, done, fault.New(fault.ContentChanged, "the record names a file that no tool can have changed").
					With("paths", []string{c.Path}).WithHint("restore the transcript from a copy")
			}
			changes = append(changes, c.Change)
			done.Paths = append(done.Paths, c.Path)
		}
	}
	if len(changes) == 0 {
		for _, e := range slices.Backward(entries) {
			if e.Kind == session.EntryUndo && e.Turn == r.TurnID {
				done.Paths, done.Time, done.Already = orNone(e.Paths), e.Time, true
				return nil, done, nil
			}
		}
		return nil, done, fault.New(fault.NotFound, "turn %s changed no file, so there is nothing to take back", r.TurnID).
			With("turn", r.TurnID).WithHint("see which turns did with belay session changes %s", r.SessionID)
	}
	slices.Sort(done.Paths)
	done.Paths = slices.Compact(done.Paths)
	return changes, done, nil
}

// inGit reports whether a path is in a repository's own folder. A command that
// makes a repository has its first files on record; taking only these away would
// leave a broken one.
func inGit(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}

// maxTakenBack is how many undos a turn is notified of; with more than that in a row
// the last ones say enough.
const maxTakenBack = 10

// TakenBack is what a turn has to learn first: the changes that were taken back
// since the turn before it, "" for none. It is part of the turn's record, so later
// turns repeat it where it was said.
func TakenBack(entries []session.Entry) string {
	var notes []string
	for _, e := range slices.Backward(entries) {
		if e.Kind == session.EntryTurn || len(notes) == maxTakenBack {
			break
		}
		if e.Kind != session.EntryUndo {
			continue
		}
		about := ""
		if begun, ok := session.FindTurn(entries, e.Turn); ok {
			about = fmt.Sprintf(" (%q)", tool.Clip(strings.Join(strings.Fields(begun.Message), " "), 80))
		}
		notes = append(notes, fmt.Sprintf("[The person took back the file changes of an earlier turn%s. As before that turn again: %s]", about, fault.List(e.Paths)))
	}
	slices.Reverse(notes)
	return strings.Join(notes, "\n")
}
