package index

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/workspace/layout"
)

// What agents propose for registers lies in belay's own folder, which is no part of a
// project's content. The index only says that there is something new.

// belayFolder is the folder with that of the proposals.
var belayFolder = path.Dir(layout.Proposals)

// isBelay reports whether a path is belay's own folder or lies in it.
func isBelay(rel string) bool { return rel == belayFolder || strings.HasPrefix(rel, belayFolder+"/") }

// followProposals watches their folder, and the one above, in which it will be made. Where
// they cannot be watched, the next look at the whole project tells.
func (x *root) followProposals() {
	for _, rel := range []string{belayFolder, layout.Proposals} {
		_, _ = x.watch.add(rel)
	}
}

// noteProposals takes an event of belay's own folder.
func (x *root) noteProposals(e event) {
	switch {
	case e.path == belayFolder || e.path == layout.Proposals:
		if e.came { // what was made in it before the watch is not reported
			x.followProposals()
			x.proposals = true
		}
	case path.Dir(e.path) == layout.Proposals && !strings.HasPrefix(path.Base(e.path), durable.TempPrefix):
		x.proposals = true
	}
}

// lookAtProposals compares the time at which their folder was changed, which every
// proposal changes, with that of the last look.
func (x *root) lookAtProposals() {
	at := x.proposalsTime()
	x.proposals = x.proposals || !at.Equal(x.proposed)
	x.proposed = at
}

// proposalsTime is when their folder was changed, zero where there is none.
func (x *root) proposalsTime() time.Time {
	info, err := os.Lstat(filepath.Join(x.path, filepath.FromSlash(layout.Proposals)))
	if err != nil || !info.IsDir() {
		return time.Time{}
	}
	return info.ModTime()
}
