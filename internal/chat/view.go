package chat

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"belay/internal/quantity"
	"belay/internal/render"
)

// View implements [tea.Model]: from the top the conversation, what waits to be
// heard, the question or the line of what goes on, the editor, and who one speaks
// to. The conversation gets the lines that the others leave.
func (m *Model) View() tea.View {
	var below []string
	var cursor *tea.Cursor
	below = append(below, m.outbox.draw(m.look, m.width)...)
	if m.menu != nil {
		below = append(below, m.menu.lines(m.look, m.editor.text(), m.width)...)
	} else if len(m.dialog.asks) > 0 {
		lines, c := m.dialog.panel(m.width, m.questionHeight())
		if c != nil {
			c.Y += len(below)
			cursor = c
		}
		below = append(below, lines...)
	}
	rule := len(below)
	below = append(below, "")
	below = append(below, m.hints()...)
	typed, at := m.editor.draw()
	if cursor == nil && !m.dialog.has() {
		cursor = at
		cursor.Y += len(below)
	}
	below = append(below, typed...)
	below = append(below, m.info.line(m.look, m.session, m.width))

	room := max(0, m.height-len(below))
	m.conversation.resize(m.width, room)
	lines := m.conversation.view()
	below[rule] = m.rule() // which says where the conversation stands
	for len(lines) < room {
		lines = append(lines, "")
	}
	over := max(0, len(below)-m.height) // of a tiny window the lowest lines stay
	lines = append(lines, below[over:]...)
	if cursor != nil {
		if cursor.Y += room - over; cursor.Y < 0 {
			cursor = nil
		}
	}
	content := strings.Join(lines, "\n")
	if m.ascii {
		content = inASCII(content, m.look.Wide)
	}
	v := tea.NewView(content)
	v.AltScreen, v.MouseMode, v.Cursor = true, tea.MouseModeCellMotion, cursor
	v.ReportFocus = !m.o.Quiet
	v.WindowTitle = "belay"
	if m.o.Project != "" {
		v.WindowTitle = "belay · " + render.Line(filepath.Base(m.o.Project))
	}
	if m.ascii {
		v.WindowTitle = inASCII(v.WindowTitle, m.look.Wide)
	}
	return v
}

// questionHeight is how much of the window a question takes at most.
func (m *Model) questionHeight() int { return max(4, m.height*3/5) }

// rule parts the conversation from the editor, and says what goes on.
func (m *Model) rule() string {
	text, style := "", m.look.Faint
	now := m.o.Clock()
	switch {
	case m.follower.lostWhy != "":
		text, style = "no connection, trying again: "+render.Line(m.follower.lostWhy), m.look.Bad
	case m.stopping:
		text, style = "stopping; Ctrl-C again leaves", m.look.Warn
	case now.Before(m.leaving) && m.leavingBy == "ctrl+d":
		text, style = "a turn runs; Ctrl-D again stops it and leaves", m.look.Warn
	case now.Before(m.leaving):
		text, style = "Ctrl-C again leaves", m.look.Warn
	case len(m.dialog.asks) > 0:
		text, style = "waits for your answer", m.look.Warn
	case m.reducer.turn != "":
		text = "working"
		if d := now.Sub(m.reducer.began); d > 0 {
			text += " " + quantity.Duration(d.Truncate(tickEvery))
		}
		text += " · Ctrl-C stops"
		style = m.look.Accent
	case m.outbox.sending != nil:
		text, style = "sending", m.look.Accent
	}
	if m.conversation.loose {
		text = strings.TrimPrefix(text+" · scrolled up, Esc goes to the end", " · ")
	}
	if text == "" {
		return m.look.Faint.Render(strings.Repeat("─", m.width))
	}
	text = m.look.Cut(text, max(1, m.width-4))
	line := "── " + text + " "
	return style.Render(line + strings.Repeat("─", max(0, m.width-m.look.Cells(line))))
}

// hints are the completions, or what goes with the next message.
func (m *Model) hints() []string {
	if hints := m.editor.hints(m.look, m.width, m.height); hints != nil {
		return hints
	}
	lines := m.own.hints(m.look, m.editor.text(), m.width)
	if len(m.outbox.attached) == 0 {
		return lines
	}
	var names []string
	for _, f := range m.outbox.attached {
		names = append(names, m.look.Shorten(render.Line(f), max(12, m.width/2)))
	}
	return append(lines, m.look.Accent.Render(m.look.Cut("+ "+strings.Join(names, ", "), m.width)))
}
