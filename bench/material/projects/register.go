package projects

import (
	"encoding/csv"
	"fmt"
	"strings"
)

var columns = []string{
	"RegisterSchemaVersion", "DependencyID", "FromPackageID", "FromDeliverableID", "FromDeliverableName", "DependencyClass", "AnchorType",
	"Direction", "DependencyType", "TargetType", "TargetPackageID", "TargetDeliverableID", "TargetRefID", "TargetName", "TargetLocation",
	"Statement", "EvidenceFile", "SourceRef", "EvidenceQuote", "Explicitness", "RequiredMaturity", "ProposedMaturity", "SatisfactionStatus",
	"Confidence", "Origin", "FirstSeen", "LastSeen", "Status", "Notes",
}

func (d deliverable) dependencyID(row int) string {
	return fmt.Sprintf("DEP-%s-%03d", strings.TrimPrefix(d.id, "DEL-"), row+1)
}

// register has one row for the parent, one for a requirement, and others that
// lead to deliverables before this one, and to documents. So the project's graph has
// no circles but those that the shape asks for.
func (d deliverable) register(s Shape, n int) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(columns) // to memory
	for row := range s.Rows {
		_ = w.Write(d.row(s, n, row)) // to memory
	}
	w.Flush()
	return b.String()
}

func (d deliverable) row(s Shape, n, row int) []string {
	class, anchor, kind := "EXECUTION", "NOT_APPLICABLE", "PREREQUISITE"
	target, targetPkg, targetID, ref, name := "DOCUMENT", "", "", "", pick(d.random, subjects)
	switch {
	case row == 0:
		class, anchor, kind, target, ref = "ANCHOR", "IMPLEMENTS_NODE", "OTHER", "WBS_NODE", fmt.Sprintf("SOW-%03d", n%200+1)
	case row == 1:
		class, anchor, kind, target, ref = "ANCHOR", "TRACES_TO_REQUIREMENT", "OTHER", "REQUIREMENT", fmt.Sprintf("OBJ-%03d", n%12+1)
	case row == 2 && s.inCircle(n):
		to := s.deliverable(n ^ 1)
		target, targetPkg, targetID, name = "DELIVERABLE", to.pkg, to.id, to.name
	case n > 0 && row%4 != 0:
		to := s.deliverable(d.random.IntN(n))
		target, targetPkg, targetID, name = "DELIVERABLE", to.pkg, to.id, to.name
		kind = pick(d.random, []string{"PREREQUISITE", "INTERFACE", "CONSTRAINT", "ENABLES"})
	}
	return []string{
		"v3.1", d.dependencyID(row), d.pkg, d.id, d.name, class, anchor, "UPSTREAM", kind, target, targetPkg, targetID, ref, name,
		"_Sources/", pick(d.random, sentence), "Specification.md", "Specification.md > Requirements", "the margins that the governing code asks for",
		"EXPLICIT", "TBD", "TBD", "TBD", "HIGH", "EXTRACTED", "2026-02-21", "2026-02-21", "ACTIVE", "FACT. " + pick(d.random, sentence),
	}
}

// inCircle is whether a deliverable waits for its neighbour, which waits for it.
func (s Shape) inCircle(n int) bool {
	return s.Circles > 0 && n|1 < s.Deliverables && n/2%max(1, s.Deliverables/2/s.Circles) == 0
}
