package document

import "strings"

// SetCell replaces what is in a cell of a table's row, column 0 being the
// first; the blanks around it and the other cells stay. It reports whether the line
// has that cell.
func (d *Document) SetCell(line, column int, text string) bool {
	start, end, ok := cellSpan(d.lines[line].Text, column)
	if !ok {
		return false
	}
	text = strings.ReplaceAll(oneLine(text), "|", `\|`)
	was := d.lines[line].Text
	if strings.TrimSpace(was[start:end]) == "" {
		text = " " + text + " " // the cell held nothing to stand in the place of
	}
	d.lines[line].Text = was[:start] + text + was[end:]
	d.edited()
	return true
}

// cellSpan is where the content of a cell is in a line that begins with a
// pipe; for one without any, its blanks.
func cellSpan(line string, column int) (start, end int, ok bool) {
	open := strings.IndexByte(line, '|')
	if open < 0 || strings.TrimSpace(line[:open]) != "" {
		return 0, 0, false
	}
	for at := open + 1; at <= len(line); column-- {
		stop := at
		for stop < len(line) && line[stop] != '|' {
			if line[stop] == '\\' && stop+1 < len(line) && line[stop+1] == '|' {
				stop++
			}
			stop++
		}
		if stop == len(line) && strings.TrimSpace(line[at:]) == "" {
			return 0, 0, false // after the last pipe
		}
		if column == 0 {
			body := line[at:stop]
			start = at + len(body) - len(strings.TrimLeft(body, " \t"))
			if start == stop {
				return at, stop, true
			}
			return start, at + len(strings.TrimRight(body, " \t")), true
		}
		at = stop + 1
	}
	return 0, 0, false
}
