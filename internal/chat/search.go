package chat

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
)

// seek takes a key while the history is searched, and reports whether it did: letters
// lengthen what is looked for, Ctrl-R goes on to an earlier text. Any other key ends
// the search, and works on what was found.
func (e *editor) seek(k tea.KeyPressMsg) bool {
	query := e.query
	switch name := k.String(); {
	case name == "ctrl+r":
	case name == "backspace":
		_, n := utf8.DecodeLastRuneInString(query)
		e.query = query[:len(query)-n]
		return true
	case k.Text != "":
		query += k.Text
		if e.past.recalled() && has(e.text(), query) {
			e.query = query
			return true
		}
	default:
		return false
	}
	e.recall(e.past.find(query, e.text()))
	e.query, e.searching = query, true
	return true
}

// sought says what is looked for in the history, and how that goes on.
func (e *editor) sought() string {
	text := "search: " + render.Line(e.query)
	if !has(e.text(), e.query) {
		return text + " is in nothing that was typed before"
	}
	return text + " (Ctrl-R finds an earlier one, Enter sends)"
}

// has reports whether a text has the words of a query, in whatever case.
func has(text, query string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(query))
}
