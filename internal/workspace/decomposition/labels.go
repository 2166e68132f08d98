package decomposition

import (
	"strings"
	"unicode"
)

// part is what a column or a label of a definition holds.
type part int

const (
	other part = iota
	partID
	partDeliverable
	partPackage
	partScopeItem
	partObjective
	partOrdinal
	// partPackageName is a package's name, and what a deliverable says of its package.
	partPackageName
	partName
	partDiscipline
	partType
	partResponsible
	partDescription
	partAcceptance
	partArtifacts
	partCovers
	partSupports
)

// labels are the names that documents give to the parts, folded.
var labels = func() map[string]part {
	m := map[string]part{}
	for p, names := range map[part][]string{
		partID:          {"ID"},
		partDeliverable: {"Deliverable", "Deliverable ID", "DEL ID"},
		partPackage:     {"Package", "Package ID", "Package No", "Package Number", "PKG", "PKG ID", "PKG No", "Parent Package", "Parent Package ID", "Work Package", "Work Package ID"},
		partPackageName: {"Package Name", "Work Package Name"},
		partScopeItem:   {"Scope Item", "Scope Item ID", "Scope ID", "SOW ID"},
		partObjective:   {"Objective", "Objective ID", "OBJ ID"},
		partOrdinal:     {"#", "No", "Nr", "Number"},
		partName:        {"Name", "Title", "Deliverable Name", "Short Name"},
		partDiscipline:  {"Discipline", "Disciplines"},
		partType:        {"Type", "Deliverable Type", "Artifact Type"},
		partResponsible: {"Responsible", "Responsible Party", "Responsible Role", "Responsibility", "Owner"},
		partDescription: {"Description", "Scope Description", "Statement", "Goal"},
		partAcceptance:  {"Acceptance", "Acceptance Criteria"},
		partArtifacts:   {"Artifacts", "Anticipated Artifacts", "Artefacts", "Anticipated Artefacts"},
		partCovers:      {"Covers Scope Items", "Scope Items", "Scope Items Covered", "Scope Coverage", "Scope Traceability"},
		partSupports:    {"Supports Objectives", "Objectives", "Objectives Supported", "Objective Support"},
	} {
		for _, name := range names {
			m[fold(name)] = p
		}
	}
	return m
}()

// partOf is what a label stands for: letter case, blanks, marks and a remark in
// brackets do not count. A label for several ids, "DeliverableID(s)", is none for
// an id.
func partOf(label string) part {
	before, after, remark := strings.Cut(label, "(")
	got := labels[fold(before)]
	if remark && strings.HasPrefix(after, "s)") && got >= partID && got <= partObjective {
		return other
	}
	return got
}

func fold(label string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '#' {
			return unicode.ToLower(r)
		}
		return -1
	}, label)
}

// plain takes Markdown's marks off around a cell or a heading: those of emphasis,
// code and struck text.
func plain(text string) string {
	for {
		text = strings.TrimSpace(text)
		cut := text
		for _, mark := range []string{"**", "__", "~~", "`", "*"} {
			if inner, ok := strings.CutPrefix(text, mark); ok {
				if inner, ok = strings.CutSuffix(inner, mark); ok && !strings.Contains(inner, mark) {
					cut = inner
					break
				}
			}
		}
		if cut == text {
			return text
		}
		text = cut
	}
}

// partNames are the parts as findings name them.
var partNames = map[part]string{
	partDiscipline: "discipline", partType: "type", partResponsible: "responsible party", partDescription: "description",
	partAcceptance: "acceptance criteria", partArtifacts: "anticipated artifacts", partCovers: "scope items", partSupports: "objectives",
}
