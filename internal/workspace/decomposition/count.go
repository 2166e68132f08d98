package decomposition

import (
	"strconv"
	"strings"

	"belay/internal/lazyregexp"
)

// statement is a count that the document states of itself.
type statement struct {
	label string
	count int
	line  int // from 1
}

var leadingNumber = lazyregexp.New(`^[0-9]{1,6}\b`)

// counted are the labels of a document's own telemetry, folded.
var counted = map[string]bool{"packagecount": true, "deliverablecount": true}

// counts are the counts of packages and deliverables that the document states, the
// first of each: later ones are about an amendment.
func (p *parser) counts() []statement {
	var all []statement
	seen := map[string]bool{}
	note := func(label, value string, line int) {
		label = fold(label)
		digits := leadingNumber.FindString(plain(value))
		if !counted[label] || seen[label] || digits == "" {
			return
		}
		n, _ := strconv.Atoi(digits) // six digits at most
		seen[label] = true
		all = append(all, statement{label, n, line + 1})
	}
	for _, f := range p.text.Fields(0, p.text.Len()) {
		note(f.Label, f.Value, f.Line)
	}
	for _, t := range p.text.Tables(0, p.text.Len()) {
		for _, row := range t.Rows {
			if len(row.Cells) == 2 {
				note(row.Cells[0], row.Cells[1], row.Line)
			}
		}
	}
	return all
}

// checkCounts compares what the document states with what it defines.
func (p *parser) checkCounts() {
	for _, s := range p.counts() {
		what, n := "packages", len(p.out.Packages)
		if strings.HasPrefix(s.label, "deliverable") {
			what, n = "deliverables", len(p.out.Deliverables)
		}
		if n != s.count {
			p.find(&ruleCount, s.line, "the document counts %d %s and defines %d", s.count, what, n)
		}
	}
}
