package cli

import (
	"encoding/json"

	"belay/internal/event"
	"belay/internal/render"
)

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
