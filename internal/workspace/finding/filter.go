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
	// Deliverables and Packages are names, Codes those of rules. Names select nothing until
	// [Filter.Selecting] says what they stand for.
	Deliverables []string `json:"deliverables,omitempty"`
	Packages     []string `json:"packages,omitempty"`
	Codes        []string `json:"codes,omitempty"`

	deliverables, packages []Selected
}

// Selected is a deliverable or a package of which a filter selects the findings.
type Selected struct {
	// Name is what reports call it.
	Name string
	// ID selects whatever has it, with any width of its numbers. Folders, where there are
	// any, select of that only what is in one of them.
	ID      string
	Folders []string
}

// maxFilter is how many entries a filter may have of a kind.
const maxFilter = 1000

// NewFilter makes a filter of what somebody asks for, nil where that is nothing. Each entry may
// be several, with commas between them; of codes, capitals do not count. Rules are all that
// findings can be of. The error names everything that is no code.
func NewFilter(deliverables, packages, codes []string, rules []Rule) (*Filter, error) {
	for _, list := range [][]string{deliverables, packages, codes} {
		if n := strings.Count(strings.Join(list, ","), ",") + 1; n > maxFilter {
			return nil, fault.New(fault.InvalidRequest, "%d entries to select by are too many, %d are allowed", n, maxFilter).With("field", "code")
		}
	}
	f := &Filter{Deliverables: deliverables, Packages: packages}
	known := make([]string, len(rules))
	for i, r := range rules {
		known[i] = r.Code
	}
	var wrong []string
	for _, s := range codes {
		for s := range strings.SplitSeq(s, ",") {
			code := strings.ToUpper(strings.TrimSpace(s))
			if slices.Contains(known, code) {
				f.Codes = append(f.Codes, code)
				continue
			}
			sentence := `no finding has the code "` + Shown(s) + `"`
			if near := nearest.Of(code, known); near != "" {
				sentence += "; the nearest is " + near
			}
			wrong = append(wrong, sentence)
		}
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.InvalidRequest, "%s", strings.Join(wrong, "; ")).With("field", "code").
			WithHint("docs/findings.md lists the codes")
	}
	if len(f.Deliverables)+len(f.Packages)+len(f.Codes) == 0 {
		return nil, nil
	}
	return f, nil
}

// Selecting is the filter with what its names stand for.
func (f *Filter) Selecting(deliverables, packages []Selected) *Filter {
	names := func(all []Selected) (names []string) {
		for _, s := range all {
			names = append(names, s.Name)
		}
		return names
	}
	return &Filter{names(deliverables), names(packages), f.Codes, deliverables, packages}
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
	inPackage, inDeliverable := pkg != "", deliverable != ""
	if !inPackage {
		pkg = x.Package
		if layout.IsPackageID(x.Value) {
			pkg = x.Value
		}
	}
	if !inDeliverable && (layout.IsDeliverableID(x.Value) || layout.IsKnowledgeID(x.Value)) {
		deliverable = x.Value
	}
	return has(f.deliverables, deliverable, x.Path, inDeliverable) && has(f.packages, pkg, x.Path, inPackage)
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
	return has(f.deliverables, deliverable, folder, true) && has(f.packages, pkg, folder, true)
}

// has reports whether one of all selects what has an id; of none, everything is selected.
// What is inside of the folder that has the id must be in the right one.
func has(all []Selected, id, at string, inside bool) bool {
	if len(all) == 0 {
		return true
	}
	number := layout.Number(id)
	in := func(folder string) bool { return at == folder || strings.HasPrefix(at, folder+"/") }
	return id != "" && slices.ContainsFunc(all, func(s Selected) bool {
		return layout.Number(s.ID) == number && (!inside || len(s.Folders) == 0 || slices.ContainsFunc(s.Folders, in))
	})
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
