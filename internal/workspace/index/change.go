package index

import (
	"slices"

	"belay/internal/workspace/scan"
)

// Change is the difference between two snapshots.
type Change struct {
	// Version is that of the snapshot after it.
	Version uint64
	// Paths are the files and folders that were written, made or removed, relative
	// to the root, sorted; More is set where they are not all.
	Paths []string
	More  bool
	// Deliverables are those whose listing changed.
	Deliverables []Delta
	// Layout is set where anything else in the layout changed: packages, tool
	// roots, copies, the marker of knowledge types, findings.
	Layout bool
	// Proposals is set where what agents propose for registers changed.
	Proposals bool
}

// Delta is a deliverable before and after a change. Before is nil for a new one,
// After for one that is gone.
type Delta struct{ Before, After *scan.Folder }

// maxPaths is how many paths a change names.
const maxPaths = 1000

// differences are those between two results.
type differences struct {
	deltas []Delta
	// touched are folders of deliverables whose files changed, and nothing that is
	// listed.
	touched []string
	layout  bool
}

// difference compares two results.
func difference(before, after *scan.Result) (d differences) {
	if before == after {
		return d
	}
	old := make(map[string]*scan.Folder, len(before.Deliverables))
	for _, f := range before.Deliverables {
		old[f.Path] = f
	}
	for _, f := range after.Deliverables {
		was := old[f.Path]
		delete(old, f.Path)
		switch {
		case was == f:
		case was == nil || !alike(was, f):
			d.deltas = append(d.deltas, Delta{was, f})
		case was.Stamp != f.Stamp && was.Stamp != 0 && f.Stamp != 0:
			d.touched = append(d.touched, f.Path)
		}
	}
	for _, f := range before.Deliverables {
		if old[f.Path] != nil {
			d.deltas = append(d.deltas, Delta{Before: f})
		}
	}
	d.layout = before.Truncated != after.Truncated || before.Marker != after.Marker ||
		!slices.EqualFunc(before.Packages, after.Packages, equal) || !slices.EqualFunc(before.ToolRoots, after.ToolRoots, equal) ||
		!slices.EqualFunc(before.Copies, after.Copies, alike) || !slices.EqualFunc(before.KnowledgeTypes, after.KnowledgeTypes, alike) ||
		!slices.Equal(before.Findings, after.Findings)
	return d
}

// alike compares folders but for their stamps.
func alike(a, b *scan.Folder) bool {
	if a == b {
		return true
	}
	x, y := *a, *b
	x.Stamp, y.Stamp = 0, 0
	return x == y
}

// equal compares what pointers lead to.
func equal[T comparable](a, b *T) bool { return a == b || *a == *b }
