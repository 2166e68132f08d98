package resolve

import (
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/scan"
)

// Defined tells what a project defines without a folder: the id of a deliverable or a package
// with this number ([layout.Number]), "" for none. Nil knows of nothing.
type Defined func(number string) string

// Filter returns a filter whose names stand for what the project has or defines. An id, alone
// or with a label, selects every folder that has it, also of copies; a key, a path and a label
// only the folders that they fit. The error is that of the first name that fits nothing.
func (p *Project) Filter(f *finding.Filter, deliverable, pkg Defined) (*finding.Filter, error) {
	if !f.ByPlace() {
		return f, nil
	}
	deliverables, err := selected(f.Deliverables, func(name string) (finding.Selected, error) { return p.selectDeliverable(name, deliverable) })
	if err != nil {
		return nil, err
	}
	packages, err := selected(f.Packages, func(name string) (finding.Selected, error) { return p.selectPackage(name, pkg) })
	if err != nil {
		return nil, err
	}
	return f.Selecting(deliverables, packages), nil
}

// selected looks up names. One with commas that is no name as a whole is several.
func selected(names []string, look func(string) (finding.Selected, error)) (all []finding.Selected, err error) {
	for _, name := range names {
		one, err := look(name)
		if err == nil {
			all = append(all, one)
			continue
		}
		parts := strings.Split(name, ",")
		if len(parts) == 1 || fault.Is(err, fault.AmbiguousName) {
			return nil, err
		}
		for _, part := range parts {
			one, err := look(part)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	return all, nil
}

func (p *Project) selectDeliverable(name string, defined Defined) (finding.Selected, error) {
	all := slices.Concat(p.working, p.types, p.copies)
	found := p.named(all, name)
	if len(found) == 0 {
		if id := defined.id(name); id != "" {
			return finding.Selected{Name: id, ID: id}, nil
		}
		return finding.Selected{}, p.unknown(name)
	}
	id := number(found[0].ID)
	if slices.ContainsFunc(found, func(f *scan.Folder) bool { return number(f.ID) != id }) {
		return finding.Selected{}, ambiguous("deliverables", name, p.names(found))
	}
	one := finding.Selected{Name: found[0].ID, ID: found[0].ID}
	others := matching(all, func(f *scan.Folder) bool { return number(f.ID) == id && !slices.Contains(found, f) })
	if number(name) == id || len(others) == 0 {
		return one, nil
	}
	one.Name = found[0].Key()
	for _, f := range found {
		one.Folders = append(one.Folders, f.Path)
	}
	return one, nil
}

func (p *Project) selectPackage(name string, defined Defined) (finding.Selected, error) {
	found := p.packagesNamed(p.packages, name)
	if len(found) == 0 {
		if id := defined.id(name); id != "" {
			return finding.Selected{Name: id, ID: id}, nil
		}
		return finding.Selected{}, p.unknownPackage(name)
	}
	id := number(found[0].ID)
	if slices.ContainsFunc(found, func(pkg *scan.Package) bool { return number(pkg.ID) != id }) {
		_, err := p.Package(name) // which says which ones
		return finding.Selected{}, err
	}
	one := finding.Selected{Name: found[0].ID, ID: found[0].ID}
	others := matching(p.packages, func(pkg *scan.Package) bool { return number(pkg.ID) == id && !slices.Contains(found, pkg) })
	if number(name) == id && !strings.Contains(name, "_") || len(others) == 0 {
		return one, nil
	}
	one.Name = found[0].Folder
	for _, pkg := range found {
		one.Folders = append(one.Folders, pkg.Path)
	}
	return one, nil
}

// id is that of a name without a folder.
func (d Defined) id(name string) string {
	if d == nil {
		return ""
	}
	return d(number(strings.TrimSpace(name)))
}
