package registerlint

import (
	"strings"

	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
	"belay/internal/workspace/scan"
)

// known is the project as its registers refer to it: deliverables by id.
type known map[string]*scan.Folder

var _ register.Project = known(nil)

func newKnown(found *scan.Result) known {
	k := make(known, len(found.Deliverables))
	for _, f := range found.Deliverables {
		k[f.ID] = f
	}
	return k
}

// Has implements [register.Project].
func (k known) Has(id string) bool { return k[id] != nil }

// State implements [register.Project].
func (k known) State(id string) string {
	if f := k[id]; f != nil {
		return strings.ToUpper(f.Status)
	}
	return ""
}

// Package implements [register.Project].
func (k known) Package(id string) string {
	if f := k[id]; f != nil {
		return layout.ParseName(f.Package).ID
	}
	return ""
}
