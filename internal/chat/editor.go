package chat

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Limits of what can be typed.
const (
	maxTyped      = 64 << 10
	maxEditorRows = 8
)

// prompt stands before what is typed, promptCells wide.
const (
	prompt      = "› "
	promptCells = 2
)

// editor is where a person types. It grows with its text, keeps what was typed
// before, and completes commands and paths.
type editor struct {
	field
	past  *history
	paths *paths
	width int
	// top is the first row on show.
	top int

	// offers are the completions on show, pick the one that Tab has put in, -1 for
	// none; stem is the text before them, after the text behind the cursor.
	offers      []string
	pick        int
	stem, after string
}

func newEditor(past *history, folder string) editor {
	return editor{past: past, paths: &paths{folder: folder}, pick: -1, width: 80}
}

func (e *editor) empty() bool { return e.text == "" }

// set replaces the text; the cursor goes to its end.
func (e *editor) set(s string) {
	e.field.set(s)
	e.forget()
}

// forget takes the completions away.
func (e *editor) forget() { e.offers, e.pick = nil, -1 }

// update takes a key or a paste that was not for anybody else. It reports whether
// it was refused because the text would be too long to be typed.
func (e *editor) update(msg tea.Msg) (refused bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if len(msg.Content)+len(e.text) > maxTyped {
			return true
		}
		e.forget()
		// Old terminals send line breaks as they are typed.
		e.insert(clean(strings.ReplaceAll(strings.ReplaceAll(msg.Content, "\r\n", "\n"), "\r", "\n")))
	case tea.KeyPressMsg:
		if len(msg.Text)+len(e.text) > maxTyped {
			return true
		}
		e.press(msg)
	}
	return false
}

func (e *editor) press(k tea.KeyPressMsg) {
	switch k.String() {
	case "tab":
		e.complete(1)
		return
	case "shift+tab":
		e.complete(-1)
		return
	case "up", "ctrl+p":
		if !e.vertical(-1, e.room()) {
			e.recall(e.past.older(e.text))
		}
	case "down", "ctrl+n":
		if !e.vertical(1, e.room()) {
			e.recall(e.past.newer())
		}
	case "shift+enter", "ctrl+j":
		e.insert("\n")
	default:
		if !e.key(k) {
			return
		}
	}
	e.forget()
}

func (e *editor) recall(s string, ok bool) {
	if ok {
		e.set(s)
	}
}

// room is the width of the text. The last column is the cursor's.
func (e *editor) room() int { return max(2, e.width-promptCells-1) }

// draw draws the rows around the cursor and says where that is.
func (e *editor) draw(l *look) (lines []string, cursor *tea.Cursor) {
	if e.empty() {
		return []string{l.accent.Render(prompt) + l.faint.Render(l.cut("say something, or /help", e.room()))}, tea.NewCursor(promptCells, 0)
	}
	rows := e.rows(e.room())
	line, column := e.cursor(rows)
	e.top = max(0, min(e.top, line, len(rows)-1), line-maxEditorRows+1)
	for i := e.top; i < min(len(rows), e.top+maxEditorRows); i++ {
		lead := strings.Repeat(" ", promptCells)
		if i == 0 {
			lead = l.accent.Render(prompt)
		}
		lines = append(lines, lead+e.text[rows[i].from:rows[i].to])
	}
	return lines, tea.NewCursor(promptCells+column, line-e.top)
}

// complete puts in what all completions have in common; when that is nothing
// more, it goes through them.
func (e *editor) complete(step int) {
	if e.offers == nil {
		before := e.text[:e.at]
		stem, offers := completions(before, e.paths)
		if len(offers) == 0 {
			return
		}
		e.stem, e.after, e.pick = stem, e.text[e.at:], -1
		if common := commonPrefix(offers); len(offers) == 1 || len(stem+common) > len(before) {
			e.put(stem + common)
			if len(offers) == 1 {
				return
			}
		}
		e.offers = offers
		return
	}
	n := len(e.offers)
	if e.pick < 0 && step < 0 {
		e.pick = 0
	}
	e.pick = (e.pick + step + n) % n
	e.put(e.stem + e.offers[e.pick])
}

// put replaces what is before the cursor.
func (e *editor) put(before string) { e.text, e.at = before+e.after, len(before) }

// hints draws the completions in one line.
func (e *editor) hints(l *look, width int) string {
	var b strings.Builder
	for i := max(0, e.pick); i < len(e.offers); i++ {
		name, style := oneLine(e.offers[i]), l.faint
		if i == e.pick {
			style = l.strong
		}
		if width -= l.cells(name) + 2; width < 0 {
			b.WriteString(l.faint.Render("…"))
			break
		}
		b.WriteString(style.Render(name) + "  ")
	}
	return b.String()
}
