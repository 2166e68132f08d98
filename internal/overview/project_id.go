package overview

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"time"

	"belay/internal/lazyregexp"
)

// ProjectID is the id of a project's folder: p_ and 16 hex digits of the SHA-256 of its
// path without symbolic links. It is the same in all processes at all times, as long as
// the folder stays where it is.
func ProjectID(projectRoot string) string {
	return placeOf(projectRoot).id
}

// place is where a project's folder really is.
type place struct {
	id, real string
	asked    time.Time
}

func placeOf(projectRoot string) place {
	real, err := filepath.EvalSymlinks(projectRoot)
	if err != nil {
		real = filepath.Clean(projectRoot)
	}
	sum := sha256.Sum256([]byte(real))
	return place{id: "p_" + hex.EncodeToString(sum[:8]), real: real}
}

var idPattern = lazyregexp.New(`^p_[0-9a-f]{16}$`)

// idOf is [ProjectID] by what was asked last.
func (v *Overview) idOf(projectRoot string) string { return v.placeOf(projectRoot).id }

// placeTime is how long the place of a folder counts: a link may be made to lead elsewhere, and
// a folder may be mounted.
const placeTime = 10 * time.Second

// placeOf is where a folder really is, asked of the disk once in a while.
func (v *Overview) placeOf(projectRoot string) place {
	v.mu.Lock()
	at, known := v.places[projectRoot]
	v.mu.Unlock()
	if known && time.Since(at.asked) < placeTime {
		return at
	}
	at = placeOf(projectRoot) // a disk that hangs holds nobody else
	at.asked = time.Now()
	v.mu.Lock()
	v.places[projectRoot] = at
	v.mu.Unlock()
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
