package scan

import (
	"strings"

	"belay/internal/workspace/layout"
)

// ByID is the deliverables that are worked on, by their ids. It is the project as its
// registers refer to it.
type ByID struct{ exact, number map[string]*Folder }

// ByID returns the deliverables of the result by their ids.
func (r *Result) ByID() ByID {
	all := ByID{make(map[string]*Folder, len(r.Deliverables)), make(map[string]*Folder, len(r.Deliverables))}
	for _, f := range r.Deliverables {
		all.exact[f.ID], all.number[layout.Number(f.ID)] = f, f
	}
	return all
}

// find is the deliverable with this id, or else with one that differs in the width of its
// numbers only; nil where there is none.
func (d ByID) find(id string) *Folder {
	if f := d.exact[id]; f != nil {
		return f
	}
	return d.number[layout.Number(id)]
}

// Has reports whether there is a deliverable with this id.
func (d ByID) Has(id string) bool { return d.find(id) != nil }

// State is a deliverable's, in capitals; "" where there is none.
func (d ByID) State(id string) string {
	if f := d.find(id); f != nil {
		return strings.ToUpper(f.Status)
	}
	return ""
}

// Package is the id of the package that a deliverable's folder is in; "" for none.
func (d ByID) Package(id string) string {
	if f := d.find(id); f != nil {
		return f.PackageID()
	}
	return ""
}
