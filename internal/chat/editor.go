package chat

import (
	"context"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"belay/internal/render"
)

// Limits of what can be typed.
const (
	maxTyped      = 64 << 10
	maxEditorRows = 8
)

// prompt is before what is typed, promptCells wide.
const (
	prompt      = "› "
	promptCells = 2
)

// editor is where a person types: a text area that grows with its text, with the
// history, long pastes and completions.
type editor struct {
	area textarea.Model
	// wide says how the terminal counts columns ([look]).
	wide   ansi.Method
	past   *history
	pasted pasted
	paths  *paths
	// commands are all that a slash begins.
	commands []slash
	// top is the first row on show.
	top int
	completer
	// lookup ends the search for completions that runs, nil for none.
	lookup context.CancelFunc

	// query is what is looked for in the history while searching is set.
	query     string
	searching bool
}

func newEditor(past *history, folder string, l *render.Look) editor {
	area := textarea.New()
	area.ShowLineNumbers, area.DynamicHeight, area.MaxHeight, area.MaxWidth = false, true, 0, 0
	area.Placeholder = "say something, or /help"
	area.KeyMap.InsertNewline.SetKeys("shift+enter", "ctrl+j")
	// Both run programs of the machine; terminals paste and copy by themselves.
	area.KeyMap.Paste.SetEnabled(false)
	area.KeyMap.CopySelection.SetEnabled(false)
	style := textarea.StyleState{Prompt: l.Accent, Placeholder: l.Faint, Selection: lipgloss.NewStyle().Reverse(true)}
	area.SetStyles(textarea.Styles{Focused: style})
	area.SetPromptFunc(promptCells, func(i textarea.PromptInfo) string {
		if i.LineNumber == 0 {
			return prompt
		}
		return ""
	})
	area.SetVirtualCursor(false)
	area.Focus()
	e := editor{area: area, past: past, paths: newPaths(folder), completer: completer{pick: -1}}
	e.resize(80)
	return e
}

func (e *editor) resize(width int) { e.area.SetWidth(max(promptCells+2, width)) }

// The text area knows no tabs and drops characters that are no text: both have a sign
// of their own in it.
var (
	encoder = strings.NewReplacer("\t", "␉", "\ufffd", "␦")
	decoder = strings.NewReplacer("␉", "\t", "␦", "\ufffd")
)

func encode(s string) string { return encoder.Replace(strings.ToValidUTF8(s, "\ufffd")) }

// text is what was typed, with marks for long pastes.
func (e *editor) text() string { return decoder.Replace(e.area.Value()) }

// before is the text before the cursor.
func (e *editor) before() string {
	lines := strings.Split(e.area.Value(), "\n")[:e.area.Line()+1]
	last := len(lines) - 1
	lines[last] = string([]rune(lines[last])[:e.area.Column()])
	return decoder.Replace(strings.Join(lines, "\n"))
}

func (e *editor) empty() bool { return e.area.Value() == "" }

// set replaces the text; the cursor goes to its end.
func (e *editor) set(s string) { e.place(s, "") }

// place replaces the text; the cursor stands between before and after.
func (e *editor) place(before, after string) {
	e.area.SetValue(encode(after))
	e.area.MoveToBegin()
	e.insert(before)
	e.forget()
}

// insert writes at the cursor.
func (e *editor) insert(s string) { e.area.InsertString(encode(s)) }

// forget takes the completions away, and ends the search.
func (e *editor) forget() { e.completer, e.searching = completer{pick: -1}, false }

// update takes a key or a paste that was not for anybody else. It reports whether
// it was refused because the text would be too long to be typed.
func (e *editor) update(msg tea.Msg) (refused bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return !e.paste(msg.Content)
	case tea.KeyPressMsg:
		if msg.Text != "" && len(msg.Text)+len(e.area.Value()) > maxTyped {
			return true
		}
		e.press(msg)
	}
	return false
}

// paste takes a text in at the cursor and reports whether there was room for it.
func (e *editor) paste(s string) bool {
	if text := e.text(); e.pasted.bytes(text)+len(text)+len(s) > maxPasted {
		return false
	}
	// Old terminals send line breaks as they are typed.
	s = render.Tidy(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
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
	s := e.pasted.whole(e.text())
	e.pasted = nil
	e.set("")
	return s
}

func (e *editor) press(k tea.KeyPressMsg) {
	if e.searching && e.seek(k) {
		return
	}
	at, times := e.area.LineInfo(), 1
	switch k.String() {
	case "up", "ctrl+p":
		if e.area.Line() == 0 && at.RowOffset == 0 {
			e.recall(e.past.older(e.text()))
			return
		}
	case "down", "ctrl+n":
		if e.area.Line() == e.area.LineCount()-1 && at.RowOffset == at.Height-1 {
			e.recall(e.past.newer())
			return
		}
	case "ctrl+r":
		query := e.text()
		if query != "" {
			e.recall(e.past.find(query, query))
		}
		e.query, e.searching = query, true
		return
	case "backspace", "ctrl+h":
		before := e.before()
		if mark := e.pasted.ending(before); mark != "" {
			e.place(strings.TrimSuffix(before, mark), e.text()[len(before):])
			return
		}
		from, to := e.character(e.area.Column())
		times = to - from
	case "delete", "ctrl+d":
		from, to := e.character(e.area.Column() + 1)
		times = to - from
	}
	for range max(1, times) {
		e.area, _ = e.area.Update(k) // its commands are for the clipboard and a cursor that blinks
	}
	switch from, to := e.character(e.area.Column()); {
	case e.area.Column() == to:
	case k.Code == tea.KeyLeft, k.Code == 'b':
		e.area.SetCursorColumn(from)
	default:
		e.area.SetCursorColumn(to)
	}
	e.forget()
}

// character is what a person takes for one, in code points: where the one begins and
// ends that is before a column, or around it. The text area goes by code points.
func (e *editor) character(column int) (from, to int) {
	line := strings.Split(e.area.Value(), "\n")[e.area.Line()]
	for line != "" && to < column {
		c, _ := ansi.FirstGraphemeCluster(line, e.wide)
		from, to = to, to+utf8.RuneCountInString(c)
		line = line[len(c):]
	}
	return from, to
}

func (e *editor) recall(s string, ok bool) {
	if ok {
		e.set(s)
	}
}

// draw draws the rows around the cursor and says where that is.
func (e *editor) draw() (lines []string, cursor *tea.Cursor) {
	for line := range strings.SplitSeq(e.area.View(), "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	cursor = e.area.Cursor()
	at := e.area.LineInfo() // which counts columns as terminals should
	row := []rune(strings.Split(e.area.Value(), "\n")[e.area.Line()])
	cursor.X = promptCells + e.wide.StringWidth(string(row[at.StartColumn:min(len(row), at.StartColumn+at.ColumnOffset)]))
	e.top = max(0, min(e.top, cursor.Y, len(lines)-1), cursor.Y-maxEditorRows+1)
	cursor.Y -= e.top
	return lines[e.top:min(len(lines), e.top+maxEditorRows)], cursor
}
