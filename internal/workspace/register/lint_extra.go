package register

import (
	"slices"
	"strconv"
	"strings"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Misplaced is the finding about a register in a folder that is no deliverable's.
func Misplaced(path, folder string) finding.Finding {
	return ruleMisplaced.At(path, 0, "%s is not of the form DEL-XX-YY_Label in a package PKG-XX_Label", finding.Shown(folder))
}

// maxQuoteWords is how long a piece of evidence may be (workspace 6.5).
const maxQuoteWords = 30

// beyond judges what the original's linter does not look at. The words are
// canonical by now.
func (l *linter) beyond(active bool) {
	v := &l.values
	l.belongs()
	if id := v[TargetDeliverableID]; id != "" && v[TargetType] == targetDeliverable {
		target := layout.ParseName(id).ID
		if v[Class] == classExecution && target != "" && layout.Number(target) == layout.Number(l.hostID()) {
			l.cellIs(&ruleSelf, TargetDeliverableID, "%s depends on itself", target)
		}
	} else if v[TargetType] != "" && v[TargetType] != targetDeliverable && l.nameless() {
		l.cellIs(&ruleNoTarget, TargetRefID, "the row does not name its target")
	}
	if !active {
		return
	}
	l.recommended()
	if n := wordCount(v[EvidenceQuote]); n > maxQuoteWords {
		l.cellIs(&ruleLongQuote, EvidenceQuote, "%d words of evidence", n)
	}
	if v[Class] == classExecution && v[Satisfaction] == "" {
		l.cellIs(&ruleNoSatisfaction, Satisfaction, "an ACTIVE EXECUTION row without SatisfactionStatus")
	}
}

// recommended looks for the cells that every row should fill in, and that have no rule
// of their own.
func (l *linter) recommended() {
	for _, c := range [...]Column{TargetName, Statement, Explicitness, Confidence} {
		if l.values[c] != "" || l.at[c] < 0 || c == TargetName && l.values[TargetType] != targetDeliverable && l.nameless() {
			continue
		}
		l.cellIs(&ruleRecommended, c, "%s is empty", c)
	}
}

// packageOf is the id of the package in which a register is by its path, "" for none.
func packageOf(path string) string {
	for part := range strings.SplitSeq(path, "/") {
		if n := layout.ParseName(part); n.Kind == layout.Package {
			return n.ID
		}
	}
	return ""
}

// nameless reports whether a row says nothing of a target that is no deliverable.
func (l *linter) nameless() bool {
	return !slices.ContainsFunc([]Column{TargetRefID, TargetName, TargetLocation, TargetPackageID}, func(c Column) bool { return l.values[c] != "" })
}

// hostID is the deliverable that has the register: the folder's, or what the row
// says where the folder is not known.
func (l *linter) hostID() string {
	if l.host.Kind == layout.Deliverable {
		return l.host.ID
	}
	return layout.ParseName(l.values[FromDeliverableID]).ID
}

// belongs compares the row with the folder in which the register is.
func (l *linter) belongs() {
	v := &l.values
	host := l.hostID()
	if host == "" {
		return
	}
	if from := layout.ParseName(v[FromDeliverableID]); from.Kind == layout.Deliverable && layout.Number(from.ID) != layout.Number(host) {
		l.cellIs(&ruleHost, FromDeliverableID, "the register is that of %s", host)
	}
	if pkg := v[FromPackageID]; pkg != "" && l.pkg != "" && layout.Number(pkg) != layout.Number(l.pkg) {
		l.cellIs(&ruleHostPackage, FromPackageID, "%s is not the package of %s, which is in %s", finding.Shown(pkg), host, l.pkg)
	}
	if id := v[DependencyID]; isDependencyID(id) && !sameNumbers(id, host) {
		l.cellIs(&ruleIDNotHost, DependencyID, "%s does not have the numbers of %s", id, host)
	}
}

// sameNumbers reports whether a well-formed DependencyID has a deliverable's
// numbers, with or without a leading zero in that of the package.
func sameNumbers(dependency, deliverable string) bool {
	numbers := strings.TrimPrefix(dependency[:len(dependency)-4], "DEP-")
	return strings.TrimLeft(numbers, "0") == strings.TrimLeft(strings.TrimPrefix(deliverable, "DEL-"), "0")
}

// wordCount counts the words of a text.
func wordCount(text string) int {
	if len(text) <= 2*maxQuoteWords {
		return 0 // too short to have more than 30
	}
	return len(strings.Fields(text))
}

// isFormula reports whether a spreadsheet would run a cell: it begins with a sign
// that formulas begin with, and is neither a number nor a dash.
func isFormula(value string) bool {
	for value != "" && (value[0] == '\t' || value[0] == '\r' || value[0] == '\n') {
		value = value[1:]
	}
	if len(value) < 2 {
		return false
	}
	switch value[0] {
	case '=', '@':
		return true
	case '+', '-':
		rest := strings.TrimLeft(value, "+- ")
		_, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimRight(rest, "% "), ",", ""), 64)
		return rest != "" && err != nil
	}
	return false
}
