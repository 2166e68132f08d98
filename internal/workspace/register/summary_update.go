package register

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"belay/internal/workspace/document"
)

// Run is what brought a register to its state, as the history tells it.
type Run struct {
	// Date is the day, YYYY-MM-DD.
	Date string
	// Mode and Note are what was done: a word, and a few more.
	Mode, Note string
}

// Update brings the sections of the agents in line with the register: the lists of
// rows and the numbers. Changed tells of each row, by id, which columns hold
// something else than before. Sections of people are not touched, and neither is
// what agents wrote beside lists and numbers. With a run, its day and a line of the
// history are written, and sections that are missing are added at the end.
func (s *Summary) Update(r *Register, changed map[string][]Column, run *Run) {
	if run != nil {
		s.addSections(*run)
	}
	s.updateListed(r, changed)
	s.addListed(r)
	s.addWords(r)
	s.updateNumbers(r)
	if run != nil {
		s.updateDay(*run)
		s.addToHistory(r, *run)
	}
}

// updateNumbers corrects every number that counts rows.
func (s *Summary) updateNumbers(r *Register) {
	all, rows := s.slots(), newCounter(r)
	slices.Reverse(all) // those behind others in a line first
	for _, n := range all {
		right, is := rows.check(n)
		if right {
			continue
		}
		if n.cell < 0 {
			line := s.doc.Line(n.line)
			s.doc.Set(n.line, line[:n.start]+strconv.Itoa(is)+line[n.end:])
		} else if text, ok := s.doc.Cell(n.line, n.cell); ok {
			s.doc.SetCell(n.line, n.cell, strings.Replace(text, n.digits, strconv.Itoa(is), 1))
		}
	}
}

// updateDay writes the day of the run where the section names the last one.
func (s *Summary) updateDay(run Run) {
	p, ok := s.part(sectionRegister)
	if !ok {
		return
	}
	for _, f := range s.doc.Fields(p.first, p.end) {
		if label := strings.ToLower(f.Label); label == "run date" || label == "last run" {
			s.doc.SetField(f, run.Date)
		}
	}
}

// addWords adds rows to tables that count by the words of a column, for words that
// come up for the first time.
func (s *Summary) addWords(r *Register) {
	for _, name := range []string{sectionRegister, sectionLifecycle} {
		p, ok := s.part(name)
		if !ok {
			continue
		}
		// Lines are added behind those that are still to come.
		for _, t := range slices.Backward(s.doc.Tables(p.first, p.end)) {
			if len(t.Header) == 2 && isCount(t.Header[1]) && len(t.Rows) > 0 {
				s.addWordsTo(&t, r)
			}
		}
	}
	s.divide()
}

func (s *Summary) addWordsTo(t *document.Table, r *Register) {
	c := columnOf(t.Header[0])
	if c >= numColumns || enumerations[c] == nil {
		return
	}
	has := map[string]bool{}
	for _, row := range t.Rows {
		m, ok := labelMeasure(t, row, 1)
		if !ok {
			return // it counts something else, too
		}
		for k := range numColumns {
			if m[k] != "" && k != c {
				return
			}
		}
		has[m[c]] = true
	}
	var lines []string
	rows := newCounter(r)
	for _, word := range enumerations[c].words {
		var m measure
		m[c] = word
		if _, active := rows.of(m); !has[word] && active > 0 {
			lines = append(lines, document.TableRow(word, strconv.Itoa(active)))
		}
	}
	s.doc.Insert(t.Rows[len(t.Rows)-1].Line+1, lines...)
}

// addSections adds those that are missing, as the specification has them.
func (s *Summary) addSections(run Run) {
	for _, name := range agentSections[:4] {
		if _, ok := s.part(name); ok {
			continue
		}
		lines := []string{"", "## " + name}
		switch name {
		case sectionRegister:
			lines = append(lines, registerSection(run)...)
		case sectionLifecycle:
			lines = append(lines, "", "| Status | Count |", "|---|---|", "| ACTIVE | 0 |", "| RETIRED | 0 |",
				"", "| SatisfactionStatus | Count |", "|---|---|", "| TBD | 0 |")
		case sectionNotes:
			lines = append(lines, "", "- "+run.Note)
		}
		if n := s.doc.Len(); n > 0 && strings.TrimSpace(s.doc.Line(n-1)) == "" {
			lines = lines[1:]
		}
		s.doc.Insert(s.doc.Len(), lines...)
		s.divide()
	}
}

func registerSection(run Run) []string {
	return []string{
		"**Run date:** " + run.Date, "**Schema version:** " + Version, "**Total ACTIVE rows:** 0",
		"**ANCHOR rows (ACTIVE):** 0 (0 parent + 0 trace)", "**EXECUTION rows (ACTIVE):** 0", "**RETIRED rows:** 0",
		"", "### ANCHOR Rows", "", document.TableRow(anchorListing...), rule(anchorListing),
		"", "### EXECUTION Rows (summary)", "", document.TableRow(executionListing...), rule(executionListing),
	}
}

func rule(header []string) string { return "|" + strings.Repeat("---|", len(header)) }

// addToHistory writes the line of a run, in the form and the order that the history
// has.
func (s *Summary) addToHistory(r *Register, run Run) {
	p, ok := s.part(sectionHistory)
	if !ok {
		return
	}
	if tables := s.doc.Tables(p.first, p.end); len(tables) > 0 {
		t := tables[0]
		at := t.Line + 2
		if !newestFirst(t.Rows) {
			at += len(t.Rows)
		}
		s.doc.Insert(at, historyRow(&t, r, run))
	} else {
		at := p.first + 1
		for i := at; i < p.end; i++ {
			if strings.HasPrefix(strings.TrimSpace(s.doc.Line(i)), "- ") {
				at = i + 1
			}
		}
		s.doc.Insert(at, fmt.Sprintf("- %s — %s: %s", run.Date, run.Mode, run.Note))
	}
	s.divide()
}

// newestFirst reports whether the first row of a history is later than the last.
func newestFirst(rows []document.Row) bool {
	if len(rows) < 2 {
		return false
	}
	first, last := dayIn(rows[0].Cells), dayIn(rows[len(rows)-1].Cells)
	return first > last
}

// dayIn is the first day that one of the cells begins with.
func dayIn(cells []string) string {
	for _, c := range cells {
		if len(c) >= 10 && hasDateShape(c[:10]) {
			return c[:10]
		}
	}
	return ""
}

// historyRow is the line for a run in a table.
func historyRow(t *document.Table, r *Register, run Run) string {
	cells := make([]string, len(t.Header))
	noted, day := false, -1
	rows := newCounter(r)
	for i, h := range t.Header {
		words := labelWords(h)
		m, counts := measureOf(h, numColumns)
		switch {
		case slices.Contains(words, "NOTES"):
			cells[i], noted = run.Note, true
		case slices.Contains(words, "DATE"), strings.Contains(strings.ToUpper(h), "TIMESTAMP"):
			cells[i], day = run.Date, i
		case strings.EqualFold(h, "Run"):
			cells[i] = strconv.Itoa(len(t.Rows) + 1)
		case strings.EqualFold(h, "Mode"):
			cells[i] = run.Mode
		case strings.EqualFold(h, "Warnings"):
			cells[i] = "None"
		case counts:
			all, active := rows.of(m)
			if m != (measure{}) && m[Status] == "" {
				all = active
			}
			cells[i] = strconv.Itoa(all)
		}
	}
	if !noted && day >= 0 {
		cells[day] += " (" + run.Note + ")"
	}
	return document.TableRow(cells...)
}
