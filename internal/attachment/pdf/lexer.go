package pdf

import (
	"errors"
	"strconv"
)

// The values of a PDF, as lexer reads them: nil, bool, int, float64, str, name,
// array, dict, ref, and op for anything else that stands alone.
type (
	str   struct{} // nothing that is counted is a string
	name  string
	op    string
	array []any
	dict  map[name]any
	ref   int // the number of an indirect object; generations are ignored
)

// maxDepth bounds arrays and dictionaries within each other, maxValues what one
// operator or object may consist of: a value takes forty bytes of memory and may
// take two of the file.
const (
	maxDepth  = 64
	maxValues = 1 << 18
)

var (
	errEnd    = errors.New("pdf: unexpected end")
	errSyntax = errors.New("pdf: syntax")
)

// lexer reads values from memory. It allocates in proportion to what it reads,
// never to what a number says.
type lexer struct {
	data  []byte
	pos   int
	depth int
	// values counts what was read; code that drops what it has read sets it back.
	values int
}

// value reads the next value. errEnd means that data ended first.
func (l *lexer) value() (any, error) {
	l.space()
	if l.pos >= len(l.data) {
		return nil, errEnd
	}
	if l.values++; l.values > maxValues {
		return nil, errSyntax
	}
	switch c := l.data[l.pos]; c {
	case '/':
		return l.name()
	case '(':
		return l.literal()
	case '[':
		l.pos++
		return l.array()
	case '<':
		if l.pos+1 >= len(l.data) {
			return nil, errEnd
		}
		if l.data[l.pos+1] == '<' {
			l.pos += 2
			return l.dict()
		}
		return l.hex()
	case '>':
		if l.pos+1 < len(l.data) && l.data[l.pos+1] == '>' {
			l.pos += 2
			return op(">>"), nil
		}
		return nil, errSyntax
	case ']', '{', '}', ')':
		l.pos++
		return op(c), nil
	}
	return l.word()
}

// space skips white space and comments.
func (l *lexer) space() {
	for l.pos < len(l.data) {
		switch c := l.data[l.pos]; {
		case isSpace(c):
			l.pos++
		case c == '%':
			for l.pos < len(l.data) && l.data[l.pos] != '\n' && l.data[l.pos] != '\r' {
				l.pos++
			}
		default:
			return
		}
	}
}

// regular returns the run of regular characters at the position.
func (l *lexer) regular() []byte {
	start := l.pos
	for l.pos < len(l.data) && isRegular(l.data[l.pos]) {
		l.pos++
	}
	return l.data[start:l.pos]
}

func (l *lexer) word() (any, error) {
	w := string(l.regular())
	switch w {
	case "null":
		return nil, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	if c := w[0]; c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return op(w), nil
	}
	if i, err := strconv.Atoi(w); err == nil {
		if i >= 0 && l.reference() {
			return ref(i), nil
		}
		return i, nil
	}
	if f, err := strconv.ParseFloat(w, 64); err == nil {
		return f, nil
	}
	return op(w), nil
}

// reference consumes "g R" if that is what follows.
func (l *lexer) reference() bool {
	start := l.pos
	l.space()
	if digits(l.regular()) {
		l.space()
		if string(l.regular()) == "R" {
			return true
		}
	}
	l.pos = start
	return false
}

func (l *lexer) array() (any, error) {
	if l.depth++; l.depth > maxDepth {
		return nil, errSyntax
	}
	defer func() { l.depth-- }()
	var out array
	for {
		v, err := l.value()
		if err != nil {
			return nil, err
		}
		if v == op("]") {
			return out, nil
		}
		if v == op(">>") {
			return nil, errSyntax
		}
		out = append(out, v)
	}
}

func (l *lexer) dict() (any, error) {
	if l.depth++; l.depth > maxDepth {
		return nil, errSyntax
	}
	defer func() { l.depth-- }()
	out := dict{}
	for {
		k, err := l.value()
		if err != nil {
			return nil, err
		}
		if k == op(">>") {
			return out, nil
		}
		key, ok := k.(name)
		if !ok {
			return nil, errSyntax
		}
		v, err := l.value()
		if err != nil {
			return nil, err
		}
		if v == op(">>") {
			return out, nil
		}
		out[key] = v
	}
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isRegular(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return false
	}
	return !isSpace(c)
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}
