package document

import "strings"

// inert says why a line is no content.
type inert byte

const (
	content inert = iota
	code
	comment
)

// Inert reports whether line i is in a fenced code block or an HTML comment. Nothing in
// it is a heading, a field or a table.
func (d *Document) Inert(i int) bool { return d.inertAt(i) != content }

// Fenced reports whether line i is in a fenced code block, fences included.
func (d *Document) Fenced(i int) bool { return d.inertAt(i) == code }

// Commented reports whether line i is in an HTML comment of several lines, its first and
// last line included. A comment that is never closed is taken for text: one slip would
// otherwise hide the rest of the file.
func (d *Document) Commented(i int) bool { return d.inertAt(i) == comment }

func (d *Document) inertAt(i int) inert {
	if d.inert == nil {
		d.markInert()
	}
	return d.inert[i]
}

// markInert looks for code and comments in one pass, because a fence in a comment opens
// no code block, and "<!--" in a code block no comment.
func (d *Document) markInert() {
	d.inert = make([]inert, len(d.lines))
	open, endless := "", false
	for i := 0; i < len(d.lines); i++ {
		if open == "" && !endless && opensComment(d.lines[i].Text) {
			end := i + 1
			for end < len(d.lines) && !strings.Contains(d.lines[end].Text, "-->") {
				end++
			}
			if endless = end == len(d.lines); !endless { // else nothing closes a later one either
				for ; i <= end; i++ {
					d.inert[i] = comment
				}
				i--
				continue
			}
		}
		var inside bool
		if open, inside = fenced(open, d.lines[i].Text); inside {
			d.inert[i] = code
		}
	}
}

// opensComment reports whether a line begins a comment that goes on after it.
func opensComment(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "<!--")
	return ok && !strings.Contains(rest, "-->")
}

// fenced takes the fence that is open before a line, "" for none, and returns the
// one that is open after it, and whether the line is in a code block.
func fenced(open, line string) (after string, inside bool) {
	text := strings.TrimLeft(line, " ")
	mark := fence(text)
	switch {
	case open == "" && mark != "" && len(line)-len(text) <= 3:
		return mark, true
	case open == "":
		return "", false
	case strings.HasPrefix(mark, open) && strings.Trim(text, mark[:1]+" \t") == "":
		return "", true
	}
	return open, true
}

// fence is the run of three or more backticks or tildes that text begins with.
func fence(text string) string {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return ""
	}
	for _, c := range []string{"`", "~"} {
		run := text[:len(text)-len(strings.TrimLeft(text, c))]
		if len(run) >= 3 && (c == "~" || !strings.Contains(text[len(run):], "`")) {
			return run
		}
	}
	return ""
}
