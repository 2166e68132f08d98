package chat

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// View implements [tea.Model]: from the top the conversation, what waits to be
// heard, the question or the line of what goes on, the editor, and who one speaks
// to. The conversation gets the lines that the others leave.
func (m *Model) View() tea.View {
	var below []string
	var cursor *tea.Cursor
	below = append(below, m.waitingLines()...)
	if m.menu != nil {
		below = append(below, m.menu.lines(m.look, m.editor.text, m.width)...)
	} else if len(m.asks) > 0 {
		lines, c := m.panel(m.questionHeight())
		if c != nil {
			c.Y += len(below)
			cursor = c
		}
		below = append(below, lines...)
	}
	rule := len(below)
	below = append(below, "")
	if files := m.files(); files != "" {
		below = append(below, files)
	}
	typed, at := m.editor.draw(m.look)
	if cursor == nil && !(m.answering && len(m.asks) > 0) {
		cursor = at
		cursor.Y += len(below)
	}
	below = append(below, typed...)
	below = append(below, m.bottom())

	room := max(0, m.height-len(below))
	m.roll.resize(m.width, room)
	lines := m.roll.view()
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
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen, v.MouseMode, v.Cursor = true, tea.MouseModeCellMotion, cursor
	v.WindowTitle = "belay"
	if m.o.Project != "" {
		v.WindowTitle = "belay · " + oneLine(filepath.Base(m.o.Project))
	}
	return v
}

// questionHeight is how much of the window a question takes at most.
func (m *Model) questionHeight() int { return max(4, m.height*3/5) }

// shownWaiting is how much of what waits is shown.
const shownWaiting = 3

// waitingLines are what was said into the turn and not heard yet.
func (m *Model) waitingLines() []string {
	all := slices.Concat(m.queued, m.early, m.late)
	var lines []string
	for i, q := range all {
		if i == shownWaiting {
			lines = append(lines, m.look.faint.Render(m.look.cut(fmt.Sprintf("  and %d more", len(all)-i), m.width)))
			break
		}
		label := "at the next step: "
		if q.mode == "followUp" {
			label = "after the answer: "
		}
		lines = append(lines, m.look.faint.Render(m.look.cut("↳ "+label+oneLine(glance(q.text, m.width)), m.width)))
	}
	return lines
}

// rule parts the conversation from the editor, and says what goes on.
func (m *Model) rule() string {
	text, style := "", m.look.faint
	now := m.o.Clock()
	switch {
	case m.lostWhy != "":
		text, style = "no connection, trying again: "+oneLine(m.lostWhy), m.look.bad
	case m.stopping:
		text, style = "stopping; Ctrl-C again leaves", m.look.warn
	case now.Before(m.leaving) && m.leavingBy == "ctrl+d":
		text, style = "a turn runs; Ctrl-D again stops it and leaves", m.look.warn
	case now.Before(m.leaving):
		text, style = "Ctrl-C again leaves", m.look.warn
	case len(m.asks) > 0:
		text, style = "waits for your answer", m.look.warn
	case m.story.turn != "":
		text = "working"
		if d := now.Sub(m.story.began); d > 0 {
			text += " " + shortly(d.Truncate(tickEvery))
		}
		text += " · Ctrl-C stops"
		style = m.look.accent
	case m.sending != nil:
		text, style = "sending", m.look.accent
	}
	if m.roll.loose {
		text = strings.TrimPrefix(text+" · scrolled up, Esc goes to the end", " · ")
	}
	if text == "" {
		return m.look.faint.Render(strings.Repeat("─", m.width))
	}
	text = m.look.cut(text, max(1, m.width-4))
	line := "── " + text + " "
	return style.Render(line + strings.Repeat("─", max(0, m.width-m.look.cells(line))))
}

// files are those that go with the next message, or the completions.
func (m *Model) files() string {
	if hints := m.editor.hints(m.look, m.width); hints != "" {
		return hints
	}
	if len(m.attached) == 0 {
		return ""
	}
	return m.look.accent.Render(m.look.cut("+ "+oneLine(strings.Join(m.attached, ", ")), m.width))
}

// dotted are the parts that there are, in a line.
func dotted(parts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), " · ")
}

// bottom says whom one speaks to.
func (m *Model) bottom() string {
	parts := []string{oneLine(m.persona), oneLine(m.mode), oneLine(m.model), "", ""}
	if m.spent > 0 {
		parts[3] = fmt.Sprintf("$%.4f", m.spent)
	}
	if m.session != "" {
		parts[4] = shortID(m.session)
	}
	left := dotted(parts)
	for _, least := range []int{2, 1, 4} { // what a narrow window goes without
		if m.look.cells(left) > m.width {
			parts[least] = ""
			left = dotted(parts)
		}
	}
	const help = "/help"
	if gap := m.width - m.look.cells(left) - len(help); gap > 1 {
		left += strings.Repeat(" ", gap) + help
	}
	return m.look.faint.Render(m.look.cut(left, m.width))
}
