package register

import (
	"regexp"
	"strconv"
	"strings"

	"belay/internal/workspace/document"
)

// slot is a number in a summary that counts rows.
type slot struct {
	line int // from 0
	// cell is the column of the table that it is in, -1 for none; else start and end
	// are where its digits stand in the line.
	cell       int
	start, end int
	digits     string
	value      int
	measure    measure
	label      string
}

// maxSlots bounds the numbers that are looked at.
const maxSlots = 2000

// The places of numbers outside of tables: a label in bold, what stands behind the
// register's name, and the end of a heading.
var (
	boldNumber       = regexp.MustCompile("\\*\\*([^*]{1,80}?):?\\*\\*:?[ \t]*(\\d{1,9})(?:[^\\d.,/-]|$)")
	fileNumber       = regexp.MustCompile("Dependencies\\.csv`?[ \t]*\\((\\d{1,9}) rows\\b")
	headingNumber    = regexp.MustCompile(`^#{3,6}[ \t]+([^(]{1,120}?)[ \t]*\((\d{1,9})((?: ACTIVE)?(?: rows)?)\)[ \t]*$`)
	anchorNumbers    = regexp.MustCompile(`\((\d{1,9}) parent \+ (\d{1,9}) trace\)`)
	wordsBehind      = regexp.MustCompile(`^[ \t]*[A-Za-z_][A-Za-z_ \t]*`)
	headingContinued = regexp.MustCompile(`^#{3,6}[ \t]+([^(]{1,120}?)[ \t]*\(continued\b`)
)

// slots are the numbers in the sections on the register and its lifecycle.
func (s *Summary) slots() []slot {
	var all []slot
	for _, name := range []string{sectionRegister, sectionLifecycle} {
		p, ok := s.part(name)
		if !ok {
			continue
		}
		for _, t := range s.doc.Tables(p.first, p.end) {
			all = append(all, s.tableSlots(&t)...)
		}
		continued := map[string]bool{} // what goes on under another heading is counted under neither
		for i := p.first; i < p.end; i++ {
			if m := headingContinued.FindStringSubmatch(s.doc.Line(i)); m != nil {
				continued[m[1]] = true
			}
		}
		for i := p.first; i < p.end && len(all) < maxSlots; i++ {
			line := s.doc.Line(i)
			if m := headingNumber.FindStringSubmatch(line); s.doc.Fenced(i) || m != nil && continued[m[1]] {
				continue
			}
			all = append(all, lineSlots(i, line)...)
		}
	}
	return all[:min(len(all), maxSlots)]
}

// lineSlots are the numbers of one line that is no table's.
func lineSlots(i int, line string) []slot {
	var all []slot
	add := func(label string, at, end int) {
		m, ok := measureOf(label, numColumns)
		n, err := strconv.Atoi(line[at:end])
		if ok && err == nil {
			all = append(all, slot{line: i, cell: -1, start: at, end: end, digits: line[at:end], value: n, measure: m, label: strings.TrimSpace(label)})
		}
	}
	switch text := strings.TrimSpace(line); {
	case strings.HasPrefix(text, "|"):
	case strings.HasPrefix(text, "#"):
		if m := headingNumber.FindStringSubmatchIndex(line); m != nil {
			add(line[m[2]:m[3]]+line[m[6]:m[7]], m[4], m[5])
		}
	default:
		for _, m := range boldNumber.FindAllStringSubmatchIndex(line, -1) {
			// "Summary: 4 ANCHOR rows + 5 EXECUTION rows" counts what stands behind it.
			add(line[m[2]:m[3]]+" "+wordsBehind.FindString(line[m[5]:]), m[4], m[5])
		}
		if m := fileNumber.FindStringSubmatchIndex(line); m != nil {
			add("total rows", m[2], m[3])
		}
		if m := anchorNumbers.FindStringSubmatchIndex(line); m != nil {
			add("ACTIVE parent", m[2], m[3])
			add("ACTIVE trace", m[4], m[5])
		}
	}
	return all
}

// tableSlots are the numbers of a table: labels in its first columns, and behind
// them columns of numbers.
func (s *Summary) tableSlots(t *document.Table) []slot {
	if columnIn(t, DependencyID) >= 0 {
		return nil // it lists rows and does not count them
	}
	labels, columns := countColumns(t)
	if labels == 0 || len(columns) == 0 {
		return nil
	}
	var all []slot
	for _, row := range t.Rows {
		base, ok := labelMeasure(t, row, labels)
		for i := 0; ok && i < len(columns) && labels+i < len(row.Cells) && len(all) < maxSlots; i++ {
			k, m := labels+i, base
			digits := strings.Trim(row.Cells[k], "* ")
			n, err := strconv.Atoi(digits)
			if err != nil || n < 0 || !m.with(columns[i]) {
				continue
			}
			label := strings.Join(row.Cells[:labels], " ") + " " + t.Header[k]
			all = append(all, slot{line: row.Line, cell: k, digits: digits, value: n, measure: m, label: label})
		}
	}
	return all
}

// countColumns are the columns of numbers behind a table's labels, each with what
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
	m[Status] = ""
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
	header = strings.Trim(header, "*` ")
	for _, c := range []Column{Class, Direction, Type, Satisfaction} {
		for _, short := range shortNames[c] {
			if strings.EqualFold(header, short) {
				return c
			}
		}
	}
	for c := range numColumns {
		if strings.EqualFold(header, c.String()) {
			return c
		}
	}
	return numColumns
}

var shortNames = map[Column][]string{Class: {"Class"}, Direction: {"Dir"}, Type: {"Type"}, Satisfaction: {"Satisfaction", "Closure"}}

// columnIn is where a table has a column of the register, -1 for nowhere.
func columnIn(t *document.Table, c Column) int {
	for i, h := range t.Header {
		if columnOf(h) == c {
			return i
		}
	}
	return -1
}
