package register

import (
	"strconv"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/document"
)

// slot is a number in a summary that counts rows.
type slot struct {
	line    int // from 0
	value   int
	measure measure
	label   string
}

// maxSlots bounds the numbers that are looked at.
const maxSlots = 2000

// The places of numbers outside of tables, beside the labels in bold: what stands
// after the register's name, and the end of a heading.
var (
	// "**Rows:** 12": a number goes on with a point, a comma, a slash or a dash, and is
	// none of rows then.
	boldNumber       = lazyregexp.New(`\*\*([^*]{1,80}?):?\*\*:?[ \t]*(\d{1,9})(?:[^\d.,/-]|$)`)
	fileNumber       = lazyregexp.New("Dependencies\\.csv`?[ \t]*\\((\\d{1,9}) rows\\b")
	headingNumber    = lazyregexp.New(`^#{3,6}[ \t]+([^(]{1,120}?)[ \t]*\((\d{1,9})((?: ACTIVE)?(?: rows)?)\)[ \t]*$`)
	anchorNumbers    = lazyregexp.New(`\((\d{1,9}) parent \+ (\d{1,9}) trace\)`)
	wordsAfter       = lazyregexp.New(`^[ \t]*[A-Za-z_][A-Za-z_ \t]*`)
	headingContinued = lazyregexp.New(`^#{3,6}[ \t]+([^(]{1,120}?)[ \t]*\(continued\b`)
)

// eachSlot sees the numbers in the sections on the register and its lifecycle one by
// one, at most maxSlots.
func (s *Summary) eachSlot(see func(slot)) {
	count := 0
	add := func(n slot) {
		if count++; count <= maxSlots {
			see(n)
		}
	}
	for _, name := range []string{sectionRegister, sectionLifecycle} {
		p, ok := s.part(name)
		if !ok {
			continue
		}
		under := s.scopes(p)
		for _, t := range s.doc.Tables(p.first, p.end) {
			for _, n := range s.tableSlots(&t) {
				n.measure.fill(under.at(t.Line))
				add(n)
			}
		}
		continued := map[string]bool{} // what goes on under another heading is counted under neither
		for i := p.first; i < p.end; i++ {
			line := s.doc.Line(i)
			if !strings.HasPrefix(line, "###") || !strings.Contains(line, "(continued") {
				continue
			}
			if m := headingContinued.FindStringSubmatch(line); m != nil {
				continued[m[1]] = true
			}
		}
		for i := p.first; i < p.end && count < maxSlots; i++ {
			line := s.doc.Line(i)
			if s.doc.Inert(i) {
				continue
			}
			if len(continued) > 0 {
				if m := numberedHeading(line); m != nil && continued[line[m[2]:m[3]]] {
					continue
				}
			}
			lineSlots(i, line, func(n slot) {
				n.measure.fill(under.at(i))
				add(n)
			})
		}
	}
}

// lineSlots sees the numbers of one line that is no table's.
func lineSlots(i int, line string, see func(slot)) {
	add := func(label string, at, end int) {
		m, ok := measureOf(label, numColumns)
		n, err := strconv.Atoi(line[at:end])
		if ok && err == nil {
			see(slot{line: i, value: n, measure: m, label: strings.TrimSpace(label)})
		}
	}
	switch text := strings.TrimSpace(line); {
	case strings.HasPrefix(text, "|"):
	case strings.HasPrefix(text, "#"):
		if m := numberedHeading(line); m != nil {
			add(line[m[2]:m[3]]+line[m[6]:m[7]], m[4], m[5])
		}
	default:
		if !strings.ContainsAny(line, "*(") {
			return // as most lines
		}
		// The fixed parts are looked for first: most lines have none.
		if strings.Contains(line, "**") && strings.ContainsAny(line, "0123456789") {
			for _, m := range boldNumber.FindAllStringSubmatchIndex(line, -1) {
				// "Summary: 4 ANCHOR rows + 5 EXECUTION rows" counts what stands after it.
				add(line[m[2]:m[3]]+" "+wordsAfter.FindString(line[m[5]:]), m[4], m[5])
			}
		}
		if m := fileNumber.FindStringSubmatchIndex(line); m != nil {
			add("total rows", m[2], m[3])
		}
		if !strings.Contains(line, " parent + ") {
			return
		}
		if m := anchorNumbers.FindStringSubmatchIndex(line); m != nil {
			add("ACTIVE parent", m[2], m[3])
			add("ACTIVE trace", m[4], m[5])
		}
	}
}

