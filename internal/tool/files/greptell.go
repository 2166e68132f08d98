package files

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"belay/internal/tool"
)

// maxHitLine is how much of a line is shown around a match, in bytes.
const maxHitLine = 400

// tell writes what was found, up to the limits.
func (c *grepCall) tell(found []fileHits, skipped int) tool.Result {
	t := &teller{matches: c.w.Limits.Matches, bytes: c.w.Limits.OutputBytes - 200}
	for _, f := range found {
		name := c.at.shown()
		if f.path != "" {
			name = c.at.below(path.Join(c.at.name, f.path))
		}
		switch c.in.Output {
		case tellFiles:
			t.line(true, "%s\n", tool.Printable(name))
		case tellCounts:
			t.line(true, "%s: %d\n", tool.Printable(name), f.count)
		default:
			t.file(tool.Printable(name), f.lines)
		}
		if t.full {
			break
		}
	}
	if len(found) == 0 {
		t.b.WriteString("no line matches\n")
	}
	if t.full {
		fmt.Fprintf(&t.b, "[the first %d; there are more: make the pattern narrower, or look in one folder]\n", t.shown)
	}
	t.b.WriteString(passedOver(skipped))
	return tool.Result{Text: t.b.String(), Truncated: t.full}
}

// teller writes until a limit is reached.
type teller struct {
	b       strings.Builder
	matches int
	bytes   int64
	shown   int
	full    bool
}

func (t *teller) line(match bool, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if match && t.shown >= t.matches || int64(t.b.Len()+len(line)) > t.bytes {
		t.full = true
		return
	}
	t.b.WriteString(line)
	if match {
		t.shown++
	}
}

// file writes a heading and lines, with a rule where lines are left out.
func (t *teller) file(name string, lines []hitLine) {
	if t.shown >= t.matches {
		t.full = true
		return
	}
	if t.b.Len() > 0 {
		t.line(false, "\n")
	}
	t.line(false, "%s\n", name)
	for i, l := range lines {
		if t.full {
			return
		}
		if i > 0 && l.rule {
			t.line(false, "--\n")
		}
		mark := "-"
		if l.match {
			mark = ":"
		}
		t.line(l.match, "%d%s%s\n", l.number, mark, l.text)
	}
}

// window cuts a line around the place from a to b, and makes it valid text.
func window(line []byte, a, b int) string {
	if len(line) <= maxHitLine {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	from := max(0, min(a, len(line)-maxHitLine)-maxHitLine/4)
	to := min(len(line), from+maxHitLine)
	if b > to && b-a < maxHitLine {
		from, to = b-maxHitLine, b
	}
	for from > 0 && from < len(line) && !utf8.RuneStart(line[from]) {
		from++
	}
	for to < len(line) && to > from && !utf8.RuneStart(line[to]) {
		to--
	}
	text := strings.ToValidUTF8(string(line[from:to]), "\uFFFD")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += fmt.Sprintf("… [%d bytes]", len(line))
	}
	return text
}
