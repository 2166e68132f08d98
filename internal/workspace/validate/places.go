package validate

import (
	"path"
	"strings"
	"sync"

	"belay/internal/workspace/dir"
)

// places knows which files and folders a project has. It is safe for concurrent
// use, and looks at each path once.
type places struct {
	top  dir.Dir
	mu   sync.Mutex
	kind map[string]dir.Kind
}

func newPlaces(top dir.Dir) *places { return &places{top: top, kind: map[string]dir.Kind{}} }

// folder opens a folder of the project; "." is the project.
func (p *places) folder(rel string) (dir.Dir, error) { return dir.Descend(p.top, rel) }

// statBelow is Stat of a path below a folder.
func statBelow(d dir.Dir, rel string) (kind dir.Kind, size, modified int64) {
	above, base := path.Split(rel)
	if above == "" {
		return d.Stat(base)
	}
	at, err := dir.Descend(d, strings.TrimSuffix(above, "/"))
	if err != nil {
		return dir.Missing, 0, 0
	}
	defer at.Close()
	return at.Stat(base)
}

// maxPath is how long a path may be that is looked for, in bytes: no system opens a
// longer one.
const maxPath = 4096

// is reports what a path of the project is; what leads out of it is missing.
func (p *places) is(rel string) dir.Kind {
	rel = path.Clean(rel)
	switch {
	case rel == ".":
		return dir.Folder
	case rel == ".." || strings.HasPrefix(rel, "../") || path.IsAbs(rel) || len(rel) > maxPath || strings.ContainsRune(rel, 0):
		return dir.Missing
	}
	p.mu.Lock()
	kind, known := p.kind[rel]
	p.mu.Unlock()
	if !known {
		kind, _, _ = statBelow(p.top, rel)
		p.mu.Lock()
		p.kind[rel] = kind
		p.mu.Unlock()
	}
	return kind
}

// has reports whether the project has a file or folder of this path; a link
// counts, wherever it leads.
func (p *places) has(rel string) bool { return p.is(rel) != dir.Missing }

// find looks for a path that people wrote from some folder above the project, as
// in execution/_Decomposition/x.md: it returns the longest end of it that the
// project has. Known is set where the project has the first part of some end, so
// that a path that is not there is known to be missing.
func (p *places) find(written string) (rel string, known bool) {
	if len(written) > maxPath {
		return "", false
	}
	parts := strings.Split(strings.Trim(path.Clean("/"+written), "/"), "/")
	for i := range parts {
		if end := path.Join(parts[i:]...); p.has(end) {
			return end, true
		}
		known = known || i < len(parts)-1 && p.is(parts[i]) == dir.Folder
	}
	return "", known
}
