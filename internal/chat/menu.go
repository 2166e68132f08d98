package chat

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// menu is a list from which a person picks. While it is open what they type narrows
// it down.
type menu struct {
	title string
	rows  []*choice
	// at is the row that Enter would pick, among those that are left.
	at int
}

// choice is a row of a menu.
type choice struct {
	// head says what it is, detail what else is known; mark is set on where one is.
	head, detail string
	mark         bool
	pick         func() tea.Cmd
}

// maxMenuRows is how much of a menu is shown at once.
const maxMenuRows = 8

// choose opens a menu.
func (m *Model) choose(title string, rows []*choice) {
	m.menu = &menu{title: title, rows: rows}
	m.answering = false
}

// left are the rows that what is typed leaves.
func (n *menu) left(typed string) []*choice {
	words := strings.Fields(strings.ToLower(typed))
	var out []*choice
next:
	for _, c := range n.rows {
		text := strings.ToLower(c.head + " " + c.detail)
		for _, w := range words {
			if !strings.Contains(text, w) {
				continue next
			}
		}
		out = append(out, c)
	}
	return out
}

// menuKey is a key while a menu is open. It reports whether the menu took it.
func (m *Model) menuKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	left := m.menu.left(m.editor.text)
	last := len(left) - 1
	at := min(m.menu.at, last)
	switch k.String() {
	case "up", "shift+tab", "ctrl+p":
		at--
	case "down", "tab", "ctrl+n":
		at++
	case "pgup":
		at -= maxMenuRows
	case "pgdown":
		at += maxMenuRows
	case "enter":
		if last < 0 {
			return nil, true
		}
		m.menu = nil
		m.editor.take()
		return left[at].pick(), true
	case "esc", "ctrl+c", "ctrl+d":
		m.menu = nil
		m.editor.take()
		return nil, true
	default:
		return nil, false
	}
	m.menu.at = max(0, min(at, last))
	return nil, true
}

// lines draws the menu.
func (n *menu) lines(l *look, typed string, width int) []string {
	left := n.left(typed)
	at := max(0, min(n.at, len(left)-1))
	top := max(0, min(at-maxMenuRows/2, len(left)-maxMenuRows))
	lines := []string{l.accent.Bold(true).Render(l.cut("? "+n.title, width))}
	for i, c := range left[top:min(len(left), top+maxMenuRows)] {
		lines = append(lines, c.line(l, top+i == at, width))
	}
	foot := "↑ ↓ Enter picks, Esc closes, typing narrows it down"
	if more := len(left) - top - maxMenuRows; more > 0 {
		foot = fmt.Sprintf("… %d more; ", more) + foot
	}
	if len(left) == 0 {
		foot = "none has that; Esc closes"
	}
	return append(lines, l.faint.Render(l.cut("  "+foot, width)))
}

// line draws one row: what it is, and behind that, as far as there is room, what
// else is known of it.
func (c *choice) line(l *look, picked bool, width int) string {
	sign, style := "  ", l.plain
	switch {
	case picked:
		sign, style = "› ", l.strong
	case c.mark:
		sign = "* "
	}
	detail := l.cut(oneLine(c.detail), max(0, width-2)/2)
	room := max(1, width-2)
	if detail != "" {
		room = max(1, room-2-l.cells(detail))
	}
	head := l.cut(oneLine(c.head), room)
	line := l.accent.Render(l.cut(sign, width)) + style.Render(head)
	if gap := width - 2 - l.cells(head) - l.cells(detail); detail != "" && gap > 0 {
		line += strings.Repeat(" ", gap) + l.faint.Render(detail)
	}
	return line
}
