package chat

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
)

// menu is a list from which a person picks. While it is open what they type narrows
// it down.
type menu struct {
	title string
	// about are lines that say what is at stake.
	about []string
	rows  []*choice
	// at is the row that Enter would pick, among those that are left.
	at int
}

// choice is a row of a menu.
type choice struct {
	row
	pick func() tea.Cmd
}

// maxMenuRows is how much of a menu is shown at once.
const maxMenuRows = 8

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

// key is a key while the menu is open. It reports whether the menu took it, and whether
// it closes with that.
func (n *menu) key(k tea.KeyPressMsg, typed string) (cmd tea.Cmd, closed, taken bool) {
	left := n.left(typed)
	last := len(left) - 1
	at := min(n.at, last)
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
			return nil, false, true
		}
		return left[at].pick(), true, true
	case "esc", "ctrl+c", "ctrl+d":
		return nil, true, true
	default:
		if k.Text != "" {
			n.at = 0 // of other rows
		}
		return nil, false, false
	}
	n.at = max(0, min(at, last))
	return nil, false, true
}

// lines draws the menu.
func (n *menu) lines(l *render.Look, typed string, width int) []string {
	left := n.left(typed)
	rows := make([]row, len(left))
	for i, c := range left {
		rows[i] = c.row
	}
	lines := l.Hang(l.Accent.Bold(true), "? ", n.title, width)
	for _, text := range n.about {
		lines = append(lines, l.Hang(l.Plain, "  ", text, width)...)
	}
	at := max(0, min(n.at, len(left)-1))
	drawn, more := drawList(l, rows, at, maxMenuRows, width)
	lines = append(lines, drawn...)
	if at < len(rows) && cutOff(l, rows, at, width) {
		lines = append(lines, l.Hang(l.Plain, "  ", rows[at].detail, width)...)
	}
	foot := "↑ ↓ Enter picks, Esc closes, typing narrows it down"
	if more > 0 {
		foot = fmt.Sprintf("… %d more; ", more) + foot
	}
	if len(left) == 0 {
		foot = "none has that; Esc closes"
	}
	return append(lines, l.Faint.Render(l.Cut("  "+foot, width)))
}
