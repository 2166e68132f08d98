package register

import (
	"slices"
	"strings"
)

// The texts that stand where nothing has been written yet.
const (
	notExtracted = "Not extracted yet."
	noneYet      = "None yet."
)

// Follow brings the summary in line with a register that was changed. It writes
// the lines and tables that belay owns, and only where their section says "Not
// extracted yet.", or where they are byte for byte those of the register before: the
// rest of the file is of people and of agents. A run gives the day, and adds a line
// to the history; today is the day for a section that has none yet.
//
// It returns why it left the file alone, "" where it is in line.
func (s *Summary) Follow(before, after *Register, today string, run *Run) (problem string) {
	register, ok := s.part(sectionRegister)
	if !ok {
		return "it has no section " + sectionRegister
	}
	at, problem := s.ours(register, before)
	if problem != "" {
		return problem
	}
	lifecycle, has := s.part(sectionLifecycle)
	var rest ownLines
	if has {
		if rest, problem = s.ours(lifecycle, before); problem != "" {
			return problem
		}
	}
	switch {
	case run != nil:
		at.day = run.Date
	case at.day == "":
		at.day = today
	}
	f := after.figures(at.day)
	if has && lifecycle.first > register.first {
		s.write(rest, f)
		s.write(at, f)
	} else {
		s.write(at, f)
		if has {
			s.write(rest, f)
		}
	}
	if run != nil {
		s.addToHistory(after, *run)
	}
	return ""
}

// ownLines are where a section has what belay owns.
type ownLines struct {
	part part
	// day is that of the run, "" for a section that says that there was none.
	day string
	// none is the line that says so, if day is "".
	none int
	// spans are the lines of each piece.
	spans []span
}

// span is lines that belay wrote; of reports which those of a register are now.
type span struct {
	first, n int
	of       func(*figures) []string
}

// ours finds what belay owns in a section, as it is for a register. It returns why
// not, "" where it is found.
func (s *Summary) ours(p part, r *Register) (all ownLines, problem string) {
	all.part = p
	if p.isScoped() {
		return all, "the section " + p.name + " is about some rows only, as its heading says"
	}
	if line, ok := s.only(p, notExtracted); ok {
		all.none = line
		return all, ""
	}
	all.day = s.day()
	f := r.figures(all.day)
	for _, of := range owned(p) {
		lines := of(&f)
		first := s.find(p, lines)
		if first < 0 {
			return all, "what stands in the section " + p.name + " is not what belay wrote there; belay deps summary shows what it would be"
		}
		all.spans = append(all.spans, span{first, len(lines), of})
	}
	return all, ""
}

// isScoped reports whether the heading of a section says that it is about some rows
// only, as "Lifecycle Summary (EXECUTION only)" does.
func (p part) isScoped() bool { return scopeOf(p.heading) != measure{} }

// owned are the pieces of a section, in the order in which they are written.
func owned(p part) []func(*figures) []string {
	if p.name == sectionLifecycle {
		return []func(*figures) []string{func(f *figures) []string { return f.lifecycle }}
	}
	return []func(*figures) []string{
		func(f *figures) []string { return f.labels },
		func(f *figures) []string { return f.anchors },
		func(f *figures) []string { return f.executions },
	}
}

// day is that of the last run, as the register's section names it.
func (s *Summary) day() string {
	p, _ := s.part(sectionRegister)
	for _, f := range s.doc.Fields(p.first, p.end) {
		if strings.EqualFold(f.Label, figureLabels[0]) && hasDateShape(f.Value) {
			return f.Value
		}
	}
	return ""
}

// only finds the line of a section that says no more than a text.
func (s *Summary) only(p part, text string) (line int, ok bool) {
	for i := p.first + 1; i < p.end; i++ {
		switch l := strings.TrimSpace(s.doc.Line(i)); {
		case strings.Trim(l, "-") == "":
		case ok || l != text:
			return 0, false
		default:
			line, ok = i, true
		}
	}
	return line, ok
}

// find is the line from which on a section has these lines, as a block of their own,
// -1 for nowhere.
func (s *Summary) find(p part, lines []string) int {
	for i := p.first + 1; i+len(lines) <= p.end; i++ {
		same := func() bool {
			for k, l := range lines {
				if s.doc.Line(i+k) != l {
					return false
				}
			}
			return true
		}
		if same() && !s.doc.Inert(i) && (i+len(lines) == p.end || !strings.HasPrefix(s.doc.Line(i+len(lines)), "|")) {
			return i
		}
	}
	return -1
}

// write puts the figures of a register in their places.
func (s *Summary) write(at ownLines, f figures) {
	if len(at.spans) == 0 {
		lines := f.section()
		if at.part.name == sectionLifecycle {
			lines = append([]string{""}, f.lifecycle...)
		}
		s.put(at.none, 1, lines)
	}
	slices.SortFunc(at.spans, func(a, b span) int { return b.first - a.first })
	for _, sp := range at.spans {
		s.put(sp.first, sp.n, sp.of(&f))
	}
	s.divide()
}

// put replaces lines by others. Those that are the same stay as they are.
func (s *Summary) put(at, n int, lines []string) {
	for n > 0 && len(lines) > 0 && s.doc.Line(at) == lines[0] {
		at, n, lines = at+1, n-1, lines[1:]
	}
	same := min(n, len(lines))
	for i, l := range lines[:same] {
		s.doc.Set(at+i, l)
	}
	if same < n {
		s.doc.Delete(at+same, n-same)
	}
	s.doc.Insert(at+same, lines[same:]...)
}
