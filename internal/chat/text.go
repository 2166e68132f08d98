package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text from outside safe to show: line breaks stay, a tab becomes
// spaces, and every other control character, every mark that reverses the
// direction of writing, and every byte that is no text is replaced.
func clean(s string) string {
	safe := true
	for i := 0; safe && i < len(s); i++ {
		safe = s[i] == '\n' || s[i] >= ' ' && s[i] < 0x7f
	}
	if safe {
		return s
	}
	return spread(tidy(s))
}

// tidy is clean for a text that is more than shown: its tabs stay.
func tidy(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r':
		case unsafeRune(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// tab is what a tab becomes.
const tab = "    "

// spread is text with its tabs as they are shown.
func spread(s string) string { return strings.ReplaceAll(s, "\t", tab) }

// unsafeRune reports what a terminal would obey instead of showing it.
func unsafeRune(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// oneLine is clean for a line of its own.
func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// fold breaks clean text into lines of at most width columns: between words where
// that is possible, within a word where it is longer than a line.
func (l *look) fold(s string, width int) []string {
	s = strings.TrimRight(s, "\n")
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if len(line) <= width { // no character is wider than its bytes
			lines = append(lines, line)
			continue
		}
		for part := range strings.SplitSeq(l.wide.Wrap(line, width, ""), "\n") {
			if l.cells(part) > width { // it counts wide letters at the end too late
				part = l.wide.Hardwrap(part, width, true)
			}
			lines = append(lines, strings.Split(part, "\n")...)
		}
	}
	return lines
}

// cut is the beginning of a line in at most width columns; what is missing is
// marked.
func (l *look) cut(s string, width int) string {
	if len(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	// Of a line of megabytes only the beginning is measured.
	const most = 16
	if len(s) > most*width+most {
		s = strings.ToValidUTF8(s[:most*width+most], "")
	}
	return l.wide.Truncate(s, width, "…")
}

// cells is how many columns a text takes.
func (l *look) cells(s string) int { return l.wide.StringWidth(s) }
