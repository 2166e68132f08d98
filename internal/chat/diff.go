package chat

import (
	"encoding/json"
	"strings"

	"belay/internal/event"
	"belay/internal/permit"
)

// change shows what a call changes in files: the diff where one came with the
// question, else what the input of the tools that edit says.
func change(l *look, call event.ToolUse, effect *permit.Effect, width, limit int) []string {
	if effect != nil && effect.Diff != "" {
		return unified(l, effect.Diff, width, limit)
	}
	switch call.Name {
	case "edit":
		var in struct {
			Edits []struct{ Old, New string }
		}
		if json.Unmarshal(call.Input, &in) != nil {
			return nil
		}
		var d strings.Builder
		for i, e := range in.Edits {
			if i > 0 {
				d.WriteString("@@\n")
			}
			replaced(&d, e.Old, e.New)
		}
		return unified(l, d.String(), width, limit)
	case "write":
		var in struct{ Content string }
		if json.Unmarshal(call.Input, &in) != nil {
			return nil
		}
		var d strings.Builder
		marks(&d, '+', in.Content)
		return unified(l, d.String(), width, limit)
	}
	return nil
}

// replaced writes a replacement as a diff; the lines that both begin and end with
// are its context.
func replaced(d *strings.Builder, before, after string) {
	a, b := strings.Split(strings.TrimSuffix(before, "\n"), "\n"), strings.Split(strings.TrimSuffix(after, "\n"), "\n")
	if before == "" {
		a = nil
	}
	if after == "" {
		b = nil
	}
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	foot := 0
	for foot < len(a)-head && foot < len(b)-head && a[len(a)-1-foot] == b[len(b)-1-foot] {
		foot++
	}
	for _, part := range []struct {
		sign  byte
		lines []string
	}{{' ', a[:head]}, {'-', a[head : len(a)-foot]}, {'+', b[head : len(b)-foot]}, {' ', a[len(a)-foot:]}} {
		if len(part.lines) > 0 {
			marks(d, part.sign, strings.Join(part.lines, "\n"))
		}
	}
}

func marks(d *strings.Builder, sign byte, text string) {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		d.WriteByte(sign)
		d.WriteString(line)
		d.WriteByte('\n')
	}
}

// unified draws a unified diff, a line of it per line of the screen; long ones are
// cut, because what a diff shows is where something changes.
func unified(l *look, diff string, width, limit int) []string {
	return drawn(l, diff, width, limit, "", func(s string) []string { return []string{l.cut(spread(Visible(glance(s, width))), width)} })
}

// whole draws a unified diff that a person decides on: long lines are broken, so that
// all of them is there to see. Rest says where more lines than the limit are.
func whole(l *look, diff string, width, limit int, rest string) []string {
	return drawn(l, diff, width, limit, rest, func(s string) []string { return broken(l, spread(Visible(s)), width) })
}

// broken are the parts of a line of a diff that fit a width. All but the first are
// marked, with what no line of a diff begins with, so that none passes for a line of
// its own.
func broken(l *look, s string, width int) []string {
	if l.cells(s) <= width {
		return []string{s}
	}
	parts := strings.Split(l.wide.Hardwrap(s, max(2, width-2), true), "\n")
	for i := range parts[1:] {
		parts[i+1] = "↳ " + parts[i+1]
	}
	return parts
}

func drawn(l *look, diff string, width, limit int, rest string, rows func(string) []string) []string {
	var lines []string
	left, head := 0, strings.HasPrefix(diff, "--- ")
	for s := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		if head = head && !strings.HasPrefix(s, "@@"); head {
			continue // the file is named above
		}
		if len(lines) >= limit {
			left++
			continue
		}
		s = strings.TrimSuffix(s, "\r") // of the line's end
		style := l.faint
		switch {
		case strings.HasPrefix(s, "+"):
			style = l.added
		case strings.HasPrefix(s, "-"):
			style = l.removed
		case strings.HasPrefix(s, "@@"):
			style = l.place
		}
		for _, row := range rows(s) {
			lines = append(lines, style.Render(row))
		}
	}
	if left > 0 {
		lines = append(lines, l.faint.Render(l.cut("… "+number(left, "more line")+" of the change"+rest, width)))
	}
	return lines
}
