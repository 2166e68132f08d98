package scan

import (
	"slices"
	"strings"

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

// ByID is the deliverables that are worked on, by their ids. It is the project as its
// registers refer to it.
type ByID map[string]*Folder

// ByID returns the deliverables of the result by their ids.
func (r *Result) ByID() ByID {
	all := make(ByID, len(r.Deliverables))
	for _, f := range r.Deliverables {
		all[f.ID] = f
	}
	return all
}

// Has reports whether there is a deliverable with this id.
func (d ByID) Has(id string) bool { return d[id] != nil }

// State is a deliverable's, in capitals; "" where there is none.
func (d ByID) State(id string) string {
	if f := d[id]; f != nil {
		return strings.ToUpper(f.Status)
	}
	return ""
}

// Package is the id of the package that a deliverable's folder is in; "" for none.
func (d ByID) Package(id string) string {
	if f := d[id]; f != nil {
		return f.PackageID()
	}
	return ""
}
