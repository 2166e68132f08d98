package cli

import (
	"encoding/json"
	"slices"
	"strings"

	"belay/internal/render"
)

// maxGist is how much of a call's input a line shows, in columns, where the width
// does not bound it.
const maxGist = 160

// tellingMembers are the members of an input that say most, in the order of preference.
var tellingMembers = []string{"command", "path", "pattern", "url", "task", "query", "deliverable"}

// about says in a line of so many columns what a call does.
func about(name string, input json.RawMessage, room int) string {
	if mark := render.Mark(name, input); mark != "" {
		name += " (" + mark + ")"
	}
	name = clip(line(name), room)
	if what := gist(input, room-cells(name)-1); what != "" {
		return name + " " + what
	}
	return name
}

// gist is a call's input in so many columns: the member that says most, else all
// of it.
func gist(input json.RawMessage, room int) string {
	if room < minGist {
		return ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(input, &members) != nil {
		return clip(line(string(input)), room)
	}
	text := func(name string) string {
		var s string
		if json.Unmarshal(members[name], &s) != nil {
			return ""
		}
		return line(render.Visible(s))
	}
	if what, where := text("pattern"), text("path"); what != "" && where != "" {
		const in = " in "
		where = clipPath(where, max(room/2, room-cells(what)-cells(in)))
		return clip(what, room-cells(where)-cells(in)) + in + where
	}
	if what, to := text("deliverable"), text("to"); what != "" && to != "" {
		to = clip(" to "+to, room/2)
		return clipPath(what, room-cells(to)) + to
	}
	for _, name := range tellingMembers {
		s := text(name)
		switch {
		case s != "" && (name == "path" || name == "deliverable"):
			return clipPath(s, room)
		case s != "":
			return clip(s, room)
		}
	}
	if len(members) == 0 {
		return ""
	}
	return clip(line(string(input)), room)
}

// minGist is the fewest columns in which an input is worth a word.
const minGist = 8

// clipPath is the end of a path, which names the file, in at most n columns.
func clipPath(path string, n int) string {
	if cells(path) <= n {
		return path
	}
	parts := strings.Split(path, "/")
	for i := range parts[1:] {
		if short := "…/" + strings.Join(parts[i+1:], "/"); cells(short) <= n {
			return short
		}
	}
	letters := []rune(parts[len(parts)-1])
	slices.Reverse(letters)
	letters = []rune(clip(string(letters), n))
	slices.Reverse(letters)
	return string(letters)
}

// room is the columns of a line after a margin.
func (c *console) room(margin int) int {
	if c.width == 0 {
		return maxGist
	}
	return max(minWidth, c.width-margin)
}

// clipped is a line cut to what is left of the width after a margin.
func (c *console) clipped(l string, margin int) string { return clip(l, c.room(margin)) }
