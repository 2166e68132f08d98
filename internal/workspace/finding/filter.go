package finding

import (
	"cmp"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/nearest"
	"belay/internal/workspace/layout"
)

// Filter selects findings by what they are about. A nil one selects all; of one that
// is not, each list that is not empty must have an entry that fits.
type Filter struct {
	// Deliverables and Packages are ids, Codes those of rules.
	Deliverables []string `json:"deliverables,omitempty"`
	Packages     []string `json:"packages,omitempty"`
	Codes        []string `json:"codes,omitempty"`
}

// maxFilter is how many entries a filter may have of a kind.
const maxFilter = 1000

// NewFilter makes a filter of what somebody asks for, nil where that is nothing. An
// id may be followed by its label, as in the folder's name; capitals do not count.
// Rules are all that findings can be of. The error names everything that is no id
// and no code.
func NewFilter(deliverables, packages, codes []string, rules []Rule) (*Filter, error) {
	f := &Filter{}
	var wrong, fields []string
	refuse := func(field, sentence string) {
		wrong = append(wrong, sentence)
		fields = append(fields, field)
	}
	for _, s := range deliverables {
		n := layout.ParseName(upperID(s))
		if n.Kind != layout.Deliverable && n.Kind != layout.KnowledgeType {
			refuse("deliverable", quotedValue(s)+" is not the id of a deliverable, like DEL-01-02")
			continue
		}
		f.Deliverables = append(f.Deliverables, n.ID)
	}
	for _, s := range packages {
		n := layout.ParseName(upperID(s))
		if n.Kind != layout.Package {
			refuse("package", quotedValue(s)+" is not the id of a package, like PKG-01")
			continue
		}
		f.Packages = append(f.Packages, n.ID)
	}
	known := make([]string, len(rules))
	for i, r := range rules {
		known[i] = r.Code
	}
	for _, s := range codes {
		code := strings.ToUpper(strings.TrimSpace(s))
		if slices.Contains(known, code) {
			f.Codes = append(f.Codes, code)
			continue
		}
		sentence := "no finding has the code " + quotedValue(s)
		if near := nearest.Of(code, known); near != "" {
			sentence += "; the nearest is " + near
		}
		refuse("code", sentence)
	}
	if n := max(len(deliverables), len(packages), len(codes)); n > maxFilter {
		return nil, fault.New(fault.InvalidRequest, "%d entries to select by are too many, %d are allowed", n, maxFilter).With("field", "code")
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.InvalidRequest, "%s", strings.Join(wrong, "; ")).With("field", fields[0]).
			WithHint("belay project list shows ids; docs/findings.md lists the codes")
	}
	if len(f.Deliverables)+len(f.Packages)+len(f.Codes) == 0 {
		return nil, nil
	}
	return f, nil
}

func quotedValue(s string) string { return `"` + Shown(s) + `"` }

// upperID is s with its id in capitals, and its label as it is.
func upperID(s string) string {
	id, label, ok := strings.Cut(strings.TrimSpace(s), "_")
	if !ok {
		return strings.ToUpper(id)
	}
	return strings.ToUpper(id) + "_" + label
}

// Keeps reports whether a finding is selected. One that is in no deliverable's
// folder is about the deliverable that its value names, and likewise with packages.
func (f *Filter) Keeps(x *Finding) bool {
	if f == nil {
		return true
	}
	if len(f.Codes) > 0 && !slices.Contains(f.Codes, x.Code) {
		return false
	}
	if !f.ByPlace() {
		return true
	}
	pkg, deliverable := Place(x.Path)
	if pkg == "" {
		pkg = x.Package
		if layout.IsPackageID(x.Value) {
			pkg = x.Value
		}
	}
	if deliverable == "" && (layout.IsDeliverableID(x.Value) || layout.IsKnowledgeID(x.Value)) {
		deliverable = x.Value
	}
	return has(f.Deliverables, deliverable) && has(f.Packages, pkg)
}

// Select returns the findings that are selected, in the memory of all.
func (f *Filter) Select(all []Finding) []Finding {
	if f == nil {
		return all
	}
	return slices.DeleteFunc(all, func(x Finding) bool { return !f.Keeps(&x) })
}

// ByPlace reports whether findings are selected by deliverable or package.
func (f *Filter) ByPlace() bool { return f != nil && len(f.Deliverables)+len(f.Packages) > 0 }

// Enters reports whether findings about the content of a folder may be selected: those
// of a whole deliverable, tool root or package.
func (f *Filter) Enters(folder string) bool {
	if !f.ByPlace() {
		return true
	}
	pkg, deliverable := Place(folder)
	return has(f.Deliverables, deliverable) && has(f.Packages, pkg)
}

// Missing is the error for the first deliverable or package of the filter that a
// project does not have, nil where it has them all.
func (f *Filter) Missing(hasDeliverable, hasPackage func(id string) bool) error {
	if f == nil {
		return nil
	}
	const hint = "belay project list shows what the project has"
	for _, id := range f.Deliverables {
		if !hasDeliverable(layout.Number(id)) {
			return fault.New(fault.DeliverableNotFound, "there is no deliverable %s in the project", id).WithHint(hint)
		}
	}
	for _, id := range f.Packages {
		if !hasPackage(layout.Number(id)) {
			return fault.New(fault.NotFound, "there is no package %s in the project", id).WithHint(hint)
		}
	}
	return nil
}

// has reports whether an id is in a list, whatever its number of digits; every id is
// in one that is empty.
func has(all []string, id string) bool {
	if len(all) == 0 {
		return true
	}
	number := layout.Number(id)
	return id != "" && slices.ContainsFunc(all, func(s string) bool { return layout.Number(s) == number })
}

// Place returns the ids of the package and of the deliverable in whose folders a path
// is, "" for none. The package is that of the folder, whatever the number of the
// deliverable.
func Place(path string) (pkg, deliverable string) {
	for part := range strings.SplitSeq(path, "/") {
		switch n := layout.ParseName(part); n.Kind {
		case layout.Package:
			pkg = cmp.Or(pkg, n.ID)
		case layout.Deliverable, layout.KnowledgeType:
			deliverable = cmp.Or(deliverable, n.ID)
		}
	}
	return pkg, deliverable
}
