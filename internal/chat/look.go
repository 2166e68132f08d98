package chat

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// look is how things are set off. The colours are those of the terminal's own
// palette, so they fit a dark and a light one; the program drops them where
// NO_COLOR or the terminal asks for that, and every meaning is also in a sign or a
// word.
type look struct {
	// wide says how the terminal counts the columns of a character that has several
	// code points: each of them by itself or, where it says that it can, as one. What
	// is counted otherwise than the program that draws does it is cut off.
	wide ansi.Method

	plain, faint, strong, heading, code, accent, person, good, bad, warn, added, removed, place lipgloss.Style
}

func newLook() *look {
	plain := lipgloss.NewStyle()
	colour := func(c string) lipgloss.Style { return plain.Foreground(lipgloss.Color(c)) }
	return &look{
		plain: plain, faint: plain.Faint(true), strong: plain.Bold(true),
		heading: colour("6").Bold(true), code: colour("3"),
		accent: colour("6"), person: colour("4"), good: colour("2"), bad: colour("1"), warn: colour("3"),
		added: colour("2"), removed: colour("1"), place: colour("6"),
	}
}
