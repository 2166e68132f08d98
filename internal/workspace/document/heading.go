package document

import (
	"slices"
	"strings"
)

// Heading is a Markdown heading outside code blocks and comments.
type Heading struct {
	// Level is the number of # signs, 1 to 6.
	Level int
	// Text is the heading without the signs and blanks around it.
	Text string
	// Line is its line, from 0.
	Line int
}

// Section is a heading with the lines below it, up to the next heading of its
// level or above.
type Section struct {
	Heading
	// First and End are the lines of its body: First ≤ line < End.
	First, End int
}

// Headings returns every heading in order. The slice is the document's: it is not
// to be changed.
func (d *Document) Headings() []Heading {
	if d.headings == nil {
		d.headings = d.readHeadings()
	}
	return d.headings
}

func (d *Document) readHeadings() []Heading {
	all := make([]Heading, 0, 16)
	for i := range d.lines {
		if h, ok := heading(d.lines[i].Text); ok && !d.Inert(i) {
			h.Line = i
			all = append(all, h)
		}
	}
	return slices.Clip(all)
}

// Sections returns every section in order; a deeper one is inside another.
func (d *Document) Sections() []Section {
	headings := d.Headings()
	all := make([]Section, len(headings))
	for i, h := range headings {
		all[i] = Section{Heading: h, First: h.Line + 1, End: len(d.lines)}
		for _, next := range headings[i+1:] {
			if next.Level <= h.Level {
				all[i].End = next.Line
				break
			}
		}
	}
	return all
}

// Section returns the first section whose heading is one of names, as [Same]
// compares them.
func (d *Document) Section(names ...string) (Section, bool) {
	for _, s := range d.Sections() {
		if slices.ContainsFunc(names, func(n string) bool { return Same(s.Text, n) }) {
			return s, true
		}
	}
	return Section{}, false
}

// Same compares headings as people write them: letter case, blanks, a closing
// colon and what follows in brackets do not count.
func Same(a, b string) bool { return a == b || strings.EqualFold(core(a), core(b)) }

// core is what counts of a heading.
func core(heading string) string {
	if isPlain(heading) {
		return heading
	}
	if i := strings.IndexByte(heading, '('); i > 0 {
		heading = heading[:i]
	}
	heading = strings.Trim(strings.TrimRight(strings.TrimSpace(heading), ": \t"), "*_")
	if strings.Contains(heading, "  ") || strings.Contains(heading, "\t") {
		heading = strings.Join(strings.Fields(heading), " ")
	}
	return heading
}

// isPlain reports whether a heading is words of letters with single blanks between
// them, as most are.
func isPlain(heading string) bool {
	blank := true
	for i := range len(heading) {
		switch c := heading[i] | 0x20; {
		case c >= 'a' && c <= 'z':
			blank = false
		case heading[i] != ' ' || blank:
			return false
		default:
			blank = true
		}
	}
	return !blank
}

// plain is a heading in the form in which equal ones are equal.
func plain(heading string) string { return strings.ToLower(core(heading)) }

// heading reads an ATX heading: up to three blanks, one to six #, a blank or the
// line's end, the text, and # signs that close it.
func heading(line string) (Heading, bool) {
	text := strings.TrimLeft(line, " ")
	if text == "" || text[0] != '#' || len(line)-len(text) > 3 {
		return Heading{}, false
	}
	level := len(text) - len(strings.TrimLeft(text, "#"))
	if level < 1 || level > 6 {
		return Heading{}, false
	}
	rest := text[level:]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return Heading{}, false
	}
	rest = strings.TrimSpace(rest)
	if closed := strings.TrimRight(rest, "#"); closed == "" || strings.HasSuffix(closed, " ") {
		rest = strings.TrimSpace(closed)
	}
	return Heading{Level: level, Text: rest}, true
}
