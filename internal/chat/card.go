package chat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/quantity"
	"belay/internal/render"
)

// card is a tool call: its name, what it does, how it went, and of its result as
// much as helps. The whole result shows when everything is unfolded.
type card struct {
	call event.ToolUse
	// asked are the questions about the call. It waits for the answer to the last one.
	asked   []*asked
	waiting bool
	result  *event.ToolOutcome
	// live is what a command writes until it has a result.
	live liveOutput
	// shown are files that the model was given, sent those that people were.
	shown []event.Attachment
	sent  []event.SentFile
	whole bool
	// over is set when the turn ended, with a result or without.
	over bool
	// delegates is set once a subagent that it started has made a call: its result then
	// stands under these. subagent is its name, where that is known.
	delegates bool
	subagent  string
	// depth is how many agents deep the call was made.
	depth int
}

// How much of a result is shown: when folded, and at most.
const (
	foldedLines = 4
	diffLines   = 24
	// changedPaths is how many files are named that a command changed.
	changedPaths = 8
)

func (*card) snug()               {}
func (c *card) unfold(whole bool) { c.whole = whole }

func (c *card) draw(l *render.Look, width int) []string {
	indent := strings.Repeat("  ", min(c.depth, 3))
	room := max(8, width-len(indent))
	lines := []string{c.head(l, room)}
	inside := max(4, room-2)
	for _, s := range c.body(l, inside) {
		lines = append(lines, "  "+s)
	}
	for i := range lines {
		lines[i] = indent + lines[i]
	}
	return lines
}

// head is the card's first line.
func (c *card) head(l *render.Look, width int) string {
	sign, style, right := "○ ", l.Accent, ""
	switch {
	case c.result != nil && c.result.OK:
		sign, style = "● ", l.Good
	case c.result != nil:
		sign, style = "✗ ", l.Bad
	case c.over:
		sign, style, right = "✗ ", l.Bad, "not finished"
	case c.waiting:
		sign, style, right = "? ", l.Warn, "waits for you"
	}
	if c.result != nil && c.result.DurationMS > 0 {
		right = quantity.Duration(time.Duration(c.result.DurationMS) * time.Millisecond)
	}
	name := l.Cut(render.Line(c.call.Name), max(1, width-2))
	left, used := style.Render(sign)+l.Strong.Render(name), 2+l.Cells(name)
	if mark := render.Mark(c.call.Name, c.call.Input); mark != "" && used+1+l.Cells(mark) <= width {
		left, used = left+" "+l.Warn.Render(mark), used+1+l.Cells(mark)
	}
	if room := width - used - 1 - l.Cells(right) - 1; room > 3 {
		if what := l.Cut(render.Call(l, c.call, room), room); what != "" {
			left, used = left+" "+what, used+1+l.Cells(what)
		}
	}
	if gap := width - used - l.Cells(right); right != "" && gap > 0 {
		left += strings.Repeat(" ", gap) + l.Faint.Render(right)
	}
	return left
}

// body is what is under the first line.
func (c *card) body(l *render.Look, width int) []string {
	var lines []string
	for _, words := range c.verdicts() {
		lines = append(lines, l.Hang(l.Faint, "", words, width)...)
	}
	limit := diffLines
	if c.whole {
		limit = render.WholeLines
	}
	var diff []string
	if !c.waiting && (c.result == nil || c.result.OK) { // the question shows it
		diff = render.CallDiff(l, c.call, c.effect(), width, limit)
	}
	lines = append(lines, diff...)
	if c.result == nil {
		return append(lines, c.live.draw(l, width, c.whole)...)
	}
	if !c.delegates {
		lines = append(lines, c.output(l, width, len(diff) > 0)...)
	}
	if len(lines) == 0 || c.call.Name != "edit" && c.call.Name != "write" {
		for _, path := range c.result.Changed[:min(len(c.result.Changed), changedPaths)] {
			verb := "changed "
			if slices.Contains(c.result.Removed, path) {
				verb = "removed "
			}
			lines = append(lines, l.Faint.Render(l.Cut(verb+l.Shorten(render.Line(path), width-len(verb)), width)))
		}
		if n := len(c.result.Changed) - changedPaths; n > 0 {
			lines = append(lines, l.Faint.Render(l.Cut("and "+quantity.Count(n, "more file", "more files"), width)))
		}
	}
	for _, f := range c.sent {
		lines = append(lines, l.Good.Render(l.Cut("→ "+render.Sent(f), width)))
	}
	for _, a := range c.shown {
		lines = append(lines, l.Faint.Render(l.Cut(fmt.Sprintf("+ %s (%s, %s)", render.Line(a.Filename), render.Line(a.MIMEType), quantity.Size(a.Bytes)), width)))
	}
	return lines
}

// output is the result's text. Of a change that is shown as a diff, and of a call
// that a person has denied, it says nothing new.
func (c *card) output(l *render.Look, width int, shown bool) []string {
	text := strings.TrimRight(c.result.Output, "\n ")
	if text == "" || c.denied() || len(c.sent) > 0 && !c.whole || shown && c.result.OK && !c.whole {
		return nil
	}
	style, limit := l.Faint, foldedLines
	if !c.result.OK {
		style = l.Bad
	}
	if c.whole {
		limit = render.WholeLines
	}
	var lines []string
	left := 0
	for text != "" {
		// A single line more is shown: to say that there is one would take as much room.
		if n := 1 + strings.Count(text, "\n"); len(lines) > limit || len(lines) == limit && n > 1 {
			left = n
			break
		}
		var first string
		first, text, _ = strings.Cut(text, "\n")
		if !c.whole && c.result.OK {
			lines = append(lines, style.Render(l.Cut(render.Clean(render.WithoutSequences(render.Glance(first, width))), width)))
			continue
		}
		part := l.Fold(render.Clean(render.WithoutSequences(first[:render.WholeRunes(first, 4*width*limit)])), width)
		for i, p := range part {
			if len(lines) > limit {
				left = len(part) - i
				break
			}
			lines = append(lines, style.Render(p))
		}
		if left > 0 {
			left += strings.Count(text, "\n")
			break
		}
	}
	if left > 0 || c.result.Truncated {
		lines = append(lines, l.Faint.Render(l.Cut(more(left, c.result.Truncated, c.whole), width)))
	}
	return lines
}

func more(left int, truncated, whole bool) string {
	var parts []string
	if left > 0 {
		hint := ""
		if !whole {
			hint = " (Ctrl-O)"
		}
		parts = append(parts, "… "+quantity.Count(left, "more line", "more lines")+hint)
	}
	if truncated {
		parts = append(parts, "the result was cut")
	}
	return strings.Join(parts, "; ")
}
