package render

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/quantity"
)

// WholeLines is how much is shown of what is shown whole.
const WholeLines = 1000

// CallDiff shows what a call changes in files: the diff where one came with the
// question, else what the input of the tools that edit says.
func CallDiff(l *Look, call event.ToolUse, effect *permit.Effect, width, limit int) []string {
	if effect != nil && effect.Diff != "" {
		return Diff(l, effect.Diff, width, limit)
	}
	switch call.Name {
	case "edit":
		var in struct {
			Path  string
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
		return diffOf(l, in.Path, d.String(), width, limit)
	case "write":
		var in struct{ Path, Content string }
		if json.Unmarshal(call.Input, &in) != nil {
			return nil
		}
		var d strings.Builder
		marks(&d, '+', in.Content)
		return diffOf(l, in.Path, d.String(), width, limit)
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

// Diff draws a unified diff, a line of it per line of the screen; long ones are
// cut, because what a diff shows is where something changes.
func Diff(l *Look, diff string, width, limit int) []string {
	return diffOf(l, "", diff, width, limit)
}

// diffOf is [Diff] of a file, "" where the diff itself names it.
func diffOf(l *Look, file, diff string, width, limit int) []string {
	return drawn(l, file, diff, width, limit, "", func(s string) []string { return []string{l.Cut(Spread(Visible(Glance(s, width))), width)} })
}

// WholeDiff draws a unified diff that a person decides on: long lines are broken, so that
// all of them is there to see. Rest says where more lines than the limit are.
func WholeDiff(l *Look, diff string, width, limit int, rest string) []string {
	return drawn(l, "", diff, width, limit, rest, func(s string) []string { return l.broken(Visible(s), width) })
}

// Broken are the parts of a line of a diff that fit a width, 0 for any. All but the
// first are marked, with what no line of a diff begins with: where a terminal breaks a
// long line by itself, a part of it could pass for a line of its own.
func Broken(s string, width int) []string { return NewLook().broken(s, width) }

func (l *Look) broken(s string, width int) []string {
	if width < 1 {
		return []string{s}
	}
	s = Spread(s)
	if l.Cells(s) <= width {
		return []string{s}
	}
	parts := strings.Split(l.Wide.Hardwrap(s, max(2, width-2), true), "\n")
	for i := range parts[1:] {
		parts[i+1] = "↳ " + parts[i+1]
	}
	return parts
}

func drawn(l *Look, file, diff string, width, limit int, rest string, rows func(string) []string) []string {
	var lines []string
	code := newHighlighter(file)
	left, head := 0, strings.HasPrefix(diff, "--- ") && !ofSeveral(diff)
	for s := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		if head = head && !strings.HasPrefix(s, "@@"); head {
			code = ofFile(code, s)
			continue // the file is named above
		}
		if len(lines) >= limit {
			left++
			continue
		}
		s = strings.TrimSuffix(s, "\r") // of the line's end
		style := l.Faint
		switch {
		case strings.HasPrefix(s, "+"):
			style = l.Added
		case strings.HasPrefix(s, "-"):
			style = l.Removed
		case strings.HasPrefix(s, "@@"):
			style, code = l.Place, code.anew()
		}
		code = ofFile(code, s)
		for _, row := range rows(s) {
			if code == nil || strings.HasPrefix(s, "@@") {
				lines = append(lines, style.Render(row))
				continue
			}
			sign, _ := utf8.DecodeRuneInString(row)
			n := utf8.RuneLen(max(sign, ' '))
			lines = append(lines, style.Render(row[:min(n, len(row))])+code.toned(style, row[min(n, len(row)):]))
		}
	}
	if left > 0 {
		lines = append(lines, l.Faint.Render(l.Cut("… "+quantity.Count(left, "more line", "more lines")+" of the change"+rest, width)))
	}
	return lines
}

// ofSeveral reports whether a diff has several files: then each is named where it begins.
func ofSeveral(diff string) bool {
	files, before := 0, ""
	for s := range strings.SplitSeq(diff, "\n") {
		if strings.HasPrefix(s, "+++ ") && strings.HasPrefix(before, "--- ") {
			files++
		}
		before = s
	}
	return files > 1
}
