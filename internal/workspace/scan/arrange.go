package scan

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// arrange puts what walks found in order. The folders of the records are sorted, so
// that [Result.Replace] has few to put in their place.
func arrange(raw records) *Result {
	slices.SortFunc(raw.folders, inOrder)
	raw.findings.cut()
	r := &Result{Folders: raw.entered, Visited: raw.visited, Truncated: raw.cut, raw: raw}
	top := topPackages(raw.packages)
	for _, p := range raw.packages {
		if !top || isTop(p.Path) {
			r.Packages = append(r.Packages, p)
		}
	}
	slices.SortFunc(r.Packages, func(a, b *Package) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path))
	})
	for _, f := range raw.folders {
		if top && f.Place != Archived && f.packagePath != "" && !isTop(f.packagePath) {
			f = f.foreign()
		}
		switch {
		case f.Place == Working && f.Kind == layout.KnowledgeType:
			r.KnowledgeTypes = append(r.KnowledgeTypes, f)
		case f.Kind == layout.KnowledgeType:
		case f.Place == Working:
			r.Deliverables = append(r.Deliverables, f)
		case f.Place == Elsewhere || f.Place == Derived:
			if f.Files.Has(Status) { // else it is only called like one
				r.Copies = append(r.Copies, f)
			}
		default:
			r.Copies = append(r.Copies, f)
		}
	}
	r.ToolRoots = slices.SortedFunc(slices.Values(raw.toolRoots), func(a, b *ToolRoot) int { return cmp.Compare(a.Name, b.Name) })
	r.Marker = r.marker()
	found := firstFindings{slices.Concat(raw.findings.all, r.conflicts()), raw.findings.more}
	found.cut()
	if r.Findings, r.MoreFindings = found.all, found.more; found.more > 0 {
		r.Findings = append(r.Findings, ruleMore.At("", 0, "%d more findings are not listed", found.more))
	}
	return r
}

// topPackages reports whether the root itself has packages. Those of folders
// further down then belong to other projects; where it has none, the project is
// in a folder of the root.
func topPackages(all []*Package) bool {
	return slices.ContainsFunc(all, func(p *Package) bool { return isTop(p.Path) })
}

func isTop(path string) bool { return path != "" && !strings.Contains(path, "/") }

// foreign is f in a project of its own inside this one.
func (f *Folder) foreign() *Folder {
	g := *f
	g.Place, g.foreignTo = Elsewhere, path.Dir(f.packagePath)
	return &g
}

// inOrder compares by package and id. Ids compare character by character; a
// package comes before one whose id begins with its own.
func inOrder(a, b *Folder) int {
	if a.packagePath != b.packagePath {
		if c := cmp.Or(cmp.Compare(id(a.Package), id(b.Package)), cmp.Compare(a.packagePath, b.packagePath)); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path))
}

// marker is the first document with a marker: of the root, then of folders that
// have packages.
func (r *Result) marker() string {
	best := ""
	for _, m := range slices.Sorted(slices.Values(r.raw.markers)) {
		home := path.Dir(path.Dir(m))
		if home == "." {
			return m
		}
		if best == "" && slices.ContainsFunc(r.Packages, func(p *Package) bool { return path.Dir(p.Path) == home }) {
			best = m
		}
	}
	return best
}

// conflicts are the findings about folders that do not go together.
func (r *Result) conflicts() []finding.Finding {
	var all []finding.Finding
	packages := make(map[identity]*Package, len(r.Packages))
	for _, p := range r.Packages {
		if at := identityOf(p.ID, p.Path); packages[at] == nil {
			packages[at] = p
		} else {
			all = append(all, ruleSamePackage.At(p.Path, 0, "%s has the id %s too", finding.Shown(packages[at].Path), packages[at].ID).Of(p.ID))
		}
	}
	first := make(map[identity]*Folder, len(r.Deliverables))
	for _, f := range r.Deliverables {
		if at := identityOf(f.ID, f.packagePath); first[at] == nil {
			first[at] = f
		} else {
			all = append(all, ruleSameDeliverable.At(f.Path, 0, "%s has the id %s too", finding.Shown(first[at].Path), first[at].ID).Of(f.ID))
		}
	}
	for _, f := range r.Copies {
		if f.Place == Elsewhere && f.foreignTo == "" {
			all = append(all, ruleAstray.At(f.Path, 0, "%s is where no deliverable belongs", f.ID).Of(f.ID))
		}
	}
	return append(all, r.nested()...)
}

// identity is an id in one of the projects of a folder, which may have several.
type identity struct{ home, id string }

// identityOf is that of what has an id and belongs to the package in a path.
func identityOf(id, pkg string) identity {
	if isTop(pkg) {
		return identity{id: short(id)}
	}
	return identity{path.Dir(pkg), short(id)}
}

// short is an id with two digits for its package where two are enough: DEL-001-02
// is DEL-01-02. It costs nothing where the id is short already.
func short(id string) string {
	if n := strings.IndexByte(id, '-') + 1; len(id) > n+2 && id[n] == '0' && id[n+2] != '-' {
		return id[:n] + id[n+1:]
	}
	return id
}

// nested are the findings about projects inside this one.
func (r *Result) nested() []finding.Finding {
	var all []finding.Finding
	seen := map[string]bool{}
	for _, p := range r.raw.packages {
		if home := path.Dir(p.Path); len(r.Packages) < len(r.raw.packages) && home != "." && !seen[home] {
			seen[home] = true
			all = append(all, ruleNested.At(home, 0, "has packages of its own; they do not count as this project's"))
		}
	}
	return all
}

// Replace returns the result with what parts, the outcomes of [Under] by their
// folders, found in these folders in place of what was known of them. No folder
// is in another one. Findings that were left out ([Result.MoreFindings]) stay so.
func (r *Result) Replace(parts map[string]*Result) *Result {
	if whole := parts["."]; whole != nil {
		return whole
	}
	replaced := slices.Collect(maps.Keys(parts))
	below := func(path string) bool {
		return slices.ContainsFunc(replaced, func(rel string) bool {
			return strings.HasPrefix(path, rel) && (len(path) == len(rel) || path[len(rel)] == '/')
		})
	}
	raw := records{
		packages:  keep(r.raw.packages, func(p *Package) bool { return !below(p.Path) }),
		folders:   keep(r.raw.folders, func(f *Folder) bool { return !below(f.Path) }),
		toolRoots: keep(r.raw.toolRoots, func(t *ToolRoot) bool { return !below(t.Name) }),
		markers:   keep(r.raw.markers, func(m string) bool { return !below(m) }),
		findings:  firstFindings{keep(r.raw.findings.all, func(f finding.Finding) bool { return !below(f.Path) }), r.raw.findings.more},
		visited:   keep(r.raw.visited, func(v string) bool { return !below(v) }),
		entered:   r.raw.entered,
		cut:       r.raw.cut,
	}
	for _, part := range parts {
		raw.add(&part.raw)
	}
	if raw.visited != nil {
		raw.entered = len(raw.visited)
	}
	return arrange(raw)
}

func keep[T any](all []T, want func(T) bool) []T {
	kept := make([]T, 0, len(all)+4)
	for _, v := range all {
		if want(v) {
			kept = append(kept, v)
		}
	}
	return kept
}
