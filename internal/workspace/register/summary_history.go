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

// addToHistory adds the line of a run, in the form and the order that the history
// has. What the history says already stays.
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
		at, bullet := s.placeInHistory(p)
		line := fmt.Sprintf("%s%s — %s: %s", bullet, run.Date, run.Mode, run.Note)
		if none, ok := s.only(p, noneYet); ok {
			s.doc.Set(none, line)
		} else {
			s.doc.Insert(at, line)
		}
	}
	s.divide()
}

// placeInHistory is the line before which a list gets its next item, after all lines of the last
// one, or before the first where the latest comes first; and what an item begins with there.
func (s *Summary) placeInHistory(p part) (at int, bullet string) {
	bullet = "- "
	var first, last int
	var firstDay, lastDay string
	for i := p.first + 1; i < p.end; i++ {
		line := s.doc.Line(i)
		text := strings.TrimLeft(line, " ")
		if s.doc.Inert(i) || !strings.HasPrefix(text, "- ") && !strings.HasPrefix(text, "* ") {
			continue
		}
		begin := line[:len(line)-len(text)+len("- ")]
		if first == 0 {
			first, bullet = i, begin
		}
		if begin != bullet { // one below an item
			continue
		}
		last = i
		if day := dayIn([]string{text[len("- "):]}); day != "" {
			if lastDay = day; firstDay == "" {
				firstDay = day
			}
		}
	}
	switch {
	case last == 0:
		return p.first + 1, bullet
	case firstDay > lastDay:
		return first, bullet
	}
	for i := last + 1; i < p.end; i++ {
		switch text := strings.TrimSpace(s.doc.Line(i)); {
		case text == "":
			if !s.goesOn(i+1, p.end, bullet) {
				return i, bullet
			}
		case strings.HasPrefix(text, "#"), strings.Trim(text, "-") == "":
			return i, bullet
		}
	}
	return p.end, bullet
}

// goesOn reports whether an item of a list goes on after blank lines: with a line that is further
// in than it.
func (s *Summary) goesOn(i, end int, bullet string) bool {
	for ; i < end; i++ {
		if line := s.doc.Line(i); strings.TrimSpace(line) != "" {
			return strings.HasPrefix(line, strings.Repeat(" ", len(bullet)))
		}
	}
	return false
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
			if m != (measure{}) && m[Status] == 0 {
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