// numberedHeading is the match of headingNumber in a line, nil for none.
func numberedHeading(line string) []int {
	if !strings.HasPrefix(line, "###") || !strings.Contains(line, "(") {
		return nil
	}
	return headingNumber.FindStringSubmatchIndex(line)
}

// tableSlots are the numbers of a table: labels in its first columns, and after
// them columns of numbers.
func (s *Summary) tableSlots(t *document.Table) []slot {
	if columnIn(t, DependencyID) >= 0 {
		return nil // it lists rows and does not count them
	}
	labels, columns := countColumns(t)
	if labels == 0 || len(columns) == 0 {
		return nil
	}
	var under measure
	for _, h := range t.Header[:labels] {
		under.fill(scopeOf(h))
	}
	var all []slot
	for _, row := range t.Rows {
		base, ok := labelMeasure(t, row, labels)
		for i := 0; ok && i < len(columns) && labels+i < len(row.Cells) && len(all) < maxSlots; i++ {
			k, m := labels+i, base
			n, err := strconv.Atoi(strings.Trim(row.Cells[k], "* "))
			if err != nil || n < 0 || !m.with(columns[i]) {
				continue
			}
			m.fill(under)
			label := strings.Join(row.Cells[:labels], " ") + " " + t.Header[k]
			all = append(all, slot{line: row.Line, value: n, measure: m, label: label})
		}
	}
	return all
}

// countColumns are the columns of numbers after a table's labels, each with what
// it counts.
func countColumns(t *document.Table) (labels int, columns []measure) {
	for labels < len(t.Header) && !isCount(t.Header[labels]) {
		labels++
	}
	for _, h := range t.Header[labels:] {
		m, known := measureOf(h, numColumns)
		if !known || !isCount(h) {
			break
		}
		columns = append(columns, m)
	}
	return labels, columns
}

// isCount reports whether a column of a table holds numbers of rows.
func isCount(header string) bool {
	m, ok := measureOf(header, numColumns)
	m[Status] = 0
	return ok && m == measure{} && columnOf(header) == numColumns
}

// labelMeasure reads the labels of a row of numbers.
func labelMeasure(t *document.Table, row document.Row, labels int) (m measure, ok bool) {
	for k := range labels {
		if k >= len(row.Cells) {
			return m, false
		}
		text := strings.Trim(row.Cells[k], "* ")
		if text == "" && k > 0 {
			continue
		}
		one, known := measureOf(text, columnOf(t.Header[k]))
		if !known || !m.with(one) {
			return m, false
		}
	}
	return m, true
}

// columnOf is the column that a table's header names, numColumns for none. Tables
// shorten some names.
func columnOf(header string) Column {
	if c, ok := headersOf[strings.ToLower(strings.Trim(header, "*` "))]; ok {
		return c
	}
	return numColumns
}

// headersOf are the names of columns in tables, in small letters.
var headersOf = func() map[string]Column {
	all := map[string]Column{"class": Class, "dir": Direction, "type": Type, "satisfaction": Satisfaction, "closure": Satisfaction}
	for c := range numColumns {
		all[strings.ToLower(c.String())] = c
	}
	return all
}()

// columnIn is where a table has a column of the register, -1 for nowhere.
func columnIn(t *document.Table, c Column) int {
	for i, h := range t.Header {
		if columnOf(h) == c {
			return i
		}
	}
	return -1
}
