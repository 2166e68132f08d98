package document

import (
	"slices"
	"strings"
)

// Heading is a Markdown heading outside code blocks.
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
		if h, ok := heading(d.lines[i].Text); ok && !d.Fenced(i) {
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

// Fenced reports whether line i is in a fenced code block, fences included.
func (d *Document) Fenced(i int) bool {
	if d.fenced == nil {
		d.markFences()
	}
	return d.fenced[i]
}

func (d *Document) markFences() {
	d.fenced = make([]bool, len(d.lines))
	open := ""
	for i, l := range d.lines {
		open, d.fenced[i] = fenced(open, l.Text)
	}
}

// fenced takes the fence that is open before a line, "" for none, and returns the
// one that is open after it, and whether the line is in a code block.
func fenced(open, line string) (after string, inside bool) {
	text := strings.TrimLeft(line, " ")
	mark := fence(text)
	switch {
	case open == "" && mark != "" && len(line)-len(text) <= 3:
		return mark, true
	case open == "":
		return "", false
	case strings.HasPrefix(mark, open) && strings.Trim(text, mark[:1]+" \t") == "":
		return "", true
	}
	return open, true
}

// fence is the run of three or more backticks or tildes that text begins with.
func fence(text string) string {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return ""
	}
	for _, c := range []string{"`", "~"} {
		run := text[:len(text)-len(strings.TrimLeft(text, c))]
		if len(run) >= 3 && (c == "~" || !strings.Contains(text[len(run):], "`")) {
			return run
		}
	}
	return ""
}
