package scaffold

import "belay/internal/workspace/finding"

// Result is what a run did, as the compatible contract has it; what belay adds
// stands behind. Paths are absolute unless a field says otherwise.
type Result struct {
	ExecutionRoot     string `json:"executionRoot"`
	DecompositionPath string `json:"decompositionPath"`
	// CopiedDecompositionPath is the project's own copy of the document.
	CopiedDecompositionPath string `json:"copiedDecompositionPath"`
	ProjectName             string `json:"projectName"`
	CoordinationMode        string `json:"coordinationMode"`
	PackageCount            int    `json:"packageCount"`
	// DeliverableCount counts those that belong to a package.
	DeliverableCount         int           `json:"deliverableCount"`
	Created                  Created       `json:"created"`
	LayoutValidation         Layout        `json:"layoutValidation"`
	PreparationCompatibility Compatibility `json:"preparationCompatibility"`

	// ArchivedDecompositionPath is where the copy went that the document took the
	// place of.
	ArchivedDecompositionPath string `json:"archivedDecompositionPath,omitempty"`
	// Findings are those of the document and those of the run.
	Findings []finding.Finding `json:"findings"`
}

// Created lists what a run made, parents first.
type Created struct {
	Directories []string `json:"directories"`
	Files       []string `json:"files"`
}

// Layout says whether what there is now is laid out as it should be.
type Layout struct {
	Valid         bool         `json:"valid"`
	ExecutionRoot LayoutRoot   `json:"executionRoot"`
	Packages      []LayoutUnit `json:"packages"`
	Deliverables  []LayoutUnit `json:"deliverables"`
}

// LayoutRoot is the part of [Layout] about the root. Missing is relative to Path.
type LayoutRoot struct {
	Path    string   `json:"path"`
	Valid   bool     `json:"valid"`
	Missing []string `json:"missing"`
}

// LayoutUnit is the part of [Layout] about a package or deliverable.
type LayoutUnit struct {
	ID      string   `json:"id"`
	Path    string   `json:"path"`
	Valid   bool     `json:"valid"`
	Missing []string `json:"missing"`
}

// Compatibility says whether PREPARATION could work in the deliverables' folders.
type Compatibility struct {
	Ready               bool        `json:"ready"`
	DeliverablesChecked int         `json:"deliverablesChecked"`
	IssueCount          int         `json:"issueCount"`
	Deliverables        []Readiness `json:"deliverables"`
}

// Readiness is the part of [Compatibility] about a deliverable.
type Readiness struct {
	ID     string   `json:"id"`
	Path   string   `json:"path"`
	Ready  bool     `json:"ready"`
	Issues []string `json:"issues"`
}
