package index

import (
	"maps"
	"path"
	"slices"
	"time"

	"belay/internal/workspace/scan"
)

const (
	// maxScopes is how many folders are scanned one by one.
	maxScopes = 128
	// maxRounds is how often folders that come while one looks are followed.
	maxRounds = 8
)

func (x *root) scan(rel string) (*scan.Result, error) {
	begun := time.Now()
	r, err := scan.Under(x.life, x.path, rel, scan.Options{Visited: true, Stamps: x.watch == nil})
	if rel == "." {
		x.cost = time.Since(begun)
	}
	return r, err
}

// pending reports whether there is something to do.
func (x *root) pending() bool {
	return x.doubt || len(x.scopes) > 0 || len(x.changed) > 0 || x.more || x.proposals
}

// refresh looks at what has to be looked at and makes the next snapshot where
// something has changed.
func (x *root) refresh() error {
	if !x.pending() && !x.unsettled {
		return nil
	}
	if x.settle(); !x.pending() {
		return nil
	}
	result, err := x.look()
	if err != nil {
		return err
	}
	x.publish(result)
	return nil
}

// settle completes or takes back what a process that died has left half done. Where that
// fails, every question tries again; the project is looked at anew once it succeeds.
func (x *root) settle() {
	err := x.set.o.Settle(x.life, x.path)
	switch {
	case err == nil:
		x.doubt = x.doubt || x.unsettled
	case !x.unsettled && x.life.Err() == nil:
		x.set.o.Logger.Warn("files of a project may be half changed", "project", x.path, "error", err)
	}
	x.unsettled = err != nil
}

// look returns what the project holds now.
func (x *root) look() (*scan.Result, error) {
	result := x.result
	for range maxRounds {
		whole := x.doubt || len(x.scopes) > maxScopes || (result.Truncated || result.MoreFindings > 0) && len(x.scopes) > 0
		scopes := outermost(x.scopes)
		x.doubt, x.scopes = false, map[string]bool{}
		switch {
		case whole:
			next, err := x.scan(".")
			if err != nil {
				return nil, err
			}
			result, x.moved["."] = next, true
		case len(scopes) == 0:
			return result, nil
		default:
			parts := make(map[string]*scan.Result, len(scopes))
			for _, rel := range scopes {
				part, err := x.scan(rel)
				if err != nil && x.life.Err() == nil {
					x.doubt = true // a part that cannot be looked at: the whole says why
					break
				}
				if err != nil {
					return nil, err
				}
				parts[rel] = part
			}
			if x.doubt {
				continue
			}
			result = result.Replace(parts)
		}
		if x.watch == nil {
			return result, nil
		}
		// What is in a folder that was not watched until now may have come before
		// the watch and after the look.
		for _, rel := range x.keepUp(result) {
			x.scopes[rel] = true
		}
		if len(x.scopes) == 0 && !x.doubt {
			return result, nil
		}
	}
	x.doubt = true // folders come faster than they are followed; the next look goes on
	return result, nil
}

// lies reports whether a path is one of the folders or is in one; the root does
// not count.
func lies(rel string, folders map[string]bool) bool {
	for ; rel != "."; rel = path.Dir(rel) {
		if folders[rel] {
			return true
		}
	}
	return false
}

// outermost are the scopes in no other.
func outermost(scopes map[string]bool) []string {
	var all []string
	for _, rel := range slices.Sorted(maps.Keys(scopes)) {
		if !lies(path.Dir(rel), scopes) {
			all = append(all, rel)
		}
	}
	return all
}

// publish makes the next snapshot of a result where anything is not as it was.
func (x *root) publish(result *scan.Result) {
	x.lookAtProposals()
	d := difference(x.result, result)
	x.result = result
	for _, path := range d.touched {
		x.change(path)
	}
	if len(d.deltas) == 0 && !d.layout && len(x.changed) == 0 && !x.more && !x.proposals {
		return
	}
	c := Change{
		Version: x.now.Version + 1, Paths: slices.Sorted(maps.Keys(x.changed)), More: x.more, Deliverables: d.deltas, Layout: d.layout,
		Proposals: x.proposals,
	}
	x.changed, x.more, x.proposals = map[string]bool{}, false, false
	next := &Snapshot{Root: x.path, Version: c.Version, Mode: x.now.Mode, Layout: x.now.Layout}
	if len(d.deltas) > 0 || d.layout {
		next.Layout = &Layout{Result: result, At: x.set.o.Clock()}
	}
	x.now = next
	x.journal.add(c)
}

// change notes a changed path.
func (x *root) change(path string) {
	if len(x.changed) < maxPaths {
		x.changed[path] = true
	} else {
		x.more = x.more || !x.changed[path]
	}
}
