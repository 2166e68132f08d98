package document

import "strings"

// Conflict is the line, from 1, with which a conflict of a merge begins that nobody has
// resolved, as git marks it; 0 for none. A writer that went on in such a file would hide the
// conflict, and a reader counts what only one side has.
func (d *Document) Conflict() int {
	begins, parted := 0, false
	for i, l := range d.lines {
		switch {
		case strings.HasPrefix(l.Text, "<<<<<<< "):
			begins, parted = i+1, false
		case begins > 0 && l.Text == "=======":
			parted = true
		case parted && strings.HasPrefix(l.Text, ">>>>>>> "):
			return begins
		}
	}
	return 0
}
