package chat

import (
	"slices"
	"strings"

	"belay/internal/event"
	"belay/internal/quantity"
	"belay/internal/render"
)

// liveOutput is the end of what a command has written while it runs.
type liveOutput struct {
	text string
	// cut is set where something before it is not here.
	cut bool
}

// How much of it is kept, in bytes, and how many lines of it are shown.
const (
	keptLive = 64 << 10
	openLive = 6
)

func (o *liveOutput) write(d *event.LiveOutput) {
	if d.Tail {
		o.text, o.cut = "", true
	}
	if o.text += d.Text; len(o.text) > 2*keptLive {
		o.text, o.cut = strings.ToValidUTF8(o.text[len(o.text)-keptLive:], ""), true
	}
}

// draw shows the last lines, or, where everything is unfolded, as many as are kept.
func (o *liveOutput) draw(l *render.Look, width int, whole bool) []string {
	if whole {
		return o.lines(l, width, render.WholeLines)
	}
	return o.lines(l, width, openLive)
}

// lines are at most so many of the last lines, after one that says what is above them.
func (o *liveOutput) lines(l *render.Look, width, limit int) []string {
	rest := strings.TrimRight(o.text, "\r\n ")
	var lines []string // the last one first
	for rest != "" && len(lines) < limit {
		at := strings.LastIndexByte(rest, '\n')
		lines = append(lines, l.Faint.Render(l.Cut(render.Clean(render.WithoutSequences(render.Glance(render.Overwritten(rest[at+1:]), width))), width)))
		rest = rest[:max(at, 0)]
	}
	if rest != "" || o.cut {
		above := "…"
		if n := strings.Count(rest, "\n") + 1; rest != "" && !o.cut {
			above += " " + quantity.Count(n, "line", "lines") + " above"
		}
		lines = append(lines, l.Faint.Render(l.Cut(above, width)))
	}
	slices.Reverse(lines)
	return lines
}
