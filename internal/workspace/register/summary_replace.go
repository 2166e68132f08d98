package register

import (
	"cmp"
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
// tables that list rows, and those of the Lifecycle Summary that count them. What the
// tables say of rows and the register does not comes after them, as a list. A section
// that is missing is added at the end. One whose heading says that it is about some rows
// only stays, and so does everything else. Today is the day for a summary that names
// none.
func (s *Summary) Replace(r *Register, today string) {
	day := cmp.Or(s.day(), today)
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
			s.compose(p, &f, s.remarks(p, r))
		}
	}
}

// compose writes a section whole: what belay owns, and around it what else it had. Text
// under no heading of its own stays so: the headings of the tables come after it, or its
// numbers would be read as numbers of their rows. Remarks are lines that come after the tables.
func (s *Summary) compose(p part, f *figures, remarks []string) {
	intro, rest := s.others(p)
	lines, tables := append([]string{}, f.labels...), f.tables()
	if p.name == sectionLifecycle {
		lines, tables = append([]string{""}, f.lifecycle...), nil
	}
	if len(intro) > 0 {
		lines = append(append(lines, ""), intro...)
	}
	own, rest := addRemarks(rest, remarks)
	lines = append(append(lines, tables...), own...)
	if len(rest) > 0 && rest[0] != "" {
		lines = append(lines, "")
	}
	lines = append(lines, rest...)
	if p.end < s.doc.Len() && lines[len(lines)-1] != "" {
		lines = append(lines, "")
	}
	s.doc.Delete(p.first+1, p.end-p.first-1)
	s.doc.Insert(p.first+1, lines...)
	s.divide()
}

// others are the lines of a section that belay does not own: those before its first
// heading, and the rest.
func (s *Summary) others(p part) (intro, rest []string) {
	drop := s.owned(p)
	headed := false
	for i := p.first + 1; i < p.end; i++ {
		line := s.doc.Line(i)
		blank := strings.TrimSpace(line) == ""
		headed = headed || strings.HasPrefix(line, "#") && !s.doc.Inert(i) && !drop[i-p.first]
		switch {
		case drop[i-p.first]:
		case headed && !(blank && drop[i-1-p.first]):
			rest = append(rest, line)
		case !headed && !(blank && (len(intro) == 0 || drop[i-1-p.first] && intro[len(intro)-1] == "")):
			intro = append(intro, line)
		}
	}
	end := len(intro)
	for end > 0 && strings.Trim(intro[end-1], "- \t") == "" {
		end--
	}
	return intro[:end], append(slices.Clone(intro[end:]), rest...)
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

// owned marks the lines of a section, from its heading on, that belay owns, in whatever
// form, and the headings under which nothing else stands.
func (s *Summary) owned(p part) []bool {
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
	return drop
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
		if !strings.HasPrefix(s.doc.Line(i), "###") || s.doc.Inert(i) {
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
