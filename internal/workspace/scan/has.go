package scan

import (
	"slices"

	"belay/internal/workspace/layout"
)

// HasDeliverable reports whether there is the folder of a deliverable or knowledge
// type, a copy included, whose id has a number as [layout.Number] writes it.
func (r *Result) HasDeliverable(number string) bool {
	is := func(f *Folder) bool { return layout.Number(f.ID) == number }
	return slices.ContainsFunc(r.Deliverables, is) || slices.ContainsFunc(r.KnowledgeTypes, is) || slices.ContainsFunc(r.Copies, is)
}

// HasPackage reports whether there is the folder of a package with that number.
func (r *Result) HasPackage(number string) bool {
	return slices.ContainsFunc(r.Packages, func(p *Package) bool { return layout.Number(p.ID) == number })
}
