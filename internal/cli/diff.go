package cli

import (
	"fmt"
	"io"
	"strings"
)

// The colours of a diff.
const (
	styleAdded   style = "\x1b[32m"
	styleRemoved style = "\x1b[31m"
	stylePlace   style = "\x1b[36m"
	styleFile    style = "\x1b[1m"
)

// printDiff prints a diff on stdout. With most above 0 it prints no more lines
// than that, and says how to see the rest.
func (c *console) printDiff(diff string, most int, rest string) {
	c.eachLine(diff, most, rest, func(s style, l string) { c.write(painted(c.colour && c.outTerminal, s, l) + "\n") })
}

// noteDiff is printDiff on stderr, set in under the labels.
func (c *console) noteDiff(diff string, most int, rest string) {
	margin := strings.Repeat(" ", noteCells)
	c.eachLine(diff, most, rest, func(s style, l string) {
		_, _ = io.WriteString(c.err, margin+c.paint(s, l)+"\n") // the sink keeps its first error
	})
}

func (c *console) eachLine(diff string, most int, rest string, show func(s style, l string)) {
	lines := strings.Split(strings.TrimRight(clean(diff), "\n"), "\n")
	shown := lines
	if most > 0 && len(lines) > most {
		shown = lines[:most-1]
	}
	for _, l := range shown {
		show(styleOf(l), l)
	}
	if left := len(lines) - len(shown); left > 0 {
		show(styleQuiet, fmt.Sprintf("[%d more lines: %s]", left, rest))
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
