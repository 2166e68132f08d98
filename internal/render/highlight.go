package render

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
)

// token is the kind of a piece of code, found without a grammar.
type token int

const (
	codeText token = iota
	codeKeyword
	codeString
	codeNumber
	codeComment
)

// highlighter finds keywords, strings, numbers and comments in code, a line after the
// other. It knows enough of a language to read it more easily, and is never in the way: what
// it takes for something else keeps every character.
type highlighter struct {
	*language
	// within is what the line before has left open: a comment or a string of several lines.
	within string
}

// newHighlighter returns the highlighter of a language or of a file's name, nil where it is
// not known.
func newHighlighter(name string) *highlighter {
	name = strings.ToLower(strings.TrimSpace(name))
	if l := languages[name]; l != nil {
		return &highlighter{language: l}
	}
	base := path.Base(name)
	if l := languages[strings.TrimPrefix(path.Ext(base), ".")]; l != nil {
		return &highlighter{language: l}
	}
	if l := languages[base]; l != nil {
		return &highlighter{language: l}
	}
	return nil
}

// line calls emit for each piece of a line, in order; together they are the line.
func (h *highlighter) line(s string, emit func(t token, piece string)) {
	plain := 0 // where the text begins that nothing was said of
	flush := func(to int) {
		if to > plain {
			emit(codeText, s[plain:to])
		}
	}
	for i := 0; i < len(s); {
		var kind token
		var n int
		switch rest := s[i:]; {
		case h.within != "":
			kind, n = h.inside(rest)
		case h.line1(rest):
			kind, n = codeComment, len(rest)
		case h.open != "" && strings.HasPrefix(rest, h.open):
			h.within = h.close
			_, n = h.inside(rest[len(h.open):])
			kind, n = codeComment, n+len(h.open)
		case h.long(rest) != "":
			mark := h.long(rest)
			h.within = mark
			_, n = h.inside(rest[len(mark):])
			kind, n = codeString, n+len(mark)
		case strings.IndexByte(h.quotes, rest[0]) >= 0:
			kind, n = codeString, quotedLength(rest)
		case wordRune(rest):
			n = wordLength(rest)
			kind = h.word(rest[:n])
		default:
			_, size := utf8.DecodeRuneInString(rest)
			i += size
			continue
		}
		if kind != codeText {
			flush(i)
			emit(kind, s[i:i+n])
			plain = i + n
		}
		i += n
	}
	flush(len(s))
}

// inside is how much of a text belongs to what is open.
func (h *highlighter) inside(s string) (token, int) {
	kind := codeString
	if h.within == h.close {
		kind = codeComment
	}
	at := strings.Index(s, h.within)
	if at < 0 {
		return kind, len(s)
	}
	n := at + len(h.within)
	h.within = ""
	return kind, n
}

// line1 reports whether a comment begins that goes to the end of the line.
func (h *highlighter) line1(s string) bool {
	return slices.ContainsFunc(h.comments, func(mark string) bool { return strings.HasPrefix(s, mark) })
}

// long is the mark of a string of several lines that begins, "" for none.
func (h *highlighter) long(s string) string {
	for _, mark := range h.longQuotes {
		if strings.HasPrefix(s, mark) {
			return mark
		}
	}
	return ""
}

// quotedLength is the length of a string up to its quote, or to the end of the line.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

func wordRune(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func wordLength(s string) int {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && (r != '.' || s[0] < '0' || s[0] > '9') {
			return i
		}
	}
	return len(s)
}

// word says what a word is.
func (h *highlighter) word(s string) token {
	switch {
	case s[0] >= '0' && s[0] <= '9':
		return codeNumber
	case h.keywords[s], h.anyCase && h.keywords[strings.ToLower(s)]:
		return codeKeyword
	}
	return codeText
}

// styled is a line in colours.
func (h *highlighter) styled(l *Look, s string) string {
	var b strings.Builder
	h.line(s, func(t token, piece string) {
		switch t {
		case codeKeyword:
			b.WriteString(l.Keyword.Render(piece))
		case codeString:
			b.WriteString(l.Good.Render(piece))
		case codeNumber:
			b.WriteString(l.Code.Render(piece))
		case codeComment:
			b.WriteString(l.Faint.Italic(true).Render(piece))
		case codeText:
			b.WriteString(piece)
		}
	})
	return b.String()
}

// toned is a line in one colour, which says what became of it: keywords stand out, and
// comments stand back.
func (h *highlighter) toned(style lipgloss.Style, s string) string {
	var b strings.Builder
	h.line(s, func(t token, piece string) {
		switch t {
		case codeKeyword:
			b.WriteString(style.Bold(true).Render(piece))
		case codeComment:
			b.WriteString(style.Italic(true).Faint(true).Render(piece))
		case codeText, codeString, codeNumber:
			b.WriteString(style.Render(piece))
		}
	})
	return b.String()
}

// anew is the highlighter where other lines begin; nil stays nil.
func (h *highlighter) anew() *highlighter {
	if h != nil {
		h.within = ""
	}
	return h
}

// ofFile is the highlighter of the file that a line of a diff names, else the one there is.
func ofFile(h *highlighter, line string) *highlighter {
	if name, ok := strings.CutPrefix(line, "+++ "); ok {
		return newHighlighter(strings.TrimSpace(name))
	}
	return h
}
