package files

import (
	"belay/internal/tool"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxLine is how much of one line is shown, in bytes.
const maxLine = 2000

// page is lines with numbers, as a model reads them.
type page struct {
	text  string
	lines int  // how many lines of the file are in it
	cut   bool // a line was too long to show in full
}

// layOut writes lines with their numbers, at most limit of them and about most
// bytes, at least one line. A line is never shown in part without a word.
func layOut(lines []string, first, limit int, most int64) page {
	const room = 200 // for the note below the page
	var b strings.Builder
	var p page
	for i, line := range lines[:min(len(lines), limit)] {
		if len(line) > maxLine {
			line = fmt.Sprintf("%s [%d bytes more]", tool.Clip(line, maxLine+len("…")), len(line)-maxLine)
			p.cut = true
		}
		numbered := fmt.Sprintf("%6d\t%s\n", first+i, line)
		if i > 0 && int64(b.Len()+len(numbered)+room) > most {
			break
		}
		b.WriteString(numbered)
		p.lines++
	}
	p.text = b.String()
	return p
}

// splitLines takes text apart at line ends, which are not part of the lines. Text
// that ends with one has no empty line after it.
func splitLines(text string) []string {
	lines := make([]string, 0, 1+strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		lines = append(lines, strings.TrimSuffix(line, "\r"))
	}
	return lines
}

// lastWhole is the length of p without a character that is cut at its end.
func lastWhole(p []byte) int {
	for i := len(p) - 1; i >= 0 && i >= len(p)-utf8.UTFMax; i-- {
		if utf8.RuneStart(p[i]) {
			if utf8.FullRune(p[i:]) {
				return len(p)
			}
			return i
		}
	}
	return len(p)
}

// firstWhole is where the first character of p begins that is not cut.
func firstWhole(p []byte) int {
	i := 0
	for i < len(p) && i < utf8.UTFMax && !utf8.RuneStart(p[i]) {
		i++
	}
	return i
}
