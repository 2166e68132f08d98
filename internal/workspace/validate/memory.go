package validate

import (
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

var (
	ruleMemoryTitle = finding.Rule{Code: "MEMORY_TITLE", Severity: finding.Warning, Section: "8.1",
		Means: "The title of MEMORY.md is \"# Memory — \" and the id.",
		Fix:   "write the title so"}
	ruleMemoryID = finding.Rule{Code: "MEMORY_ID_MISMATCH", Severity: finding.Error, Section: "8.1",
		Means: "The title of MEMORY.md names another deliverable than the folder does.",
		Fix:   "put the right file there, or correct the id"}
	ruleMemorySections = finding.Rule{Code: "MEMORY_SECTIONS_MISSING", Severity: finding.Warning, Section: "8.2",
		Means: "MEMORY.md has five sections at least.",
		Fix:   "add the sections that are named"}
	ruleMemorySection = finding.Rule{Code: "MEMORY_SECTION_NAME", Severity: finding.Warning, Section: "8.1",
		Means: "A section of MEMORY.md is called something else than in the specification.",
		Fix:   "rename the section"}
)

var memoryRules = []finding.Rule{ruleMemoryTitle, ruleMemoryID, ruleMemorySections, ruleMemorySection}

// memory checks MEMORY.md (workspace 8).
func (w *worker) memory() {
	if t, ok := w.document(scan.Memory, layout.MemoryFile); ok {
		t.checkMemory()
	}
}

func (t *text) checkMemory() {
	t.title(&ruleMemoryTitle, &ruleMemoryID, "Memory — ", false)
	t.sections(layout.MemoryFile, &ruleMemorySections, &ruleMemorySection,
		"Key Decisions & Human Rulings", "Domain Context", "Open Items", "Proposal History", "Interface & Dependency Notes")
}
