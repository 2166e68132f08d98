package register

import "strings"

// quoting is where a reader lets a quoted part of a cell begin.
type quoting bool

const (
	// quoteAnywhere is how the compatible contract reads a register (8.3).
	quoteAnywhere quoting = false
	// quoteAtStart is how most programs do, the original's linter among them: a
	// quote inside of a cell is a character like any other.
	quoteAtStart quoting = true
)

// cell is the raw bytes of one cell, quotes included.
type cell struct {
	start, end uint32
	form       form
}

// form is how a cell is written. A cell of the form quoted alone is its value
// between two quotes, one of the form 0 is its value.
type form uint8

const (
	quoted  form = 1 << iota // begins with a quote
	doubled                  // has a quote within quotes
	inside                   // has a quote after something else
	mixed                    // goes on after the closing quote
	open                     // the file ends within its quotes
)

// value is what a cell holds.
func (t *table) value(c cell) string {
	raw := t.text[c.start:c.end]
	switch c.form {
	case 0:
		return raw
	case quoted:
		return raw[1 : len(raw)-1]
	}
	return unquote(raw, t.quoting)
}

// unquote is what a cell holds that has more than quotes around it.
func unquote(raw string, q quoting) string {
	var b strings.Builder
	b.Grow(len(raw))
	within := false
	for i := 0; i < len(raw); i++ {
		switch {
		case raw[i] != '"':
			b.WriteByte(raw[i])
		case within && i+1 < len(raw) && raw[i+1] == '"':
			b.WriteByte('"')
			i++
		case within:
			within = false
		case i == 0 || q == quoteAnywhere:
			within = true
		default:
			b.WriteByte('"')
		}
	}
	return b.String()
}
