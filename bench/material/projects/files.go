package projects

import (
	"fmt"
	"strings"
)

const (
	decompositionName = "Generated_Decomposition.md"
	initText          = `# INIT

**Project Name:** Generated
**Initialized:** 2026-02-17
**Decomposition Reference:** _Decomposition/` + decompositionName + `
**Coordination Mode:** DEPENDENCY_TRACKED

## Session Parameters
- none
`
	coordinationText = `# Coordination Record

**Representation:** Dependency-tracked
**Dependency tracking mode:** FULL_GRAPH

## Notes
- none
`
)

// states are how far deliverables have come, each with the line of the history
// that led there.
var states = []string{"OPEN", "INITIALIZED", "SEMANTIC_READY", "IN_PROGRESS", "CHECKING", "ISSUED"}

var actors = []string{"PREPARATION", "4_DOCUMENTS", "CHIRALITY_FRAMEWORK", "WORKING_ITEMS", "HUMAN", "HUMAN"}

// status has its history as a list, or, in two thirds of the roots that are not
// canonical, as a table with prose in its cells.
func (d deliverable) status(s Shape) string {
	last := 2 + d.random.IntN(4)
	var b strings.Builder
	if s.Canonical || d.random.IntN(3) == 0 {
		fmt.Fprintf(&b, "# Status: %s %s\n\n**Current State:** %s\n**Last Updated:** 2026-02-%02d\n\n## History\n", d.id, d.name, states[last], 10+last)
		for i := range last + 1 {
			fmt.Fprintf(&b, "- 2026-02-%02d — State set to %s (%s)\n", 10+i, states[i], actors[i])
		}
		return b.String()
	}
	heading := "History"
	if d.random.IntN(2) == 0 {
		heading = "State History"
	}
	fmt.Fprintf(&b, "# Status — %s\n\n**Current State:** %s\n**Last Updated:** 2026-02-%02d\n\n## %s\n\n", d.id, states[last], 10+last, heading)
	b.WriteString("| Date | From | To | Agent/Actor | Notes |\n|---|---|---|---|---|\n")
	from := "—"
	for i := range last + 1 {
		fmt.Fprintf(&b, "| 2026-02-%02d | %s | %s | %s | %s |\n", 10+i, from, states[i], actors[i], prose(d.random, 150))
		from = states[i]
	}
	return b.String()
}

func (d deliverable) context() string {
	return fmt.Sprintf(`# Context: %s

**Name:** %s
**Package:** %s %s
**Discipline:** Engineering
**Type:** DOCUMENT
**Responsible:** Design lead

## Description
%s

## Acceptance Criteria
- It was reviewed, and every remark is closed.

## Anticipated Artifacts
- %s

## Scope Traceability
- Scope items: SOW-%03d
- Objectives: OBJ-%03d

## Decomposition Reference
- **Decomposition file:** _Decomposition/%s
- **Deliverable ID:** %s
`, d.id, d.name, d.pkg, d.pkgName, d.described, d.name, d.random.IntN(200)+1, d.random.IntN(12)+1, decompositionName, d.id)
}

func (d deliverable) references() string {
	return fmt.Sprintf(`# References: %s %s

## Applicable References
- Decomposition — Location: _Decomposition/%s — Relevance: defines the scope
- Functional program — Location: _Sources/ — Relevance: %s

## Notes
- Shared references lie in the package's 0_References.
`, d.id, d.name, decompositionName, pick(d.random, sentence))
}

func (d deliverable) memory() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Memory — %s\n\n> Organize by semantic topic, then chronologically within each topic.\n", d.id)
	for _, section := range []string{"Key Decisions & Human Rulings", "Domain Context", "Open Items", "Proposal History", "Interface & Dependency Notes"} {
		fmt.Fprintf(&b, "\n## %s\n", section)
		for range 3 {
			fmt.Fprintf(&b, "- 2026-02-%02d: %s\n", 10+d.random.IntN(18), prose(d.random, 300))
		}
	}
	return b.String()
}

func (d deliverable) document(kind string) string {
	return fmt.Sprintf("# %s: %s %s\n\n%s\n\n%s\n", kind, d.id, d.name, prose(d.random, 400), prose(d.random, 400))
}

func (d deliverable) dependencies(s Shape) string {
	mode := "TRACKED"
	if s.Rows == 0 {
		mode = "NOT_TRACKED"
	}
	execution := max(0, s.Rows-2)
	var b strings.Builder
	fmt.Fprintf(&b, "# Dependencies: %s %s\n\n## Dependency Tracking Mode\n- **Mode:** %s\n- **Register:** Dependencies.csv (schema v3.1)\n\n---\n\n", d.id, d.name, mode)
	b.WriteString("## Declared Upstream (I need these before I can proceed)\nDependencies coordinated externally by humans.\n\n" +
		"## Declared Downstream (These need me)\nDependencies coordinated externally by humans.\n\n---\n\n")
	fmt.Fprintf(&b, "## Extracted Dependency Register\n**Run date:** 2026-02-21\n**Schema version:** v3.1\n**Total ACTIVE rows:** %d\n"+
		"**ANCHOR rows (ACTIVE):** %d (1 parent + %d trace)\n**EXECUTION rows (ACTIVE):** %d\n**RETIRED rows:** 0\n\n### EXECUTION Rows (summary)\n\n"+
		"| DependencyID | Direction | TargetName | Notes |\n|---|---|---|---|\n", s.Rows, min(2, s.Rows), max(0, min(2, s.Rows)-1), execution)
	for i := range execution {
		fmt.Fprintf(&b, "| %s | UPSTREAM | %s | %s |\n", d.dependencyID(i+2), pick(d.random, subjects), pick(d.random, sentence))
	}
	fmt.Fprintf(&b, "\n---\n\n## Lifecycle Summary\n\n| Dimension | Count |\n|---|---|\n| ACTIVE | %d |\n\n---\n\n## Run Notes\n%s\n\n## Run History\n- 2026-02-21: extracted\n",
		s.Rows, prose(d.random, 500))
	return b.String()
}

// decomposition is the document that all deliverables come from.
func (s Shape) decomposition() string {
	var b strings.Builder
	b.WriteString("# Generated — Project Decomposition\n\n## Packages\n\n")
	for n := range s.Deliverables {
		d := s.deliverable(n)
		if n%s.PerPackage == 0 {
			fmt.Fprintf(&b, "\n### %s — %s\n\n| DeliverableID | Name | Description |\n|---|---|---|\n", d.pkg, d.pkgName)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", d.id, d.name, d.described)
	}
	return b.String()
}
