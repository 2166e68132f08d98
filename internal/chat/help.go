package chat

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
)

// help is what a person can do, in two columns; in a narrow window the second one
// stands under the first.
type help struct{ rows [][2]string }

// helpColumn is the width of the first column, narrowHelp the least width for two.
const (
	helpColumn = 17
	narrowHelp = 56
)

func (h *help) draw(l *render.Look, width int) []string {
	var lines []string
	for _, r := range h.rows {
		if r[0] == "" {
			lines = append(lines, "")
			continue
		}
		lead, room := "  "+r[0], width-2-helpColumn
		if width < narrowHelp {
			lines = append(lines, l.Strong.Render(l.Cut(lead, width)))
			lead, room = "      ", width-6
		} else {
			lead = l.Strong.Render(lead) + strings.Repeat(" ", max(1, 2+helpColumn-l.Cells(lead)))
		}
		lines = append(lines, render.Prefixed(l.Fold(r[1], max(4, room)), lead, strings.Repeat(" ", max(0, width-room)))...)
	}
	return lines
}

func showHelp(m *Model, _ string) tea.Cmd {
	var rows [][2]string
	for _, c := range m.editor.commands {
		rows = append(rows, [2]string{strings.TrimSpace("/" + c.name + " " + c.takes), c.does})
	}
	rows = append(append(rows, [2]string{}), keyHelp()...)
	m.conversation.add(&help{rows})
	return nil
}

// keyHelp are the keys that one would not guess.
func keyHelp() [][2]string {
	return [][2]string{
		{"Enter", "send; while a turn runs, steer it at its next step"},
		{"Alt-Enter", "while a turn runs, say it when the answer is complete"},
		{"Shift-Enter", `a new line, as are Ctrl-J and a \ at the end`},
		{"Ctrl-G", "write in your own editor: $VISUAL, else $EDITOR"},
		{"@name", "send a file: the names that fit are listed as you type; Tab puts one in"},
		{"Ctrl-V", "attach the image on the clipboard; a pasted path of an image is attached, too"},
		{"!command", "run it yourself, in your shell and outside the sandbox; the output goes with your next message"},
		{"/", "list the commands; Enter runs the picked one"},
		{"Shift-Tab", "the next permission mode"},
		{"y o s a n N", "answer a question: allow, only some files, for the session, always (not with --server: the rules are its operator's), deny, deny and say why"},
		{"Up, Down", "what was typed before"},
		{"Ctrl-R", "look for what was typed before, by what you type then; again, earlier"},
		{"PgUp, PgDn", "scroll, as does the wheel; Esc goes back to the end"},
		{"Ctrl-O", "show everything whole, or folded again"},
		{"Ctrl-C", "stop the turn; twice, leave"},
		{"Ctrl-D", "leave, from an empty line"},
		{"Shift and mouse", "mark text, in most terminals"},
	}
}
