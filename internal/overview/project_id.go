package overview

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"

	"belay/internal/lazyregexp"
)

// ProjectID is the id of a project's folder: p_ and 16 hex digits of the SHA-256 of its
// path without symbolic links. It is the same in all processes at all times, as long as
// the folder stays where it is.
func ProjectID(projectRoot string) string {
	return placeOf(projectRoot).id
}

// place is where a project's folder really is.
type place struct{ id, real string }

func placeOf(projectRoot string) place {
	real, err := filepath.EvalSymlinks(projectRoot)
	if err != nil {
		real = filepath.Clean(projectRoot)
	}
	sum := sha256.Sum256([]byte(real))
	return place{"p_" + hex.EncodeToString(sum[:8]), real}
}

var idPattern = lazyregexp.New(`^p_[0-9a-f]{16}$`)

// idOf is [ProjectID], asked of the disk once.
func (v *Overview) idOf(projectRoot string) string { return v.placeOf(projectRoot).id }

// placeOf is where a folder really is, asked of the disk once.
func (v *Overview) placeOf(projectRoot string) place {
	v.mu.Lock()
	defer v.mu.Unlock()
	at, known := v.places[projectRoot]
	if !known {
		at = placeOf(projectRoot)
		v.places[projectRoot] = at
	}
	return at
}

// roots are the folders of all projects that callers may name, sorted.
func (v *Overview) roots() []string {
	all := v.o.Sessions.Projects()
	if v.o.Home != "" {
		all = append(all, v.o.Home)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if v.o.Allow != nil {
		all = slices.DeleteFunc(all, func(root string) bool { return v.o.Allow(root) != nil })
	}
	return v.distinct(all)
}

// distinct leaves one path of each folder: the one without links where it is among them, else
// the first.
func (v *Overview) distinct(roots []string) []string {
	first := make(map[string]string, len(roots))
	for _, root := range roots {
		at := v.placeOf(root)
		if _, known := first[at.id]; !known || root == at.real {
			first[at.id] = root
		}
	}
	return slices.DeleteFunc(roots, func(root string) bool { return first[v.idOf(root)] != root })
}

// named is the path by which a folder is listed: its own where no known project has it.
func (v *Overview) named(projectRoot string) string {
	if root, err := v.Root(v.idOf(projectRoot)); err == nil {
		return root
	}
	return projectRoot
}
