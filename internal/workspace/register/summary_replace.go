package register

import (
	"slices"
	"strings"

	"belay/internal/workspace/document"
)

// Agrees reports whether what the summary says of the register is true: its numbers,
// the rows that it lists, and that both sections are there and filled.
func (s *Summary) Agrees(r *Register) bool {
	for _, name := range []string{sectionRegister, sectionLifecycle} {
		p, ok := s.part(name)
		if !ok {
			return false
		}
		if _, empty := s.only(p, notExtracted); empty {
			return false
		}
	}
	return len(s.checkCounts("", r)) == 0 && len(s.checkListed("", r)) == 0
}

// Replace writes what belay owns, whatever is there: the six labelled lines, the
// tables that list rows, and those of the Lifecycle Summary that count them. A
// section that is missing is added at the end. One whose heading says that it is about
// some rows only stays, and so does everything else. Today is the
// day for a summary that names none.
func (s *Summary) Replace(r *Register, today string) {
	day := s.day()
	if day == "" {
		day = today
	}
	f := r.figures(day)
	for _, name := range []string{sectionRegister, sectionLifecycle} {
		p, ok := s.part(name)
		if !ok {
			s.addSection(name)
			p, _ = s.part(name)
		}
		if p.isScoped() {
			continue
		}
		at, foreign := s.ours(p, r)
		if foreign == "" {
			s.write(at, f)
		} else {
			s.writeAnew(ownLines{part: p, none: s.clear(p)}, f)
		}
	}
}

// writeAnew writes a section that was cleared. Text that is in it under no heading
// of its own stays so: the headings of the tables come after it, or its numbers would
// be read as numbers of their rows.
func (s *Summary) writeAnew(at ownLines, f figures) {
	p, _ := s.part(at.part.name)
	end := at.none + 1
	for end < p.end && (!strings.HasPrefix(s.doc.Line(end), "#") || s.doc.Fenced(end)) {
		end++
	}
	for end > at.none+1 && strings.Trim(s.doc.Line(end-1), "- \t") == "" {
		end--
	}
	if end == at.none+1 || p.name != sectionRegister {
		s.write(at, f)
		return
	}
	tables := f.tables()
	if end < s.doc.Len() && strings.TrimSpace(s.doc.Line(end)) != "" {
		tables = append(tables, "")
	}
	s.doc.Insert(end, tables...)
	s.put(at.none, 1, f.labels)
	s.divide()
}

// addSection adds a section at the end.
func (s *Summary) addSection(name string) {
	lines := []string{"", "## " + name, notExtracted}
	if n := s.doc.Len(); n == 0 || strings.TrimSpace(s.doc.Line(n-1)) == "" {
		lines = lines[1:]
	}
	s.doc.Insert(s.doc.Len(), lines...)
	s.divide()
}

// clear takes out of a section what belay owns and did not write in its own form, and
// the headings under which nothing stands then. It returns the line, an empty one,
// from which on the section is written.
func (s *Summary) clear(p part) int {
	drop := make([]bool, p.end-p.first)
	gone := func(first, n int) {
		for i := range n {
			drop[first-p.first+i] = true
		}
	}
	for _, t := range s.doc.Tables(p.first, p.end) {
		if s.isOwned(p, &t) {
			gone(t.Line, 2+len(t.Rows))
		}
	}
	for _, f := range s.doc.Fields(p.first, p.end) {
		label := func(l string) bool { return strings.EqualFold(l, f.Label) }
		if p.name == sectionRegister && slices.ContainsFunc(figureLabels, label) || f.Value == notExtracted {
			gone(f.Line, 1)
		}
	}
	for i := p.first + 1; i < p.end; i++ {
		if strings.TrimSpace(s.doc.Line(i)) == notExtracted {
			gone(i, 1)
		}
	}
	s.dropHeadings(p, drop)
	for i := p.end - 1; i > p.first; i-- {
		if !drop[i-p.first] {
			continue
		}
		s.doc.Delete(i, 1)
		if i < s.doc.Len() && strings.TrimSpace(s.doc.Line(i)) == "" && strings.TrimSpace(s.doc.Line(i-1)) == "" {
			s.doc.Delete(i, 1) // one blank line was for what is gone
		}
	}
	lines := []string{""}
	if next := p.first + 1; next < s.doc.Len() && strings.TrimSpace(s.doc.Line(next)) != "" {
		lines = append(lines, "")
	}
	s.doc.Insert(p.first+1, lines...)
	s.divide()
	return p.first + 1
}

// isOwned reports whether a table is one of those that belay writes in a section.
func (s *Summary) isOwned(p part, t *document.Table) bool {
	if p.name == sectionRegister {
		return columnIn(t, DependencyID) >= 0
	}
	return len(t.Header) == 2 && len(s.tableSlots(t)) > 0
}

// dropHeadings drops the headings below which nothing is left that was something.
func (s *Summary) dropHeadings(p part, drop []bool) {
	for i := p.end - 1; i > p.first; i-- {
		if !strings.HasPrefix(s.doc.Line(i), "###") || s.doc.Fenced(i) {
			continue
		}
		lost := false
		for k := i + 1; k < p.end; k++ {
			line := strings.TrimSpace(s.doc.Line(k))
			if drop[k-p.first] {
				lost = true
			} else if strings.HasPrefix(line, "#") || strings.Trim(line, "-") != "" {
				lost = lost && strings.HasPrefix(line, "#") && level(line) <= level(s.doc.Line(i))
				break
			}
		}
		drop[i-p.first] = drop[i-p.first] || lost
	}
}

func level(heading string) int { return len(heading) - len(strings.TrimLeft(heading, "#")) }
