package register

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// measure is which rows a number in a summary counts: those whose columns have
// these words. A word is its place in the column's enumeration, 0 for any: measures
// are copied and compared for every number of every summary.
type measure [numColumns]uint8

// said are the columns of which it says anything.
func (m *measure) said() (all []Column) {
	for c, w := range m {
		if w > 0 {
			all = append(all, Column(c))
		}
	}
	return all
}

// with adds what another measure says, and reports whether the two agree.
func (m *measure) with(o measure) bool {
	for c, w := range o {
		if w == 0 {
			continue
		}
		if m[c] > 0 && m[c] != w {
			return false
		}
		m[c] = w
	}
	return true
}

// counter counts the rows of a register, each way of counting once.
type counter struct {
	r    *Register
	memo map[measure]counted
}

// counted is how many rows there are, and how many of them are ACTIVE.
type counted struct{ all, active int }

func newCounter(r *Register) *counter { return &counter{r: r, memo: map[measure]counted{}} }

// of returns how many rows are counted, and how many of them are ACTIVE: a measure
// that does not say which of the two it means may mean either.
func (k *counter) of(m measure) (all, active int) {
	if n, known := k.memo[m]; known {
		return n.all, n.active
	}
	var n counted
	said := m.said()
	for i := range k.r.rows {
		row := k.r.Row(i)
		if slices.ContainsFunc(said, func(c Column) bool { return row.Value(c) != enumerations[c].words[m[c]-1] }) {
			continue
		}
		n.all++
		if row.Active() {
			n.active++
		}
	}
	k.memo[m] = n
	return n.all, n.active
}

// check reports whether a number is true, and what it should be.
func (k *counter) check(s slot) (right bool, is int) {
	all, active := k.of(s.measure)
	switch {
	case s.value == all:
		return true, all
	case s.measure[Status] > 0:
		return false, all
	}
	return s.value == active, active
}

// measured are the columns by whose words rows are counted. Where a word belongs
// to several, the first is meant.
var measured = []Column{Status, Class, Satisfaction, Direction, AnchorType, Type, TargetType, Confidence, Explicitness, Origin}

// fillers are words of a label that count nothing.
var fillers = map[string]bool{
	"ROW": true, "ROWS": true, "EDGE": true, "EDGES": true, "COUNT": true, "COUNTS": true, "TOTAL": true, "ALL": true, "CLASSES": true,
	"DEPENDENCY": true, "DEPENDENCIES": true, "SATISFACTIONSTATUS": true, "SATISFACTION": true, "ONLY": true, "SUMMARY": true,
}

// synonyms are words for one that the specification has.
var synonyms = map[string]string{
	"ANCHORS": classAnchor, "EXECUTIONS": classExecution, "PARENT": implementsNode, "TRACE": tracesToRequirement, "TRACES": tracesToRequirement,
}

// measureOf reads a label such as "ANCHOR rows (ACTIVE)". Column is the one that
// its words are from, numColumns where that is not said. It is false for a label
// that says anything else.
func measureOf(label string, column Column) (m measure, ok bool) {
	words := labelWords(label)
	for _, w := range words {
		c, place := columnOfWord(w, column)
		switch {
		case c < numColumns && m[c] == 0:
			m[c] = place
		case c < numColumns && m[c] != place, c == numColumns && !fillers[w]:
			return m, false
		}
	}
	return m, len(words) > 0
}

// wordIn is a word of a column's enumeration, by its place there.
type wordIn struct {
	column Column
	place  uint8
}

// measuring are the words by which rows are counted, and the synonyms of them.
var measuring = func() map[string]wordIn {
	all := map[string]wordIn{}
	for _, c := range measured {
		for i, w := range enumerations[c].words {
			if _, known := all[w]; !known {
				all[w] = wordIn{c, uint8(i + 1)}
			}
		}
	}
	for other, w := range synonyms {
		all[other] = all[w]
	}
	return all
}()

// columnOfWord is the column that a word counts by, numColumns for none, and the place
// of the word there. Column is the one that has the word rather than others.
func columnOfWord(w string, column Column) (Column, uint8) {
	if column < numColumns {
		if place := enumerations[column].place(cmp.Or(synonyms[w], w)); place > 0 {
			return column, place
		}
	}
	if in, known := measuring[w]; known {
		return in.column, in.place
	}
	return numColumns, 0
}

// labelWords are the words of a label in capitals. Words that are written as one
// are taken apart: "ActiveAnchors", "ACTIVE_ANCHOR".
func labelWords(label string) []string {
	var words []string
	for _, w := range strings.FieldsFunc(label, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if upper := strings.ToUpper(w); isWord(upper) {
			words = append(words, upper)
			continue
		}
		for _, part := range strings.FieldsFunc(camel(w), func(r rune) bool { return r == '_' || r == ' ' }) {
			words = append(words, strings.ToUpper(part))
		}
	}
	return words
}

func isWord(w string) bool {
	_, measures := measuring[w]
	return measures || fillers[w]
}

// camel puts a blank before each capital that follows a small letter.
func camel(w string) string {
	var b strings.Builder
	small := false
	for _, r := range w {
		if small && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}
