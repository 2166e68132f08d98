package render

import (
	"strings"

	xast "github.com/yuin/goldmark/extension/ast"
)

// minColumn is how narrow a column of a table may get.
const minColumn = 5

// table sets a table in columns; where it is too wide their text is wrapped, and
// where there are too many columns for that, each row becomes a list.
func (s *setter) table(n *xast.Table, width int) []string {
	rows := s.tableRows(n)
	columns := 0
	for _, r := range rows {
		columns = max(columns, len(r))
	}
	if columns == 0 {
		return nil
	}
	wide := make([]int, columns)
	for _, r := range rows {
		for i, c := range r {
			wide[i] = max(wide[i], s.l.Cells(c), 1)
		}
	}
	const gap = 3 // " │ "
	room := width - gap*(columns-1)
	if room < columns*minColumn && sum(wide) > room {
		return s.listed(rows, width)
	}
	shrink(wide, room)
	var out []string
	for i, r := range rows {
		out = append(out, s.tableRow(r, wide)...)
		if i == 0 {
			var parts []string
			for _, w := range wide {
				parts = append(parts, strings.Repeat("─", w))
			}
			out = append(out, s.l.Faint.Render(strings.Join(parts, "─┼─")))
		}
	}
	return out
}

// tableRows are the cells as styled texts, the head first.
func (s *setter) tableRows(n *xast.Table) [][]string {
	var rows [][]string
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		style := s.l.Plain
		if _, head := r.(*xast.TableHeader); head {
			style = s.l.Strong
		}
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, s.inline(c, style))
		}
		rows = append(rows, row)
	}
	return rows
}

// tableRow sets one row, in as many lines as its longest cell needs.
func (s *setter) tableRow(row []string, wide []int) []string {
	parts := make([][]string, len(wide))
	high := 1
	for i, c := range row {
		parts[i] = s.wrap(c, wide[i])
		high = max(high, len(parts[i]))
	}
	out := make([]string, high)
	for y := range out {
		var b strings.Builder
		for i, w := range wide {
			if i > 0 {
				b.WriteString(s.l.Faint.Render(" │ "))
			}
			part := ""
			if y < len(parts[i]) {
				part = parts[i][y]
			}
			b.WriteString(part)
			if i+1 < len(wide) {
				b.WriteString(strings.Repeat(" ", max(0, w-s.l.Cells(part))))
			}
		}
		out[y] = strings.TrimRight(b.String(), " ")
	}
	return out
}

// listed sets a table as a list: under each head what the row has there.
func (s *setter) listed(rows [][]string, width int) []string {
	var out []string
	for _, r := range rows[1:] {
		if len(out) > 0 {
			out = append(out, "")
		}
		for i, c := range r {
			head := ""
			if i < len(rows[0]) && rows[0][i] != "" {
				head = rows[0][i] + ": "
			}
			out = append(out, s.wrap(head+c, width)...)
		}
	}
	return out
}

// shrink makes the widest columns narrower until all fit.
func shrink(wide []int, room int) {
	for sum(wide) > room {
		widest := 0
		for i, w := range wide {
			if w > wide[widest] {
				widest = i
			}
		}
		if wide[widest] <= minColumn {
			return
		}
		wide[widest]--
	}
}

func sum(all []int) int {
	n := 0
	for _, v := range all {
		n += v
	}
	return n
}
