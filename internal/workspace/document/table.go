package document

import "strings"

// Table is a Markdown table with a header, outside code blocks.
type Table struct {
	// Header are the names of its columns.
	Header []string
	// Line is the header's line, from 0; the rule is the next one.
	Line int
	Rows []Row
}

// Row is a row of a table, or of what looks like one.
type Row struct {
	// Cells are trimmed; an escaped pipe in a cell is a pipe.
	Cells []string
	// Line is its line, from 0.
	Line int
}

// Tables returns the tables in the lines first ≤ line < end.
func (d *Document) Tables(first, end int) []Table {
	var all []Table
	for i := first; i+1 < end; i++ {
		header, ok := cells(d.lines[i].Text)
		if !ok || d.Fenced(i) || !isRule(d.lines[i+1].Text) {
			continue
		}
		t := Table{Header: header, Line: i}
		for i += 2; i < end; i++ {
			row, ok := cells(d.lines[i].Text)
			if !ok {
				break
			}
			t.Rows = append(t.Rows, Row{Cells: row, Line: i})
		}
		all = append(all, t)
		i-- // the line that ended the table may begin another
	}
	return all
}

// Cell is a row's cell by its column's name, "" when there is none.
func (t *Table) Cell(r Row, names ...string) string {
	for i, h := range t.Header {
		for _, n := range names {
			if i < len(r.Cells) && Same(h, n) {
				return r.Cells[i]
			}
		}
	}
	return ""
}

// TableRow is the line for a row of these cells: what would end a cell is
// escaped.
func TableRow(cells ...string) string {
	var b strings.Builder
	b.WriteByte('|')
	for _, c := range cells {
		b.WriteByte(' ')
		b.WriteString(strings.ReplaceAll(oneLine(c), "|", `\|`))
		b.WriteString(" |")
	}
	return b.String()
}

// cells splits a line that begins with a pipe.
func cells(line string) ([]string, bool) {
	text := strings.TrimSpace(line)
	text, ok := strings.CutPrefix(text, "|")
	if !ok {
		return nil, false
	}
	var all []string
	var cell strings.Builder
	open := false // something came after the last pipe
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] == '|':
			cell.WriteByte('|')
			i++
			open = true
		case c == '|':
			all = append(all, strings.TrimSpace(cell.String()))
			cell.Reset()
			open = false
		default:
			cell.WriteByte(c)
			open = true
		}
	}
	if open {
		all = append(all, strings.TrimSpace(cell.String()))
	}
	return all, len(all) > 0
}

// isRule reports whether a line separates a table's header from its rows.
func isRule(line string) bool {
	parts, ok := cells(line)
	if !ok {
		return false
	}
	for _, p := range parts {
		if p = strings.Trim(p, ":"); p == "" || strings.Trim(p, "-") != "" {
			return false
		}
	}
	return true
}
