package document

import "strings"

// Conflict is the line, from 1, with which a conflict of a merge begins that nobody has
// resolved, as git marks it; 0 for none. A writer that went on in such a file would hide the
// conflict, and a reader counts what only one side has. Marks of which all is in code or in a
// comment are an example.
func (d *Document) Conflict() int { return conflict(d.lines, d.Inert) }

// ConflictInText is [Document.Conflict] of a file that is no Markdown.
func ConflictInText(text string) int {
	if !strings.Contains(text, beginMark) {
		return 0
	}
	return conflict(Parse([]byte(text)).lines, func(int) bool { return false })
}

const beginMark = "<<<<<<< "

func conflict(lines []Line, inert func(i int) bool) int {
	begins, parted, meant := 0, false, false
	for i, l := range lines {
		if strings.HasPrefix(l.Text, beginMark) {
			begins, parted, meant = i+1, false, false
		}
		if begins == 0 {
			continue
		}
		meant = meant || !inert(i)
		switch {
		case l.Text == "=======":
			parted = true
		case parted && strings.HasPrefix(l.Text, ">>>>>>> "):
			if meant {
				return begins
			}
			begins = 0
		}
	}
	return 0
}
