package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
)

// Clean makes text from outside safe to show: line breaks stay, a tab becomes
// spaces, and every other control character, every mark that reverses the
// direction of writing, and every byte that is no text is replaced.
func Clean(s string) string {
	return Spread(Tidy(s))
}

// plain reports whether a text has nothing but printable ASCII and line breaks.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] != '\n' && (s[i] < ' ' || s[i] >= 0x7f) {
			return false
		}
	}
	return true
}

// Tidy is clean for a text that is more than shown: its tabs stay.
func Tidy(s string) string {
	if plain(s) {
		return s
	}
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

// Spread is text with its tabs as they are shown.
func Spread(s string) string { return strings.ReplaceAll(s, "\t", tab) }

// unsafeRune reports what a terminal would obey instead of showing it.
func unsafeRune(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// Line is clean for a line of its own.
func Line(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// Fold breaks clean text into lines of at most width columns: between words where
// that is possible, within a word where it is longer than a line.
func (l *Look) Fold(s string, width int) []string {
	s = strings.TrimRight(s, "\n")
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if len(line) <= width { // no character is wider than its bytes
			lines = append(lines, line)
			continue
		}
		for part := range strings.SplitSeq(l.Wide.Wrap(line, width, ""), "\n") {
			if l.Cells(part) > width { // it counts wide letters at the end too late
				part = l.Wide.Hardwrap(part, width, true)
			}
			lines = append(lines, strings.Split(part, "\n")...)
		}
	}
	return lines
}

// Cut is the beginning of a line in at most width columns; what is missing is
// marked.
func (l *Look) Cut(s string, width int) string {
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
	return l.Wide.Truncate(s, width, "…")
}

// Cells is how many columns a text takes.
func (l *Look) Cells(s string) int { return l.Wide.StringWidth(s) }

// Hang sets text after a sign, with later lines under its beginning.
func (l *Look) Hang(style lipgloss.Style, sign, text string, width int) []string {
	margin := l.Cells(sign)
	var lines []string
	for i, t := range l.Fold(text, max(1, width-margin)) {
		if i > 0 {
			sign = strings.Repeat(" ", margin)
		}
		lines = append(lines, style.Render(sign+t))
	}
	return lines
}
