package register

import (
	"strings"
	"time"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// row judges one row, in the original's order of rules.
func (l *linter) row() {
	v := &l.values
	for _, c := range required {
		if v[c] == "" && l.at[c] >= 0 {
			l.cellIs(&ruleRequired, c, "%s is empty", c)
		}
	}
	if v[SchemaVersion] != "" && v[SchemaVersion] != Version {
		l.cellIs(&ruleVersion, SchemaVersion, "the row is of schema %s, not %s", finding.Shown(v[SchemaVersion]), Version)
	}
	l.identity()
	active := strings.EqualFold(v[Status], statusActive)
	l.words()
	l.target()
	l.dates()
	l.class(active)
	l.provenance(active)
	l.beyond(active)
}

func (l *linter) identity() {
	v := &l.values
	if id := v[DependencyID]; id != "" {
		if !isDependencyID(id) {
			l.cellIs(&ruleIDFormat, DependencyID, "%s is not a DependencyID", finding.Shown(id))
		}
		if first, twice := l.seen[id]; twice {
			l.cellIs(&ruleDuplicateID, DependencyID, "row %d is %s, too", first, finding.Shown(id))
		} else {
			l.seen[id] = l.number
		}
	}
	if from := v[FromDeliverableID]; from != "" {
		if !layout.IsDeliverableID(from) {
			l.cellIs(&ruleFromFormat, FromDeliverableID, "%s is not the id of a deliverable", finding.Shown(from))
		}
		if l.from == "" {
			l.from = from
		} else if from != l.from {
			l.cellIs(&ruleFromChanges, FromDeliverableID, "%s, where the first row has %s", finding.Shown(from), finding.Shown(l.from))
		}
	}
}

// words judges the columns that take certain words only.
func (l *linter) words() {
	for c := range numColumns {
		e, word := enumerations[c], l.values[c]
		if e == nil || word == "" || e.has(word) {
			continue
		}
		upper := strings.ToUpper(word)
		switch meant, legacy := e.legacy[upper]; {
		case legacy:
			l.report(ruleLegacy.At(l.path, int(l.record.line), "%s is an older word for %s", finding.Shown(word), meant).
				In(l.number, c.String()).Of(word).WithFix("write %s", meant))
		case e.has(upper):
			l.report(ruleCase.At(l.path, int(l.record.line), "%s is not in capitals", finding.Shown(word)).
				In(l.number, c.String()).Of(word).WithFix("write %s", upper))
		default:
			l.report(ruleEnum.At(l.path, int(l.record.line), "%s takes no %s", c, finding.Shown(word)).
				In(l.number, c.String()).Of(word).WithFix("write one of %s", strings.Join(e.words, ", ")))
		}
		l.values[c] = upper
	}
}

func (l *linter) target() {
	v := &l.values
	id := v[TargetDeliverableID]
	switch {
	case v[TargetType] != targetDeliverable:
		if id != "" {
			l.cellIs(&ruleTargetEmpty, TargetDeliverableID, "the target is a %s, and a deliverable's id is given", finding.Shown(v[TargetType]))
		}
	case id == "":
		l.cellIs(&ruleTargetRequired, TargetDeliverableID, "the target is a deliverable without an id")
	case !layout.IsDeliverableID(id):
		l.cellIs(&ruleTargetFormat, TargetDeliverableID, "%s is not the id of a deliverable", finding.Shown(id))
	}
}

func (l *linter) dates() {
	good := true
	for _, c := range []Column{FirstSeen, LastSeen} {
		if day := l.values[c]; day == "" {
			good = false
		} else if day != l.day && !isDate(day) {
			good = false
			l.cellIs(&ruleDate, c, "%s is not a day", finding.Shown(day))
		} else {
			l.day = day
		}
	}
	if first, last := l.values[FirstSeen], l.values[LastSeen]; good && last < first {
		l.cellIs(&ruleDateOrder, LastSeen, "last seen on %s, first seen on %s", last, first)
	}
}

func (l *linter) class(active bool) {
	v := &l.values
	switch v[Class] {
	case classAnchor:
		if v[AnchorType] == notApplicable {
			l.cellIs(&ruleAnchorType, AnchorType, "an ANCHOR row is %s", notApplicable)
		}
		if v[Type] != typeOther && v[Type] != "" {
			l.cellIs(&ruleAnchorDependency, Type, "an ANCHOR row is %s", finding.Shown(v[Type]))
		}
	case classExecution:
		if v[AnchorType] != notApplicable && v[AnchorType] != "" {
			l.cellIs(&ruleExecutionAnchor, AnchorType, "an EXECUTION row is %s", finding.Shown(v[AnchorType]))
		}
		if v[Type] != "" && (v[Type] == typeOther || !enumerations[Type].has(v[Type])) {
			l.cellIs(&ruleNotPreferred, Type, "%s is not one of the preferred types", finding.Shown(v[Type]))
		}
	}
	if active && v[AnchorType] == implementsNode {
		l.implements++
	}
}

func (l *linter) provenance(active bool) {
	if !active {
		return
	}
	for _, c := range []Column{EvidenceFile, SourceRef} {
		if l.values[c] == "" {
			l.cellIs(&ruleProvenance, c, "an ACTIVE row without %s", c)
		}
	}
	if l.values[EvidenceQuote] == "" {
		l.cellIs(&ruleNoQuote, EvidenceQuote, "an ACTIVE row quotes no evidence")
	}
}

// isDependencyID reports whether an id is DEP-, two or three digits, two digits
// and three.
func isDependencyID(id string) bool {
	rest, ok := strings.CutPrefix(id, "DEP-")
	if !ok || len(rest) < 4 {
		return false
	}
	end := len(rest) - 4
	return rest[end] == '-' && areDigits(rest[end+1:]) && layout.IsDeliverableID("DEL-"+rest[:end])
}

func areDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isDate reports whether s is a day of the calendar, YYYY-MM-DD.
func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil && !strings.HasPrefix(s, "0000")
}
