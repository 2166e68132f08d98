package cli

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// clean makes text from outside safe to print: no control character but a line
// break or tab survives, so it can not move the cursor, change colours or retitle
// the window; neither do the marks that reverse the direction of writing.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// line is clean for one cell of a table: no line breaks either.
func line(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// cells is how many columns a terminal takes for s. Escape sequences of our own
// colours take none.
func cells(s string) int {
	n, escape := 0, false
	for _, r := range s {
		switch {
		case escape:
			escape = r != 'm'
		case r == '\x1b':
			escape = true
		default:
			n += runeCells(r)
		}
	}
	return n
}

func runeCells(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// clip is the beginning of a line that takes at most n columns; what was cut off
// is marked.
func clip(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	used := 1 // the mark
	for i, r := range s {
		if used += runeCells(r); used > n {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// pad fills s with spaces to n columns.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-cells(s))) }
