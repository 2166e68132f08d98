package register

import (
	"slices"
	"strings"

	"belay/internal/workspace/document"
)

// The columns of the lists that a new section gets.
var (
	anchorListing    = []string{"DependencyID", "AnchorType", "TargetType", "TargetRefID / TargetName", "Confidence"}
	executionListing = []string{"DependencyID", "Direction", "DependencyType", "TargetType", "Target", "Confidence"}
)

// maxListedText is how much of a statement or a note a list shows, in characters.
const maxListedText = 100

// updateListed corrects the lines of rows that changed: the cells that show what
// did. A row that was retired leaves a list that does not tell the two apart.
func (s *Summary) updateListed(r *Register, changed map[string][]Column) {
	rows := make(map[string]Row, len(r.rows))
	for i := range r.rows {
		row := r.Row(i)
		rows[row.ID()] = row
	}
	tables := s.listings()
	slices.Reverse(tables)
	for _, t := range tables {
		at, status := columnIn(&t, DependencyID), columnIn(&t, Status)
		for i := len(t.Rows) - 1; i >= 0; i-- {
			line := t.Rows[i]
			row, ok := rows[idIn(line, at)]
			columns := changed[row.idOrNone()]
			switch {
			case !ok || len(columns) == 0:
			case status < 0 && !row.Active() && slices.Contains(columns, Status):
				s.doc.Delete(line.Line, 1)
			default:
				s.updateLine(&t, line, row, columns)
			}
		}
	}
	s.divide()
}

// idOrNone is the row's id, "" for the zero Row.
func (w Row) idOrNone() string {
	if w.r == nil {
		return ""
	}
	return w.ID()
}

func (s *Summary) updateLine(t *document.Table, line document.Row, row Row, columns []Column) {
	for k, h := range t.Header {
		shown := shows(h)
		if k >= len(line.Cells) || !slices.ContainsFunc(shown, func(c Column) bool { return slices.Contains(columns, c) }) {
			continue
		}
		if text := listedText(h, row); !abbreviates(line.Cells[k], text) {
			s.doc.SetCell(line.Line, k, text)
		}
	}
}

// abbreviates reports whether a cell says in short what a value is: "UP" for
// UPSTREAM, "N/A" for NOT_APPLICABLE.
func abbreviates(cell, value string) bool {
	cell, value = strings.ToUpper(strings.Trim(cell, "*` ")), strings.ToUpper(value)
	if cell == "N/A" {
		return value == notApplicable
	}
	return cell == value || len(cell) >= 2 && strings.HasPrefix(value, cell) && !strings.Contains(value, " ")
}

// shows are the columns of the register of which a column of a list tells.
func shows(header string) []Column {
	if c := columnOf(header); c < numColumns {
		return []Column{c}
	}
	name := strings.ToUpper(header)
	switch {
	case strings.HasPrefix(name, "TARGET"):
		return []Column{TargetDeliverableID, TargetRefID, TargetName, TargetPackageID, TargetLocation}
	case strings.HasPrefix(name, "STATEMENT"):
		return []Column{Statement}
	}
	return nil
}

// listedText is what a list shows of a row in a column, "" for a column that shows
// something else.
func listedText(header string, row Row) string {
	columns := shows(header)
	if len(columns) > 1 {
		return target(header, row)
	}
	if len(columns) == 0 {
		return ""
	}
	text := strings.Join(strings.Fields(row.Value(columns[0])), " ")
	if c := columns[0]; c == Statement || c == Notes {
		if letters := []rune(text); len(letters) > maxListedText {
			text = strings.TrimSpace(string(letters[:maxListedText])) + "…"
		}
	}
	return text
}

// target names a row's target: by id, by name, or by both, as the header wants it.
func target(header string, row Row) string {
	id := ""
	for _, c := range []Column{TargetDeliverableID, TargetRefID, TargetPackageID} {
		if id = strings.TrimSpace(row.Value(c)); id != "" {
			break
		}
	}
	name := strings.Join(strings.Fields(row.Value(TargetName)), " ")
	if name == "" {
		name = strings.TrimSpace(row.Value(TargetLocation))
	}
	both := strings.EqualFold(header, "Target") || strings.Contains(strings.ToUpper(header), "NAME")
	switch {
	case id == "" || both && strings.HasPrefix(name, id):
		return name
	case name == "" || !both:
		return id
	}
	return id + ": " + name
}

// addListed adds the ACTIVE rows that no list has yet to the list in which they
// belong: of those with rows like it the longest. A section without lists gets
// none; one without a list for such rows gets one at its end.
func (s *Summary) addListed(r *Register) {
	lists := s.listings()
	if len(lists) == 0 {
		return
	}
	listed := map[string]bool{}
	measures := make([]measure, len(lists))
	for i, t := range lists {
		measures[i] = s.listMeasure(&t, r)
		at := columnIn(&t, DependencyID)
		for _, row := range t.Rows {
			listed[idIn(row, at)] = true
		}
	}
	added := make([][]string, len(lists))
	var anchors, executions []string
	for i := range r.rows {
		row := r.Row(i)
		if id := row.ID(); id == "" || listed[id] || !row.Active() {
			continue
		}
		best := -1
		for k := range lists {
			if measures[k].counts(row) && (best < 0 || len(lists[k].Rows) > len(lists[best].Rows)) {
				best = k
			}
		}
		switch {
		case best >= 0:
			added[best] = append(added[best], listLine(lists[best].Header, row))
		case row.Value(Class) == classAnchor:
			anchors = append(anchors, listLine(anchorListing, row))
		default:
			executions = append(executions, listLine(executionListing, row))
		}
	}
	s.addList("### ANCHOR Rows", anchorListing, anchors)
	s.addList("### EXECUTION Rows", executionListing, executions)
	for k := len(lists) - 1; k >= 0; k-- {
		s.doc.Insert(lists[k].Line+2+len(lists[k].Rows), added[k]...)
	}
	s.divide()
}

func listLine(header []string, row Row) string {
	cells := make([]string, len(header))
	for k, h := range header {
		cells[k] = listedText(h, row)
	}
	return document.TableRow(cells...)
}

// addList adds a list to the end of the register's section, before the blank lines
// and the rule there.
func (s *Summary) addList(title string, header, lines []string) {
	if len(lines) == 0 {
		return
	}
	p, _ := s.part(sectionRegister)
	at := p.end
	for at > p.first+1 && strings.Trim(s.doc.Line(at-1), "- \t") == "" {
		at--
	}
	s.doc.Insert(at, append([]string{"", title, "", document.TableRow(header...), rule(header)}, lines...)...)
	s.divide()
}

// listMeasure is which rows a list is for: what its heading says, or else what all
// of its rows have in common.
func (s *Summary) listMeasure(t *document.Table, r *Register) (m measure) {
	for i := t.Line - 1; i >= 0; i-- {
		if text := strings.TrimSpace(s.doc.Line(i)); strings.HasPrefix(text, "#") {
			heading, _, _ := strings.Cut(strings.TrimLeft(text, "# "), "(")
			if said, ok := measureOf(heading, numColumns); ok && said[Class] != "" {
				said[Status] = ""
				return said
			}
			break
		}
	}
	ids := map[string]bool{}
	at := columnIn(t, DependencyID)
	for _, row := range t.Rows {
		ids[idIn(row, at)] = true
	}
	for i := range r.rows {
		row := r.Row(i)
		switch class := row.Value(Class); {
		case !ids[row.ID()]:
		case m[Class] == "":
			m[Class] = class
		case m[Class] != class:
			return measure{}
		}
	}
	return m
}
