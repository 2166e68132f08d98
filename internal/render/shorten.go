package render

import "strings"

// keptFolder is the fewest columns to which a folder's name is shortened: enough for
// the identifier with which many begin.
const keptFolder = 10

// Shorten is a path in at most width columns. The name of the file stays; of folders
// with long names the beginnings do, as many of the nearest folders as there is room for.
func (l *Look) Shorten(path string, width int) string {
	if len(path) <= width || l.Cells(path) <= width {
		return path
	}
	parts := strings.Split(path, "/")
	lead, name := "", parts[len(parts)-1]
	for folders := parts[:len(parts)-1]; len(folders) > 0; folders = folders[1:] {
		longest := 0
		for _, f := range folders {
			longest = max(longest, l.Cells(f))
		}
		for most := min(longest, width); most >= min(keptFolder, longest); most-- {
			s := lead
			for _, f := range folders {
				s += l.Cut(f, most) + "/"
			}
			if s += name; l.Cells(s) <= width {
				return s
			}
		}
		lead = "…/"
	}
	if s := lead + name; l.Cells(s) <= width {
		return s
	}
	return l.Cut(name, width)
}

// Overwritten is what a terminal shows of a line: a program that goes back to its beginning,
// as one with a progress bar does, writes it anew.
func Overwritten(line string) string {
	line = strings.TrimRight(line, "\r")
	return line[strings.LastIndexByte(line, '\r')+1:]
}
