package chat

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/permit"
)

// card is a tool call: its name, what it does, how it went, and of its result as
// much as helps. The whole result shows when everything is unfolded.
type card struct {
	call event.ToolUse
	// effect is known where the call was asked about.
	effect  *permit.Effect
	waiting bool
	verdict *event.Verdict
	result  *event.ToolOutcome
	shown   []event.Attachment
	whole   bool
	// over is set when the turn ended, with a result or without.
	over bool
	// depth is how many agents deep the call was made.
	depth int
}

// How much of a result is shown: when folded, and at most.
const (
	foldedLines = 4
	wholeLines  = 1000
	diffLines   = 24
	// changedPaths is how many files are named that a command changed.
	changedPaths = 8
)

func (*card) snug()               {}
func (c *card) unfold(whole bool) { c.whole = whole }

func (c *card) draw(l *look, width int) []string {
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
func (c *card) head(l *look, width int) string {
	sign, style, right := "○ ", l.accent, ""
	switch {
	case c.result != nil && c.result.OK:
		sign, style = "● ", l.good
	case c.result != nil:
		sign, style = "✗ ", l.bad
	case c.over:
		sign, style, right = "✗ ", l.bad, "not finished"
	case c.waiting:
		sign, style, right = "? ", l.warn, "waits for you"
	}
	if c.result != nil && c.result.DurationMS > 0 {
		right = shortly(time.Duration(c.result.DurationMS) * time.Millisecond)
	}
	name := l.cut(oneLine(c.call.Name), max(1, width-2))
	left, used := style.Render(sign)+l.strong.Render(name), 2+l.cells(name)
	if room := width - used - 1 - l.cells(right) - 1; room > 3 {
		if what := l.cut(doing(l, c.call, room), room); what != "" {
			left, used = left+" "+what, used+1+l.cells(what)
		}
	}
	if gap := width - used - l.cells(right); right != "" && gap > 0 {
		left += strings.Repeat(" ", gap) + l.faint.Render(right)
	}
	return left
}

// body is what is under the first line.
func (c *card) body(l *look, width int) []string {
	var lines []string
	if c.verdict != nil {
		lines = append(lines, l.hang(l.faint, "", verdictWords(c.verdict), width)...)
	}
	limit := diffLines
	if c.whole {
		limit = wholeLines
	}
	var diff []string
	if !c.waiting && (c.result == nil || c.result.OK) { // the question shows it
		diff = change(l, c.call, c.effect, width, limit)
	}
	lines = append(lines, diff...)
	if c.result == nil {
		return lines
	}
	lines = append(lines, c.output(l, width, len(diff) > 0)...)
	if len(lines) == 0 || c.call.Name != "edit" && c.call.Name != "write" {
		for _, path := range c.result.Changed[:min(len(c.result.Changed), changedPaths)] {
			verb := "changed "
			if slices.Contains(c.result.Removed, path) {
				verb = "removed "
			}
			lines = append(lines, l.faint.Render(l.cut(verb+l.shorten(oneLine(path), width-len(verb)), width)))
		}
		if n := len(c.result.Changed) - changedPaths; n > 0 {
			lines = append(lines, l.faint.Render(l.cut("and "+number(n, "more file"), width)))
		}
	}
	for _, a := range c.shown {
		lines = append(lines, l.faint.Render(l.cut(fmt.Sprintf("+ %s (%s, %s)", oneLine(a.Filename), oneLine(a.MIMEType), size(a.Bytes)), width)))
	}
	return lines
}

// output is the result's text. Of a change that is shown as a diff, and of a call
// that a person has denied, it says nothing new.
func (c *card) output(l *look, width int, shown bool) []string {
	text := strings.TrimRight(c.result.Output, "\n ")
	denied := c.verdict != nil && c.verdict.Verdict == string(permit.VerdictDeny)
	if text == "" || denied || shown && c.result.OK && !c.whole {
		return nil
	}
	style, limit := l.faint, foldedLines
	if !c.result.OK {
		style = l.bad
	}
	if c.whole {
		limit = wholeLines
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
			lines = append(lines, style.Render(l.cut(clean(glance(first, width)), width)))
			continue
		}
		part := l.fold(clean(first[:wholeRunes(first, 4*width*limit)]), width)
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
		lines = append(lines, l.faint.Render(l.cut(more(left, c.result.Truncated, c.whole), width)))
	}
	return lines
}

// glance bounds what is looked at of a line that may be megabytes long.
func glance(s string, width int) string {
	return s[:wholeRunes(s, 16*width+16)]
}

func more(left int, truncated, whole bool) string {
	var parts []string
	if left > 0 {
		hint := ""
		if !whole {
			hint = " (Ctrl-O)"
		}
		parts = append(parts, "… "+number(left, "more line")+hint)
	}
	if truncated {
		parts = append(parts, "the result was cut")
	}
	return strings.Join(parts, "; ")
}

// number is a count with what is counted.
func number(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func verdictWords(v *event.Verdict) string {
	word := map[string]string{
		string(permit.VerdictAllow): "allowed", string(permit.VerdictAllowSession): "allowed for the session",
		string(permit.VerdictDeny): "denied",
	}[v.Verdict]
	if word == "" {
		word = oneLine(v.Verdict)
	}
	if v.By != "" {
		word += " by " + oneLine(v.By)
	}
	if v.Note != "" {
		word += ": " + oneLine(v.Note)
	}
	return word
}

// doing says in a few words what a call does, from its input. Paths are shortened for
// so many columns.
func doing(l *look, call event.ToolUse, room int) string {
	var in map[string]any
	if json.Unmarshal(call.Input, &in) != nil {
		return ""
	}
	text := func(key string) string {
		s, _ := in[key].(string)
		return oneLine(Visible(glance(s, 100)))
	}
	switch call.Name {
	case "bash":
		what := text("command")
		if whole, _ := in["command"].(string); strings.Contains(strings.TrimSpace(whole), "\n") {
			first, rest, _ := strings.Cut(strings.TrimSpace(whole), "\n")
			what = oneLine(Visible(glance(first, 100))) + " (and " + number(1+strings.Count(rest, "\n"), "more line") + ")"
		}
		if dir := text("dir"); dir != "" && path.Clean(dir) != "." {
			what += " (in " + dir + ")"
		}
		return what
	case "grep", "glob":
		what, where := text("pattern"), text("path")
		if where == "" {
			return what
		}
		return what + " in " + l.shorten(where, max(room/2, room-l.cells(what)-len(" in ")))
	case "project.propose":
		rows, _ := in["rows"].([]any)
		return number(len(rows), "row") + " for " + text("deliverable")
	case "project.status":
		if to := text("to"); to != "" {
			return l.shorten(text("deliverable"), room-l.cells(to)-len(" to ")) + " to " + to
		}
	}
	for _, key := range []string{"path", "file_path", "deliverable"} {
		if s := text(key); s != "" {
			return l.shorten(s, room)
		}
	}
	for _, key := range []string{"url", "command", "query", "pattern", "persona", "task", "message"} {
		if s := text(key); s != "" {
			return s
		}
	}
	if len(in) == 0 {
		return ""
	}
	return oneLine(Visible(glance(string(call.Input), 100)))
}

// size is a number of bytes for reading.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1000/1000)
}
