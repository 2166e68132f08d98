package chat

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// field is text that is being written, with a cursor between two characters: what
// a person takes for one, which may be several code points. Its zero value is
// empty.
//
// It is our own because the usual component costs every start of the program more
// time than the rest of it together.
type field struct {
	text string
	// at is the byte before which the cursor stands.
	at int
	// wide says how the terminal counts columns ([look]).
	wide ansi.Method
}

func (f *field) set(s string) { f.text, f.at = s, len(s) }

// insert writes at the cursor.
func (f *field) insert(s string) {
	f.text = f.text[:f.at] + s + f.text[f.at:]
	f.at += len(s)
}

// span removes from a byte to another and leaves the cursor there.
func (f *field) remove(from, to int) {
	f.text = f.text[:from] + f.text[to:]
	f.at = from
}

// prev and next are where the characters beside the cursor begin and end.
func (f *field) prev() int {
	if f.at == 0 {
		return 0
	}
	i := strings.LastIndexByte(f.text[:f.at-1], '\n') + 1
	for i < f.at {
		c, _ := ansi.FirstGraphemeCluster(f.text[i:], f.wide)
		if i+len(c) >= f.at {
			return i
		}
		i += len(c)
	}
	return f.at - 1
}

func (f *field) next() int {
	if f.at == len(f.text) {
		return f.at
	}
	c, _ := ansi.FirstGraphemeCluster(f.text[f.at:], f.wide)
	return f.at + len(c)
}

// wordLeft and wordRight are the nearest ends of words.
func (f *field) wordLeft() int {
	head := strings.TrimRightFunc(f.text[:f.at], notWord)
	return len(strings.TrimRightFunc(head, isWord))
}

func (f *field) wordRight() int {
	tail := strings.TrimLeftFunc(f.text[f.at:], notWord)
	return len(f.text) - len(strings.TrimLeftFunc(tail, isWord))
}

func isWord(r rune) bool  { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
func notWord(r rune) bool { return !isWord(r) }

// home and end are the ends of the cursor's line.
func (f *field) home() int { return strings.LastIndexByte(f.text[:f.at], '\n') + 1 }

func (f *field) end() int {
	if i := strings.IndexByte(f.text[f.at:], '\n'); i >= 0 {
		return f.at + i
	}
	return len(f.text)
}

// key takes a key that writes or moves, and reports whether it was one.
func (f *field) key(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		f.at = f.prev()
	case "right", "ctrl+f":
		f.at = f.next()
	case "alt+left", "ctrl+left", "alt+b":
		f.at = f.wordLeft()
	case "alt+right", "ctrl+right", "alt+f":
		f.at = f.wordRight()
	case "home", "ctrl+a":
		f.at = f.home()
	case "end", "ctrl+e":
		f.at = f.end()
	case "backspace", "ctrl+h", "shift+backspace":
		f.remove(f.prev(), f.at)
	case "delete", "ctrl+d":
		f.remove(f.at, f.next())
	case "ctrl+w", "alt+backspace":
		f.remove(f.wordLeft(), f.at)
	case "alt+d":
		f.remove(f.at, f.wordRight())
	case "ctrl+u":
		f.remove(f.home(), f.at)
	case "ctrl+k":
		f.remove(f.at, f.end())
	default:
		if k.Text == "" {
			return false
		}
		f.insert(clean(k.Text))
	}
	return true
}

// character is the one that begins at a byte, and its columns. A tab has those that it
// is shown with.
func (f *field) character(at int) (c string, columns int) {
	if f.text[at] == '\t' {
		return "\t", len(tab)
	}
	return ansi.FirstGraphemeCluster(f.text[at:], f.wide)
}

// cells is how many columns a part of the text takes.
func (f *field) cells(from, to int) int { return f.wide.StringWidth(spread(f.text[from:to])) }

// row is a line on the screen: bytes of the text, without the line break.
type row struct{ from, to int }

// rows breaks the text for a width, after a space where there is one.
func (f *field) rows(width int) []row {
	width = max(2, width)
	var all []row
	from, used, space := 0, 0, -1
	for i := 0; i < len(f.text); {
		if f.text[i] == '\n' {
			all = append(all, row{from, i})
			i++
			from, used, space = i, 0, -1
			continue
		}
		c, w := f.character(i)
		for used+w > width && from < i {
			cut := i
			if space > from {
				cut = space
			}
			all = append(all, row{from, cut})
			from, space = cut, -1
			used = f.cells(from, i)
		}
		i, used = i+len(c), used+w
		if c == " " {
			space = i
		}
	}
	return append(all, row{from, len(f.text)})
}

// cursor is the row, of rows, in which the cursor stands, and its column.
func (f *field) cursor(rows []row) (line, column int) {
	for i, r := range rows {
		if f.at >= r.from && (f.at < r.to || f.at == r.to && (i+1 == len(rows) || rows[i+1].from > r.to)) {
			return i, f.cells(r.from, f.at)
		}
	}
	return len(rows) - 1, 0
}

// vertical moves the cursor by rows and reports whether there was one.
func (f *field) vertical(by, width int) bool {
	rows := f.rows(width)
	line, column := f.cursor(rows)
	if line += by; line < 0 || line >= len(rows) {
		return false
	}
	i, used := rows[line].from, 0
	for i < rows[line].to {
		c, w := f.character(i)
		if used+w > column {
			break
		}
		i, used = i+len(c), used+w
	}
	f.at = i
	return true
}
