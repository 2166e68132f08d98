package cli

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"belay/internal/render"
)

// clean makes text from outside safe to print: no control character but a line
// break or tab survives, so it cannot move the cursor, change colours or retitle
// the window; neither do the marks that reverse the direction of writing.
func clean(s string) string { return render.Tidy(s) }

// line is clean for one cell of a table: no line breaks either.
func line(s string) string { return render.Line(s) }

// cells is how many columns a terminal takes for s. Escape sequences of our own
// colours take none.
func cells(s string) int { return ansi.StringWidthWc(s) }

// clip is the beginning of a line that takes at most n columns; what was cut off
// is marked.
func clip(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	return strings.TrimRight(ansi.TruncateWc(s, max(0, n-1), ""), " ") + "…"
}

// pad fills s with spaces to n columns.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-cells(s))) }
