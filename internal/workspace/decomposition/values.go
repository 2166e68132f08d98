package decomposition

import (
	"strings"
	"unicode"

	"belay/internal/lazyregexp"
)

var lineBreak = lazyregexp.New(`(?i)\s*<br\s*/?>\s*`)

// tidy takes the blanks around a value and the empty lines in it away.
func tidy(value string) string {
	var lines []string
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// oneLine is a value that no reader takes for more than one line.
func oneLine(value string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, value))
}

// items are the lines of a value, those of a list without their dash.
func items(value string) []string {
	var all []string
	for line := range strings.Lines(value) {
		line = strings.TrimSpace(line)
		line = strings.TrimSpace(strings.TrimPrefix(line, "- "))
		if line != "" && line != "-" {
			all = append(all, oneLine(line))
		}
	}
	return all
}

// classes are artifacts that are named by their kinds alone: "CODE/TEST/DOC".
var classes = lazyregexp.New(`^[A-Z_]+(?:\s*[/,]\s*[A-Z_]+)+$`)

// artifacts takes a list in one line apart, too.
func artifacts(value string) []string {
	var all []string
	for _, item := range items(value) {
		cut := func(r rune) bool { return r == ';' }
		if classes.MatchString(item) && !IsOpen(item) {
			cut = func(r rune) bool { return r == '/' || r == ',' }
		}
		for part := range strings.FieldsFuncSeq(item, cut) {
			if part = strings.TrimSpace(part); part != "" {
				all = append(all, oneLine(part))
			}
		}
	}
	return all
}
