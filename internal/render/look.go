package render

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Look is how things are set off. The colours are those of the terminal's own
// palette, so they fit a dark and a light one; the program drops them where
// NO_COLOR or the terminal asks for that, and every meaning is also in a sign or a
// word.
type Look struct {
	// Wide says how the terminal counts the columns of a character that has several
	// code points: each of them by itself or, where it says that it can, as one. What
	// is counted otherwise than the program that draws does it is cut off.
	Wide ansi.Method

	Plain, Faint, Strong, Heading, Code, Keyword, Accent, Person, Good, Bad, Warn, Added, Removed, Place lipgloss.Style
}

// NewLook returns the look of a terminal.
func NewLook() *Look {
	plain := lipgloss.NewStyle()
	colour := func(c string) lipgloss.Style { return plain.Foreground(lipgloss.Color(c)) }
	return &Look{
		Plain: plain, Faint: plain.Faint(true), Strong: plain.Bold(true),
		Heading: colour("6").Bold(true), Code: colour("3"), Keyword: colour("5"),
		Accent: colour("6"), Person: colour("4"), Good: colour("2"), Bad: colour("1"), Warn: colour("3"),
		Added: colour("2"), Removed: colour("1"), Place: colour("6"),
	}
}

// Light changes the colours for a light background, where the palette's yellow and cyan are
// hard to read on most terminals.
func (l *Look) Light() {
	dark := func(s lipgloss.Style, c string) lipgloss.Style { return s.Foreground(lipgloss.Color(c)) }
	l.Code, l.Warn = dark(l.Code, "94"), dark(l.Warn, "94")
	l.Heading, l.Accent, l.Place = dark(l.Heading, "24"), dark(l.Accent, "24"), dark(l.Place, "24")
	l.Good, l.Added = dark(l.Good, "22"), dark(l.Added, "22")
}
