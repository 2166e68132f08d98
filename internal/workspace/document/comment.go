package document

import "strings"

// commented reports whether line i is in an HTML comment that begins a line before it, and
// that is closed. One that is never closed is taken for text: else a file would lose
// everything behind a slip of somebody's.
func (d *Document) commented(i int) bool {
	if d.comments == nil {
		d.markComments()
	}
	return d.comments[i]
}

func (d *Document) markComments() {
	d.comments = make([]bool, len(d.lines))
	for i := 0; i < len(d.lines); i++ {
		rest, ok := strings.CutPrefix(strings.TrimLeft(d.lines[i].Text, " "), "<!--")
		if !ok || d.Fenced(i) || strings.Contains(rest, "-->") {
			continue
		}
		end := i + 1
		for end < len(d.lines) && !strings.Contains(d.lines[end].Text, "-->") {
			end++
		}
		if end == len(d.lines) {
			return // nothing closes this one, nor one that begins further down
		}
		for ; i < end; i++ {
			d.comments[i+1] = true
		}
	}
}
