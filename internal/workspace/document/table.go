package document

import (
	"slices"
	"strings"
)

// Table is a Markdown table with a header, outside code blocks and comments.
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

// tables are those of some lines.
type tables struct {
	first, end int
	all        []Table
}

// Tables returns the tables in the lines first ≤ line < end. The slice is the
// document's: it is not to be changed.
func (d *Document) Tables(first, end int) []Table {
	if d.tables.all == nil || d.tables.first != first || d.tables.end != end {
		d.tables = tables{first, end, slices.Clip(d.readTables(first, end))}
	}
	return d.tables.all
}

func (d *Document) readTables(first, end int) []Table {
	var all []Table
	for i := first; i+1 < end; i++ {
		if !isRule(d.lines[i+1].Text) || d.Inert(i) {
			continue
		}
		header, ok := cells(d.lines[i].Text)
		if !ok {
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
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "|")
	if !ok {
		return nil, false
	}
	all := make([]string, 0, strings.Count(rest, "|")+1)
	for rest != "" {
		var raw string
		raw, rest = cutCell(rest)
		if raw = strings.TrimSpace(raw); strings.Contains(raw, `\|`) {
			raw = strings.ReplaceAll(raw, `\|`, "|")
		}
		all = append(all, raw)
	}
	return all, len(all) > 0
}

// cutCell takes the first cell, as it is written, off what follows a pipe.
func cutCell(text string) (raw, rest string) {
	for i := 0; ; i++ {
		n := strings.IndexByte(text[i:], '|')
		if n < 0 {
			return text, ""
		}
		if i += n; i == 0 || text[i-1] != '\\' {
			return text[:i], text[i+1:]
		}
	}
}

// isRule reports whether a line separates a table's header from its rows.
func isRule(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "|")
	if !ok || rest == "" {
		return false
	}
	for rest != "" {
		var raw string
		raw, rest = cutCell(rest)
		if raw = strings.Trim(strings.TrimSpace(raw), ":"); raw == "" || strings.Trim(raw, "-") != "" {
			return false
		}
	}
	return true
}
