package cli

import (
	"fmt"
	"io"
	"strings"

	"belay/internal/quantity"
	"belay/internal/render"
)

// The colours of a diff.
const (
	styleAdded   style = "\x1b[32m"
	styleRemoved style = "\x1b[31m"
	stylePlace   style = "\x1b[36m"
	styleFile    style = "\x1b[1m"
)

// printDiff prints the diff of a question on stdout. With most above 0 it prints no
// more lines than that, and says how to see the rest. Invisible
// characters are shown. On a terminal long lines are broken.
func (c *console) printDiff(diff string, most int, rest string) {
	width := 0
	if c.outTerminal {
		width = c.width
	}
	eachDiffLine(render.Visible(diff), width, most, rest, c.writeDiff)
}

// printPatch prints a whole diff on stdout: for a person on a terminal as printDiff does, else as
// a patch for programs.
func (c *console) printPatch(diff string) {
	if c.outTerminal {
		c.printDiff(diff, 0, "")
		return
	}
	eachDiffLine(diff, 0, 0, "", c.writeDiff)
}

func (c *console) writeDiff(s style, l string) {
	c.write(painted(c.outColour, s, l) + "\n")
}

// noteDiff is printDiff on stderr, set in under the labels.
func (c *console) noteDiff(diff string, most int, rest string) {
	margin, width := strings.Repeat(" ", noteCells), 0
	if c.width > 0 {
		width = max(c.width-noteCells, 1)
	}
	eachDiffLine(render.Visible(diff), width, most, rest, func(s style, l string) {
		_, _ = io.WriteString(c.err, margin+c.paint(s, l)+"\n") // the sink keeps its first error
	})
}

// eachDiffLine shows the lines of a diff, those that are too long for the width in parts.
func eachDiffLine(diff string, width, most int, rest string, show func(s style, l string)) {
	type row struct {
		style
		text string
	}
	var rows []row
	for l := range strings.SplitSeq(strings.TrimRight(clean(diff), "\n"), "\n") {
		for _, part := range render.Broken(l, width) {
			rows = append(rows, row{styleOf(l), part})
		}
	}
	shown := rows
	if most > 0 && len(rows) > most {
		shown = rows[:most-1]
	}
	for _, r := range shown {
		show(r.style, r.text)
	}
	if left := len(rows) - len(shown); left > 0 {
		show(styleQuiet, fmt.Sprintf("[%s: %s]", quantity.Count(left, "more line", "more lines"), rest))
	}
}

func styleOf(l string) style {
	switch {
	case strings.HasPrefix(l, "+++ "), strings.HasPrefix(l, "--- "):
		return styleFile
	case strings.HasPrefix(l, "+"):
		return styleAdded
	case strings.HasPrefix(l, "-"):
		return styleRemoved
	case strings.HasPrefix(l, "@@"):
		return stylePlace
	}
	return ""
}

// painted is a text in a style, or as it is where there are no colours.
func painted(colour bool, s style, text string) string {
	if !colour || s == "" || text == "" {
		return text
	}
	return string(s) + text + "\x1b[0m"
}
