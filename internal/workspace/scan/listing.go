package scan

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/workspace/finding"
)

// Listing is a result as clients get it: the compatible members first, in the
// order of the contract, then what belay adds. Paths are absolute.
type Listing struct {
	ProjectRoot            string                 `json:"projectRoot"`
	ScannedAt              string                 `json:"scannedAt"`
	Deliverables           []ListedDeliverable    `json:"deliverables"`
	KnowledgeDecomposition KnowledgeDecomposition `json:"knowledgeDecomposition"`
	KnowledgeTypes         []ListedType           `json:"knowledgeTypes"`
	Truncated              bool                   `json:"truncated"`

	Packages []ListedPackage `json:"packages"`
	// Copies are the deliverables that are archived, in review, issued or astray.
	Copies           []ListedCopy      `json:"copies"`
	KnowledgeFolders []ListedFolder    `json:"knowledgeFolders"`
	ToolRoots        []ListedRoot      `json:"toolRoots"`
	Findings         []finding.Finding `json:"findings"`
}

// ListedDeliverable is an element of deliverables.
type ListedDeliverable struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Pkg    string `json:"pkg"`
	Status string `json:"status"`
	Path   string `json:"path"`
	// RecordedState is what the file says where Status is unknown.
	RecordedState string `json:"recordedState,omitempty"`
}

// ListedCopy is an element of copies.
type ListedCopy struct {
	ListedDeliverable
	Place Place `json:"place"`
}

// KnowledgeDecomposition says whether knowledge types are a choice in this project
// (workspace 15.2).
type KnowledgeDecomposition struct {
	Enabled bool `json:"enabled"`
	// MarkerFile is null where no document has the marker.
	MarkerFile *string `json:"markerFile"`
}

// ListedType is a knowledge type with the deliverables that have it. Types are
// listed whether or not they are a choice, as the specification's example does.
type ListedType struct {
	ID                      string   `json:"id"`
	Label                   string   `json:"label"`
	MatchingDeliverableKeys []string `json:"matchingDeliverableKeys"`
}

// ListedPackage is a package with how many deliverables are worked on in it.
type ListedPackage struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Folder       string `json:"folder"`
	Path         string `json:"path"`
	Deliverables int    `json:"deliverables"`
}

// ListedFolder is the folder of a knowledge type.
type ListedFolder struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Pkg    string `json:"pkg"`
	Status string `json:"status"`
	Path   string `json:"path"`
}

// ListedRoot is a tool root; Known is set for those of the specification.
type ListedRoot struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Known bool   `json:"known"`
}

// Listing returns the result of a scan of root at a time.
func (r *Result) Listing(root string, at time.Time) *Listing {
	l := &Listing{
		ProjectRoot: root, ScannedAt: Moment(at), Truncated: r.Truncated,
		Deliverables: make([]ListedDeliverable, len(r.Deliverables)), KnowledgeTypes: r.types(),
		Packages: make([]ListedPackage, len(r.Packages)), Copies: make([]ListedCopy, len(r.Copies)),
		KnowledgeFolders: make([]ListedFolder, len(r.KnowledgeTypes)), ToolRoots: make([]ListedRoot, len(r.ToolRoots)),
		Findings: append([]finding.Finding{}, r.Findings...),
	}
	for i, f := range r.Deliverables {
		l.Deliverables[i] = f.Listed(root)
	}
	for i, f := range r.Copies {
		l.Copies[i] = ListedCopy{f.Listed(root), f.Place}
	}
	for i, f := range r.KnowledgeTypes {
		l.KnowledgeFolders[i] = ListedFolder{ID: f.ID, Name: f.Name, Pkg: f.Package, Status: f.Status, Path: absolute(root, f.Path)}
	}
	counts := map[string]int{}
	for _, f := range r.Deliverables {
		counts[f.packagePath]++
	}
	for i, p := range r.Packages {
		l.Packages[i] = ListedPackage{ID: p.ID, Name: p.Name, Folder: p.Folder, Path: absolute(root, p.Path), Deliverables: counts[p.Path]}
	}
	for i, t := range r.ToolRoots {
		l.ToolRoots[i] = ListedRoot{Name: t.Name, Path: absolute(root, t.Name), Known: t.Known}
	}
	if r.Marker != "" {
		file := absolute(root, r.Marker)
		l.KnowledgeDecomposition = KnowledgeDecomposition{Enabled: true, MarkerFile: &file}
	}
	return l
}

// types are the knowledge types that some deliverable has, each with the keys of
// those, sorted and unique. Each key is made and sorted once for all types.
func (r *Result) types() []ListedType {
	type keyed struct {
		key   string
		files Files
	}
	all := make([]keyed, len(r.Deliverables))
	for i, f := range r.Deliverables {
		all[i] = keyed{f.Key(), f.Files}
	}
	slices.SortFunc(all, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	unique := all[:0]
	for _, d := range all {
		if last := len(unique) - 1; last >= 0 && unique[last].key == d.key {
			unique[last].files |= d.files
		} else {
			unique = append(unique, d)
		}
	}
	types := []ListedType{}
	for _, k := range Knowledge() {
		has := make([]string, 0, len(unique))
		for _, d := range unique {
			if d.files.HasAny(k.Files) {
				has = append(has, d.key)
			}
		}
		if len(has) > 0 {
			types = append(types, ListedType{ID: k.ID, Label: k.Label, MatchingDeliverableKeys: has})
		}
	}
	return types
}

// Listed is the folder as listings of a root have it.
func (f *Folder) Listed(root string) ListedDeliverable {
	return ListedDeliverable{ID: f.ID, Name: f.Name, Pkg: f.Package, Status: f.Status, Path: absolute(root, f.Path), RecordedState: f.Recorded}
}

// absolute joins the root and a clean path in it. A listing has tens of thousands, so
// it does not go through [filepath.Join], which cleans both each time.
func absolute(root, rel string) string {
	if rel == "" || rel == "." || strings.HasSuffix(root, string(filepath.Separator)) {
		return filepath.Join(root, filepath.FromSlash(rel))
	}
	return root + string(filepath.Separator) + filepath.FromSlash(rel)
}

// Moment is a time as the compatible contract writes it: UTC, with milliseconds.
func Moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
