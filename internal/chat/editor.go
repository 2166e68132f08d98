package chat

import (
	"fmt"
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
	past   *history
	pasted pasted
	paths  *paths
	width  int
	// top is the first row on show.
	top int

	// offers are the completions on show, left how many more there are, pick the one
	// that Tab has put in, -1 for none; after is the text behind the cursor. nothing
	// is set where there was none.
	offers     []offer
	left, pick int
	after      string
	nothing    bool

	// query is what is looked for in the history while searching is set.
	query     string
	searching bool
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
func (e *editor) forget() {
	e.offers, e.left, e.pick, e.nothing, e.searching = nil, 0, -1, false, false
}

// update takes a key or a paste that was not for anybody else. It reports whether
// it was refused because the text would be too long to be typed.
func (e *editor) update(msg tea.Msg) (refused bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return !e.paste(msg.Content)
	case tea.KeyPressMsg:
		if len(msg.Text)+len(e.text) > maxTyped {
			return true
		}
		e.press(msg)
	}
	return false
}

// paste takes a text in at the cursor and reports whether there was room for it.
func (e *editor) paste(s string) bool {
	if e.pasted.bytes(e.text)+len(e.text)+len(s) > maxPasted {
		return false
	}
	// Old terminals send line breaks as they are typed.
	s = tidy(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
	if long(s) {
		s = e.pasted.put(s)
	}
	e.forget()
	e.insert(s)
	return true
}

// give puts a text back that was taken and could not be sent.
func (e *editor) give(s string) {
	if len(s) > maxRememberedText {
		s = e.pasted.put(s)
	}
	e.set(s)
}

// take empties the editor and returns all that was in it.
func (e *editor) take() string {
	s := e.pasted.whole(e.text)
	e.pasted = nil
	e.set("")
	return s
}

func (e *editor) press(k tea.KeyPressMsg) {
	if e.searching && e.seek(k) {
		return
	}
	switch k.String() {
	case "backspace":
		if mark := e.pasted.ending(e.text[:e.at]); mark != "" {
			e.remove(e.at-len(mark), e.at)
			break
		}
		e.key(k)
	case "up", "ctrl+p":
		if !e.vertical(-1, e.room()) {
			e.recall(e.past.older(e.text))
		}
	case "down", "ctrl+n":
		if !e.vertical(1, e.room()) {
			e.recall(e.past.newer())
		}
	case "ctrl+r":
		query := e.text
		if query != "" {
			e.recall(e.past.find(query, e.text))
		}
		e.query, e.searching = query, true
		return
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
		lines = append(lines, lead+spread(e.text[rows[i].from:rows[i].to]))
	}
	return lines, tea.NewCursor(promptCells+column, line-e.top)
}

// apply shows completions, and puts in what all of them have in common, unless
// something else was typed since they were asked for.
func (e *editor) apply(c completion) {
	if e.text[:e.at] != c.before {
		return
	}
	e.forget()
	e.after, e.nothing = e.text[e.at:], len(c.offers) == 0
	if len(c.common) > len(c.before) || len(c.offers) == 1 {
		e.put(c.common)
	}
	if len(c.offers) > 1 {
		e.offers = c.offers[:min(len(c.offers), maxOffers)]
		e.left = len(c.offers) - len(e.offers)
	}
}

// cycle puts in the next of the completions on show, or the one before.
func (e *editor) cycle(step int) {
	n := len(e.offers)
	if e.pick < 0 && step < 0 {
		e.pick = 0
	}
	e.pick = (e.pick + step + n) % n
	e.put(e.offers[e.pick].text)
}

// put replaces what is before the cursor.
func (e *editor) put(before string) {
	after := e.after
	if strings.HasSuffix(before, `"`) {
		after = strings.TrimPrefix(after, `"`)
	}
	e.text, e.at = before+after, len(before)
}

// hints draws the completions in one line, from the one that is put in.
func (e *editor) hints(l *look, width int) string {
	if e.searching {
		return l.faint.Render(l.cut(e.sought(), width))
	}
	if e.nothing {
		return l.faint.Render(l.cut("nothing of that name", width))
	}
	first := max(0, e.pick)
	shown := e.offers[min(first, len(e.offers)):]
	left := width
	var b strings.Builder
	for i, o := range shown {
		name, style, rest := oneLine(o.name), l.faint, len(shown)-i-1+e.left
		room := left - 2
		if rest > 0 {
			room -= restCells
		}
		if i > 0 && l.cells(name) > room {
			b.WriteString(l.faint.Render(fmt.Sprintf("… %d more", rest+1)))
			break
		}
		if first+i == e.pick {
			style = l.strong
		}
		name = l.cut(name, max(1, room))
		left -= l.cells(name) + 2
		b.WriteString(style.Render(name) + "  ")
	}
	return l.cut(b.String(), width)
}

// restCells is the room for saying how many completions are not shown.
const restCells = 12
