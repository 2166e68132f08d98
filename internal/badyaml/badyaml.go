// Package badyaml says where a text is no YAML, and what to do about it, for
// errors in files that people write. The parser knows two places: where it gave up
// and where the construct began that it was reading. Which of them is the one to
// look at depends on the construct; sometimes it knows neither.
package badyaml

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"belay/internal/lazyregexp"
)

// Place is where a person has to look.
type Place struct {
	// Line and Column count from 1, in characters; both are 0 where the place is
	// not known.
	Line, Column int
	// Message says what is wrong, Hint the next step, or "".
	Message, Hint string
}

// Find reads an error that the YAML parser gave for data.
func Find(err error, data []byte) Place {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return Place{Message: err.Error()}
	}
	at := load.ContextMark
	// The beginning of a block is far from the line that breaks it.
	if at.Line == 0 || strings.HasPrefix(load.ContextMsg, "while parsing a block") {
		at = load.Mark
	}
	p := Place{Line: at.Line, Column: at.Column, Message: load.Message}
	if p.Line == 0 {
		p.Line, p.Column = unreadable(data)
	}
	if strings.Contains(load.Message, "expected node content") && ends(data, p.Line) {
		p.Line, p.Column = last(data)
		p.Hint = "finish what opens here: close a list with ], a mapping with }"
		return p
	}
	if strings.HasPrefix(load.ContextMsg, "while parsing a flow") && bare(data, load.Mark.Line) {
		p.Line, p.Column = load.Mark.Line, load.Mark.Column
		p.Hint = "put the text that has {{ }} in quotes"
		return p
	}
	p.Hint = hint(load, begins(data, p))
	return p
}

// quoted is a text in quotes.
var quoted = lazyregexp.New(`"(?:[^"\\]|\\.)*"|'[^']*'`)

// bare reports whether a line has a template that is not in quotes: its braces are those
// of mappings to YAML.
func bare(data []byte, line int) bool {
	lines := bytes.SplitN(data, []byte("\n"), line+1)
	return line >= 1 && line <= len(lines) && strings.Contains(quoted.ReplaceAllString(string(lines[line-1]), ""), "{{")
}

// ends reports whether nothing is left from a line on.
func ends(data []byte, line int) bool {
	lines := bytes.SplitN(data, []byte("\n"), line)
	return line >= 1 && (len(lines) < line || len(bytes.TrimSpace(lines[line-1])) == 0)
}

// last is the place of the last character that is no space and in no line of its own for a
// comment.
func last(data []byte) (line, column int) {
	for i, l := range bytes.Split(data, []byte("\n")) {
		if l = bytes.TrimRight(l, " \t\r"); len(l) > 0 && !bytes.HasPrefix(bytes.TrimSpace(l), []byte("#")) {
			line, column = i+1, utf8.RuneCount(l)
		}
	}
	return line, column
}

// hint is the next step after what people do most.
func hint(e *yaml.LoadError, character byte) string {
	switch m := e.Message; {
	case character == '\t':
		return "indent with spaces, not with tabs"
	case strings.Contains(m, "cannot start any token"):
		return "put the value in quotes"
	case strings.Contains(m, "mapping values are not allowed"):
		return "write one KEY: VALUE on a line, with a value that has a colon in quotes"
	case strings.Contains(m, "expected key"), strings.Contains(m, "expected ':'"):
		return "write KEY: VALUE, with the indent of the lines that it belongs to"
	case strings.Contains(m, "unexpected end of stream") && strings.Contains(e.ContextMsg, "quoted"):
		return "close the quote that opens here"
	case strings.Contains(m, "expected '-'"):
		return "begin each entry of a list with a dash, and indent all that belongs to it alike, further than the dash"
	case strings.Contains(m, "expected ',' or ']'"):
		return "close the list that opens here with ], or put a comma before the next entry"
	case strings.Contains(m, "expected ',' or '}'"):
		return "close the mapping that opens here with }, or put a comma before the next field"
	case strings.Contains(m, "control characters"), strings.Contains(m, "UTF-8"):
		return "save the file as UTF-8, without control characters"
	}
	return ""
}

// begins is the byte at a place, 0 where there is none.
func begins(data []byte, p Place) byte {
	lines := bytes.SplitAfterN(data, []byte("\n"), p.Line+1)
	if p.Line < 1 || p.Line > len(lines) {
		return 0
	}
	l := lines[p.Line-1]
	for range p.Column - 1 {
		_, n := utf8.DecodeRune(l)
		l = l[n:]
	}
	if len(l) == 0 {
		return 0
	}
	return l[0]
}

// unreadable is the place of the first character that YAML does not take at all.
func unreadable(data []byte) (line, column int) {
	line, column = 1, 1
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && n == 1, r < ' ' && !strings.ContainsRune("\t\n\r", r), r == 0x7f:
			return line, column
		case r == '\n':
			line, column = line+1, 0
		}
		column++
		data = data[n:]
	}
	return 0, 0
}
