package scan

import (
	"path"
	"strings"

	"belay/internal/workspace/layout"
)

// where is what the folders above one mean for it.
type where struct {
	// pkg is the path of the package that it is in, "" for none.
	pkg string
	// area is the place of deliverables here, "" outside of packages and directly
	// in one.
	area Place
	// decomposition is set in a folder of decomposition documents.
	decomposition bool
}

// into is where the contents of a folder are, whose path and last part are given.
func (w where) into(path, name string) where {
	next := where{pkg: w.pkg, area: w.area}
	if w.pkg == "" && layout.ParseName(name).Kind == layout.Package {
		next.pkg = path
		return next
	}
	switch {
	case strings.EqualFold(name, layout.Archive):
		next.area = Archived
	case w.area == Working:
		next.area = Elsewhere // a deliverable belongs directly into 1_Working
	case w.area != "":
	case w.pkg != "":
		next.area = area(name)
	case name[0] == '_':
		// What a tool root has of packages are copies.
		next.area, next.decomposition = Derived, name == layout.Decomposition
	}
	return next
}

// area is the place of deliverables in a folder of a package.
func area(name string) Place {
	switch name {
	case layout.Working:
		return Working
	case layout.Checking:
		return Checking
	case layout.Issued:
		return Issued
	}
	return Elsewhere
}

// isPackage reports whether a folder here is a package of the project, by its
// name, and not a copy of one.
func (w where) isPackage(n layout.Name) bool {
	return n.Kind == layout.Package && w.pkg == "" && w.area == ""
}

// place is that of a deliverable's folder in w.
func (w where) place() Place {
	if w.area == "" {
		return Elsewhere
	}
	return w.area
}

// whereIs is where the contents of the folder rel are; "." is the root.
func whereIs(rel string) where {
	var w where
	if rel == "." {
		return w
	}
	for i := 0; i < len(rel); {
		end := len(rel)
		if n := strings.IndexByte(rel[i:], '/'); n >= 0 {
			end = i + n
		}
		w = w.into(rel[:end], rel[i:end])
		i = end + 1
	}
	return w
}

// LeavesOut reports whether a scan leaves a folder of this name out: belay's own
// memory, that of git, and what builds leave after (compatible contract, 8.4).
func LeavesOut(name string) bool {
	switch name {
	case "node_modules", "dist", "dist-electron", "out", ".next":
		return true
	}
	return name[0] == '.' && (strings.EqualFold(name, ".git") || strings.EqualFold(name, ".belay"))
}

// Matters reports whether the result of a scan may depend on a file of this path
// beyond its folder's own name.
func Matters(rel string) bool {
	dir, base := path.Split(rel)
	return fileBit([]byte(base)) != 0 || layout.ParseName(base).Kind != layout.Other ||
		strings.HasSuffix(base, ".md") && path.Base(dir) == layout.Decomposition
}
