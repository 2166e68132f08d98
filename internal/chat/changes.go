package chat

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"belay/internal/quantity"
	"belay/internal/render"
	"belay/internal/turn/changes"
)

// filed is one file that a turn changed, with its diff.
type filed struct {
	changes.FileChange
	undone bool
}

// changedLines is how much of one file's diff is shown.
const changedLines = 60

func (f *filed) draw(l *render.Look, width int) []string {
	head := changed(f.FileChange)
	if f.undone {
		head += ", taken back"
	}
	var lines []string
	for _, s := range l.Fold(render.Spread(render.Visible(head)), width) {
		lines = append(lines, l.Strong.Render(s))
	}
	if f.undone {
		return lines
	}
	return append(lines, render.Prefixed(render.Diff(l, f.Diff, max(4, width-2), changedLines), "  ", "  ")...)
}

// changed is one file in a line.
func changed(c changes.FileChange) string {
	switch {
	case c.Restored:
		return "not applied " + c.Path
	case c.AfterMode.IsDir():
		return "new folder " + c.Path
	case c.Before == "" && c.Lost == "":
		return fmt.Sprintf("new %s (%s)", c.Path, quantity.Size(c.AfterBytes))
	case c.Removes():
		return fmt.Sprintf("removed %s (%s)", c.Path, quantity.Size(c.BeforeBytes))
	}
	return fmt.Sprintf("changed %s (%s → %s)", c.Path, quantity.Size(c.BeforeBytes), quantity.Size(c.AfterBytes))
}

// unchanged is said where there is nothing to show or to take back.
const unchanged = "this session has changed no files"

func showChanges(m *Model, _ string) tea.Cmd {
	if m.session == "" {
		m.conversation.notify(noticeInfo, unchanged)
		return nil
	}
	id := m.session
	return m.calls.call(func(ctx context.Context) tea.Msg {
		turns, err := m.o.Engine.Changes(ctx, id, "")
		var items []item
		for _, t := range turns {
			if t.Note != "" {
				items = append(items, &notice{kind: noticeInfo, text: t.Note})
			}
			for _, c := range t.Changes {
				items = append(items, &filed{c, t.Undone != nil})
			}
		}
		if len(items) == 0 && err == nil {
			items = []item{&notice{kind: noticeInfo, text: unchanged}}
		}
		return reported{items, err}
	})
}

// undoTurn shows what the last turn changed that changed any and still stands, and takes
// it back when the person says so.
func undoTurn(m *Model, _ string) tea.Cmd {
	if m.session == "" {
		m.conversation.notify(noticeInfo, unchanged)
		return nil
	}
	id, by := m.session, m.o.By
	return m.calls.call(func(ctx context.Context) tea.Msg {
		turns, err := m.o.Engine.Changes(ctx, id, "")
		if err != nil {
			return reported{err: err}
		}
		last, ok := changes.LastStanding(turns)
		if !ok {
			return reported{items: []item{&notice{kind: noticeInfo, text: "there is nothing to take back"}}}
		}
		if last.Undone != nil {
			return reported{items: []item{&notice{kind: noticeInfo, text: last.Note}}}
		}
		r := changes.UndoRequest{SessionID: id, TurnID: last.Turn, By: by}
		n := quantity.Count(len(last.Changes), "file", "files")
		return choices{session: id, title: "Take back what the last turn did to " + n + "?", about: takenBack(last.Changes), rows: []*choice{
			{row: row{head: "keep", detail: "leave the project as it is; /changes shows the diffs"}, pick: func() tea.Cmd { return nil }},
			{row: row{head: "take back", detail: n + " as before the turn; refused if something else has changed them since"}, pick: func() tea.Cmd { return m.calls.undo(r) }},
		}}
	})
}

func (c *calls) undo(r changes.UndoRequest) tea.Cmd {
	return c.call(func(ctx context.Context) tea.Msg {
		done, err := c.o.Engine.Undo(ctx, r)
		if err != nil {
			return reported{err: err}
		}
		return undone{r.SessionID, done.TurnID, done.Paths}
	})
}

// maxTakenBack is how many files are named that /undo would take back.
const maxTakenBack = 10

// takenBack says of each file what an undo does to it.
func takenBack(all []changes.FileChange) (lines []string) {
	for _, c := range all[:min(len(all), maxTakenBack)] {
		what := "restores " + c.Path
		switch {
		case c.Restored:
			continue
		case c.Removes():
			what += fmt.Sprintf(" (%s)", quantity.Size(c.BeforeBytes))
		case c.AfterMode.IsDir(), c.Before == "" && c.Lost == "":
			what = "removes " + c.Path
		default:
			what += fmt.Sprintf(" (%s → %s)", quantity.Size(c.AfterBytes), quantity.Size(c.BeforeBytes))
		}
		lines = append(lines, render.Spread(render.Visible(what)))
	}
	if more := len(all) - maxTakenBack; more > 0 {
		lines = append(lines, "and "+quantity.Count(more, "more file", "more files"))
	}
	return lines
}
