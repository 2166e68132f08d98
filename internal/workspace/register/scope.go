package register

import (
	"cmp"
	"strings"
	"unicode"
)

// scoping are the columns by whose words a heading says which rows the numbers
// below it count.
var scoping = []Column{Status, Class, Direction, AnchorType}

// scope is what numbers count from a line on.
type scope struct {
	from int
	measure
}

// scopes are what numbers count besides what their labels say, in the order of the
// lines: "### Closure (EXECUTION only)" holds for what is below it. A label in
// bold that ends in a colon is a heading, too.
type scopes []scope

// at is what a number in a line counts.
func (all scopes) at(line int) (m measure) {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].from < line {
			return all[i].measure
		}
	}
	return m
}

func (s *Summary) scopes(p part) (all scopes) {
	var levels [7]measure // by the level of the heading
	levels[0] = scopeOf(p.heading)
	for l := range levels {
		levels[l] = levels[0]
	}
	all = scopes{{p.first, levels[0]}}
	for i := p.first; i < p.end; i++ {
		line := strings.TrimSpace(s.doc.Line(i))
		if line == "" || line[0] != '#' && line[0] != '*' || s.doc.Inert(i) {
			continue
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		switch {
		case level > 2 && level < len(levels):
			above := levels[level-1]
			said := scopeOf(strings.TrimLeft(line, "#"))
			said.fill(above)
			for l := level; l < len(levels); l++ {
				levels[l] = said
			}
			all = append(all, scope{i, said})
		case isLead(line):
			said := scopeOf(line)
			said.fill(levels[len(levels)-1])
			all = append(all, scope{i, said})
		}
	}
	return all
}

// isLead reports whether a line is a label in bold for what follows it.
func isLead(line string) bool {
	return strings.HasPrefix(line, "**") && (strings.HasSuffix(line, ":**") || strings.HasSuffix(line, "**:"))
}

// scopeOf is which rows a heading is about. One that names several words of a column
// says nothing of it, and neither does the name of a column, such as AnchorType.
func scopeOf(heading string) (m measure) {
	var several [numColumns]bool // it has several words of the column
	for w := range strings.FieldsFuncSeq(strings.ToUpper(heading), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if s, also := synonyms[w]; also {
			w = s
		}
		for _, c := range scoping {
			place := enumerations[c].place(w)
			if place == 0 {
				continue
			}
			several[c] = several[c] || m[c] > 0 && m[c] != place
			m[c] = place
		}
	}
	for c := range several {
		if several[c] {
			m[c] = 0
		}
	}
	return m
}

// fill adds what another measure says of columns of which m says nothing.
func (m *measure) fill(o measure) {
	for c, w := range o {
		m[c] = cmp.Or(m[c], w)
	}
}
