package scaffold

import (
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"

	"belay/internal/workspace/coordination"
	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/layout"
)

// texts writes the files of a new project: those of its root and of its deliverables.
type texts struct {
	req Request
	// copy is where the project has the decomposition, relative to the root; date is
	// the day of the run.
	copy, date string
}

// texts are those of the run.
func (p *Plan) texts() texts { return texts{p.req, p.copy, p.now.Format(time.DateOnly)} }

// madeFiles are those of a deliverable in state OPEN, its state first.
var madeFiles = []string{
	layout.StatusFile, layout.ContextFile, layout.DependenciesFile, layout.ReferencesFile, layout.SemanticFile, layout.MemoryFile,
}

// file is one of [madeFiles].
func (t texts) file(name string, del decomposition.Deliverable, pkg decomposition.Package) []byte {
	title := del.ID + " " + del.Name
	switch name {
	case layout.StatusFile:
		return t.statusFile(title)
	case layout.ContextFile:
		return t.contextFile(del, pkg)
	case layout.DependenciesFile:
		return dependenciesFile(title)
	case layout.ReferencesFile:
		return t.referencesFile(title)
	case layout.SemanticFile:
		return semanticFile(title)
	default:
		return memoryFile(del.ID)
	}
}

func (t texts) initFile() []byte {
	return fmt.Appendf(nil, `# INIT: %s

**Project Name:** %s
**Initialized:** %s
**Decomposition Reference:** %s
**Coordination Mode:** %s

## Session Parameters

- **Execution Root:** the folder of this file
- **Decomposition:** %s
- **Source Documents:** _Sources/
- **Coordination Record:** %s
`, t.req.ProjectName, t.req.ProjectName, t.date, t.copy, t.req.CoordinationMode, t.copy, layout.CoordinationFile)
}

func (t texts) coordinationFile() []byte {
	return fmt.Appendf(nil, `# Coordination Record

**Representation:** %s
**Dependency tracking mode:** FULL_GRAPH

## Representations

- **Schedule-first:** the schedule decides the order; dependencies show what blocks, and are audited.
- **Dependency-tracked:** the graph of dependencies decides the order.
- **Hybrid:** the schedule decides between milestones, the graph within them.

## Notes

- Recorded %s. The choice holds for the whole project; people change it here.
- Whatever it is, every dependency is kept in the graph.
`, coordination.Mode(t.req.CoordinationMode).Words(), t.date)
}

func (t texts) statusFile(title string) []byte {
	return fmt.Appendf(nil, `# Status: %s

**Current State:** OPEN
**Last Updated:** %s

## History
- %s — State set to OPEN (PREPARATION)
`, title, t.date, t.date)
}

func (t texts) contextFile(del decomposition.Deliverable, pkg decomposition.Package) []byte {
	return fmt.Appendf(nil, `# Context: %s

**Name:** %s
**Package:** %s %s
**Discipline:** %s
**Type:** %s
**Responsible:** %s

## Description
%s

## Acceptance Criteria
%s

## Anticipated Artifacts
%s

## Scope Traceability
- Scope items: %s
- Objectives: %s

## Decomposition Reference
- **Decomposition file:** %s
- **Deliverable ID:** %s
`, del.ID, del.Name, pkg.ID, pkg.Name, stated(del.Discipline), stated(del.Type), stated(del.Responsible),
		paragraphs(del.Description), bullets(del.Acceptance), bullets(del.Artifacts),
		stated(strings.Join(del.ScopeItems, ", ")), stated(strings.Join(del.Objectives, ", ")), t.copy, del.ID)
}

func dependenciesFile(title string) []byte {
	const outside = "Dependencies coordinated externally by humans."
	return fmt.Appendf(nil, `# Dependencies: %s

## Dependency Tracking Mode
- **Mode:** NOT_TRACKED
- **Register:** %s (schema v3.1)

---

## Declared Upstream (I need these before I can proceed)
%s

## Declared Downstream (These need me)
%s

---

## Extracted Dependency Register
Not extracted yet.

---

## Lifecycle Summary
Not extracted yet.

---

## Run Notes
None yet.

## Run History
None yet.
`, title, layout.RegisterFile, outside, outside)
}

func (t texts) referencesFile(title string) []byte {
	return fmt.Appendf(nil, `# References: %s

## Applicable References
- %s — %s — the decomposition that defines this deliverable

## Notes
- No other references identified yet.
`, title, path.Base(t.copy), t.copy)
}

func semanticFile(title string) []byte {
	return fmt.Appendf(nil, `# Semantic Lens: %s

**Status:** PLACEHOLDER
**Generated:** TBD

## Notes
- Nothing has been derived yet. CHIRALITY_FRAMEWORK replaces this file.
`, title)
}

func memoryFile(id string) []byte {
	return fmt.Appendf(nil, `# Memory — %s

> Organize by semantic topic, then chronologically within each topic.

## Key Decisions & Human Rulings

## Domain Context

## Open Items

## Proposal History

## Interface & Dependency Notes
`, id)
}

// unknown is what the decomposition does not say.
const unknown = "TBD"

func stated(value string) string {
	if value == "" {
		return unknown
	}
	return value
}

// paragraphs is a text as lines of a document that cannot be taken for anything
// but text: a line that would begin a heading or a code block is escaped.
func paragraphs(text string) string {
	lines := strings.Split(stated(text), "\n")
	for i, l := range lines {
		l = strings.TrimSpace(oneLine(l))
		if strings.HasPrefix(l, "#") || strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~") {
			l = `\` + l
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n")
}

// bullets is a list.
func bullets(all []string) string {
	if len(all) == 0 {
		return "- " + unknown
	}
	return "- " + strings.Join(all, "\n- ")
}

// oneLine replaces what would end a line, and other control characters.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}
