// Package resolve finds the deliverable or the package that somebody names.
//
// Every command, request, tool and workflow that takes a name asks [Project], so all of
// them understand the same ones. A deliverable is named by
//
//	DEL-01-02                           its id, in any case and with any width of its numbers
//	DEL-01-02_Deck                      its folder's name; the label may be an older one
//	PKG-01::DEL-01-02                   its package and its id: the key
//	PKG-01_Bridge::DEL-01-02            the key with the folder of the package
//	PKG-01_Bridge/1_Working/DEL-01-02_… its folder, relative to the project or absolute
//	Deck                                its label, if it is the only one
//
// and a package by its id, folder or label. What is written exactly as in the project
// comes before what only means the same, so a name that fits one exactly is never
// ambiguous. A name that fits several is AMBIGUOUS_NAME, and details.candidates are names
// that each fit one of them. A name that fits none is DELIVERABLE_NOT_FOUND or NOT_FOUND,
// and details.nearest are the names that it may stand for.
package resolve

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

// Project is what a project has that can be named.
type Project struct {
	root                   string
	working, copies, types []*scan.Folder
	packages               []*scan.Package
	linked                 []finding.Finding
	// compared is how many unknown names were compared with all known ones.
	compared int
}

// In returns what a scan of a root found. Root is absolute. Hides says which paths do not
// exist for the one who asks; nil hides none.
func In(root string, r *scan.Result, hides func(path string) bool) *Project {
	p := &Project{root: root, working: r.Deliverables, copies: r.Copies, types: r.KnowledgeTypes, packages: r.Packages, linked: r.Linked()}
	if hides != nil {
		p.working, p.copies, p.types = shown(p.working, hides), shown(p.copies, hides), shown(p.types, hides)
		p.linked = slices.DeleteFunc(p.linked, func(f finding.Finding) bool { return hides(f.Path) })
		p.packages = nil
		for _, pkg := range r.Packages {
			if !hides(pkg.Path) {
				p.packages = append(p.packages, pkg)
			}
		}
	}
	return p
}

func shown(all []*scan.Folder, hides func(path string) bool) []*scan.Folder {
	return matching(all, func(f *scan.Folder) bool { return !hides(f.Path) })
}

// Deliverable returns the deliverable that is worked on and has this name.
func (p *Project) Deliverable(name string) (*scan.Folder, error) {
	found := p.named(p.working, name)
	switch len(found) {
	case 0:
		return nil, p.unknown(name)
	case 1:
		return found[0], nil
	}
	return nil, ambiguous("deliverables", name, p.names(found))
}

// Package returns the package that has this name.
func (p *Project) Package(name string) (*scan.Package, error) {
	found := p.packagesNamed(p.packages, name)
	switch len(found) {
	case 0:
		return nil, p.unknownPackage(name)
	case 1:
		return found[0], nil
	}
	var names []string
	for _, pkg := range found {
		names = append(names, pkg.Path)
	}
	return nil, ambiguous("packages", name, names)
}

// named returns those of all that a name fits.
func (p *Project) named(all []*scan.Folder, name string) []*scan.Folder {
	name = strings.TrimSpace(name)
	if name == "" {
		return nil
	}
	if at, ok := p.path(name); ok {
		return first(all, func(f *scan.Folder) bool { return f.Path == at }, func(f *scan.Folder) bool { return same(f.Path, at) })
	}
	if found := matching(all, func(f *scan.Folder) bool { return f.Key() == name }); len(found) > 0 {
		return found
	}
	if pkg, rest, ok := strings.Cut(name, "::"); ok {
		all, name = inPackage(all, strings.TrimSpace(pkg)), strings.TrimSpace(rest)
	}
	id := number(name)
	return first(all,
		func(f *scan.Folder) bool { return f.ID == name || f.Base() == name },
		func(f *scan.Folder) bool { return same(f.Base(), name) },
		func(f *scan.Folder) bool { return number(f.ID) == id },
		func(f *scan.Folder) bool { return f.Name != f.ID && same(label(f.Name), label(name)) },
	)
}

// inPackage returns those of all whose package has this name.
func inPackage(all []*scan.Folder, name string) []*scan.Folder {
	id := number(name)
	return first(all,
		func(f *scan.Folder) bool { return f.Package == name },
		func(f *scan.Folder) bool { return same(f.Package, name) },
		func(f *scan.Folder) bool { return f.PackageID() != "" && number(f.PackageID()) == id },
		func(f *scan.Folder) bool { return same(label(layout.ParseName(f.Package).Label), label(name)) },
	)
}

// packagesNamed returns those of all that a name fits.
func (p *Project) packagesNamed(all []*scan.Package, name string) []*scan.Package {
	name = strings.TrimSpace(name)
	if name == "" {
		return nil
	}
	if at, ok := p.path(name); ok {
		return first(all, func(pkg *scan.Package) bool { return pkg.Path == at }, func(pkg *scan.Package) bool { return same(pkg.Path, at) })
	}
	id := number(name)
	return first(all,
		func(pkg *scan.Package) bool { return pkg.Folder == name },
		func(pkg *scan.Package) bool { return same(pkg.Folder, name) },
		func(pkg *scan.Package) bool { return number(pkg.ID) == id },
		func(pkg *scan.Package) bool { return pkg.Name != pkg.ID && same(label(pkg.Name), label(name)) },
	)
}

// path is a name that is a path, relative to the project with slashes; one that leads out of the
// project fits nothing.
func (p *Project) path(name string) (string, bool) {
	name = filepath.FromSlash(name)
	if !strings.ContainsRune(name, filepath.Separator) {
		return "", false
	}
	rel := name
	if filepath.IsAbs(name) {
		var err error
		if rel, err = filepath.Rel(p.root, name); err != nil || !filepath.IsLocal(rel) {
			rel = throughLinks(p.root, name)
		}
	}
	return filepath.ToSlash(filepath.Clean(rel)), true
}

// throughLinks is a path relative to a root, both of them as their links lead, and the path as it
// is where one cannot be followed.
func throughLinks(root, name string) string {
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return name
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return name
	}
	rel, err := filepath.Rel(realRoot, real)
	if err != nil || !filepath.IsLocal(rel) {
		return name
	}
	return rel
}

// first returns those that the first test fits which fits any.
func first[T any](all []T, tests ...func(T) bool) []T {
	for _, fits := range tests {
		if found := matching(all, fits); len(found) > 0 {
			return found
		}
	}
	return nil
}

func matching[T any](all []T, fits func(T) bool) []T {
	var found []T
	for _, x := range all {
		if fits(x) {
			found = append(found, x)
		}
	}
	return found
}

// number is the id at the start of a name in the form in which ids are compared.
func number(name string) string {
	id, _, _ := strings.Cut(name, "_")
	return layout.Number(strings.ToUpper(id))
}

// label is a label as people read it: underlines are blanks.
func label(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "_", " ")), " ")
}

// same compares as file systems do that ignore case and the form of letters.
func same(a, b string) bool { return strings.EqualFold(norm.NFC.String(a), norm.NFC.String(b)) }
