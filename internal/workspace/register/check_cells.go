package register

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// stricter applies what the original does not check (S35, S36), to a row that is
// new or changes.
func (k *checker) stricter() {
	if id := strings.TrimSpace(k.get(TargetDeliverableID)); id != "" && k.get(TargetType) == targetDeliverable && !layout.IsDeliverableID(id) {
		k.add(fault.InvalidTarget, TargetDeliverableID, "%s is not the id of a deliverable, like DEL-01-02", finding.Shown(id))
	}
	first, last := k.get(FirstSeen), k.get(LastSeen)
	for _, c := range []Column{FirstSeen, LastSeen} {
		if day := k.get(c); hasDateShape(day) && !isDate(day) {
			k.add(fault.InvalidDate, c, "the calendar has no %s", day)
			k.next("correct the day")
		}
	}
	if isDate(first) && isDate(last) && last < first {
		k.add(fault.InvalidDate, LastSeen, "LastSeen %s is before FirstSeen %s", last, first)
		k.next("write a LastSeen that is not before FirstSeen")
	}
	for c := numCore; c < numColumns; c++ {
		if e, word := enumerations[c], k.get(c); word != "" && !e.has(word) {
			k.add(fault.InvalidEnum, c, "%s takes no %s; it is one of %s", c, finding.Shown(word), strings.Join(e.words, ", "))
		}
	}
	k.cells()
}

// cells refuses what a cell may not hold. One that stays as it is may.
func (k *checker) cells() {
	var before []string
	if k.row.from >= 0 {
		before = k.d.before(k.row.from)
	}
	for i, v := range k.row.cells {
		if before != nil && before[i] == v {
			continue
		}
		if why, next := badCell(v); why != "" {
			k.add(fault.InvalidCell, k.d.known[i], "%s %s", finding.Shown(k.d.columns[i]), why)
			k.next("%s", next)
		}
	}
}

// missing is the error for a required cell that is empty.
func missing(c Column) fault.Type {
	switch c {
	case DependencyID, FromPackageID, FromDeliverableID, FromDeliverableName:
		return fault.InvalidIdentity
	case FirstSeen, LastSeen:
		return fault.InvalidDate
	}
	return fault.InvalidEnum
}

// badCell says why a text cannot be a cell, and what to do; "" when it can.
func badCell(v string) (why, next string) {
	switch {
	case !utf8.ValidString(v):
		return "is not UTF-8", "write the cell as UTF-8"
	case strings.ContainsFunc(v, forbidden):
		return "holds a control character", "remove the control character"
	case utf8.RuneCountInString(v) > maxCell:
		return fmt.Sprintf("has more than %d characters", maxCell), "shorten the cell; a closing quote may be missing"
	case isFormula(v):
		return "begins like a formula, which a spreadsheet would run", "begin the cell with a word"
	}
	return "", ""
}

// forbidden reports a character that no cell may have.
func forbidden(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }

// hasDateShape reports whether s looks like YYYY-MM-DD.
func hasDateShape(s string) bool {
	return len(s) == 10 && s[4] == '-' && s[7] == '-' && areDigits(s[:4]) && areDigits(s[5:7]) && areDigits(s[8:])
}
