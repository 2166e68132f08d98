package cli

import (
	"encoding/json"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"belay/internal/event"
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

// maxGist is how much of a call's input a line shows, in columns, where the width
// does not bound it.
const maxGist = 160

// about says in a line of so many columns what a call does.
func about(name string, input json.RawMessage, room int) string {
	look := render.NewLook()
	what := render.Call(look, event.ToolUse{Name: name, Input: input}, room-cells(name)-1)
	if mark := render.Mark(name, input); mark != "" {
		name += " (" + mark + ")"
	}
	name = clip(line(name), room)
	if left := room - cells(name) - 1; what != "" && left >= minGist {
		return name + " " + clip(what, left)
	}
	return name
}

// minGist is the fewest columns in which an input is worth a word.
const minGist = 8

// room is the columns of a line after a margin.
func (c *console) room(margin int) int {
	if c.width == 0 {
		return maxGist
	}
	return max(minWidth, c.width-margin)
}

// clipped is a line cut to what is left of the width after a margin.
func (c *console) clipped(l string, margin int) string { return clip(l, c.room(margin)) }
