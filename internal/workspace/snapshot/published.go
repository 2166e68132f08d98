package snapshot

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace"
	"belay/internal/workspace/document"
	"belay/internal/workspace/layout"
)

// Published is a snapshot that is in a project.
type Published struct {
	// Path is the folder's, relative to the project, with slashes: ToolRoot and Name.
	Path     string `json:"path"`
	ToolRoot string `json:"toolRoot"`
	Name     string `json:"name"`
	// Latest is set where the tool root's _LATEST.md points to it.
	Latest bool `json:"latest"`
	// Sealed is set where it has a manifest. Only such a snapshot can be verified.
	Sealed bool `json:"sealed"`
}

// The bounds of a listing.
const (
	// MaxPublished is how many snapshots are listed.
	MaxPublished = 2000
	// maxDepth is how deep tool roots are looked into.
	maxDepth = 4
	maxNames = 50_000
)

// Publications lists the snapshots in a project's tool roots, by tool root, the newest
// first. Root is the project's absolute path. More is set where there are more than
// [MaxPublished]. Hides says what is left out, by its path; nil hides nothing.
func Publications(ctx context.Context, root string, hides func(rel string) bool) (all []Published, more bool, err error) {
	project, err := workspace.OpenProject(root)
	if err != nil {
		return nil, false, err
	}
	defer project.Close()
	l := lister{ctx: ctx, project: project, hides: hides}
	if err := l.folder(".", 0); err != nil && !errors.Is(err, fs.SkipAll) {
		return nil, false, err
	}
	slices.SortFunc(l.all, func(a, b Published) int {
		if c := strings.Compare(a.ToolRoot, b.ToolRoot); c != 0 {
			return c
		}
		return newer(a.Name, b.Name)
	})
	return l.all, l.more, nil
}

type lister struct {
	ctx     context.Context //nolint:containedctx // it lives for one call
	project *os.Root
	hides   func(string) bool
	all     []Published
	more    bool
}

// folder lists the snapshots of a folder and of those in it.
func (l *lister) folder(at string, depth int) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	folder, err := durable.OpenFolder(l.project, at)
	if err != nil {
		return nil //nolint:nilerr // what cannot be opened has no snapshots that people see
	}
	defer folder.Close()
	f, err := folder.Open(".")
	if err != nil {
		return nil //nolint:nilerr // likewise
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxNames) // what was read before an error counts
	latest := ""
	for _, e := range entries {
		rel := path.Join(at, e.Name())
		switch {
		case !e.IsDir() || depth == 0 && e.Name()[0] != '_' || e.Name()[0] == '.' || l.hides != nil && l.hides(rel):
		case layout.IsSnapshot(e.Name()):
			if len(l.all) == MaxPublished {
				l.more = true
				return fs.SkipAll
			}
			if latest == "" {
				latest = pointedTo(folder)
			}
			_, err := folder.Lstat(path.Join(e.Name(), ManifestFile))
			l.all = append(l.all, Published{rel, at, e.Name(), e.Name() == latest, err == nil})
		case depth < maxDepth:
			if err := l.folder(rel, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// pointedTo is the snapshot that a folder's _LATEST.md names, "-" for none.
func pointedTo(folder *os.Root) string {
	const none, most = "-", 64 << 10
	data, _, err := durable.ReadFile(folder, layout.LatestFile, most)
	if err != nil {
		return none
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "Latest:"); ok {
			return strings.TrimSuffix(strings.Trim(strings.TrimSpace(name), "`"), "/")
		}
	}
	if f, ok := document.Parse(data).Field("Latest"); ok {
		return strings.TrimSuffix(strings.Trim(f.Value, "`"), "/")
	}
	return none
}
