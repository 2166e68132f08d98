package shell

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/tool/risk"
)

// trackedFiles are the files of a project that its repository has: git ignores none of them,
// whatever a .gitignore says. Where that is not known, nothing counts as ignored.
type trackedFiles struct {
	names map[string]bool
	known bool
}

// trackedIn reads the index of the repository that a project is in, which may be the one of a
// folder around it.
func trackedIn(project string) trackedFiles {
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real
	}
	for top := project; ; top = filepath.Dir(top) {
		git, err := risk.Repository(top)
		if errors.Is(err, fs.ErrNotExist) {
			if filepath.Dir(top) == top {
				return trackedFiles{known: true}
			}
			continue
		}
		if err != nil {
			return trackedFiles{}
		}
		index, _, err := durable.ReadFile(nil, filepath.Join(git, "index"), maxComparedIndex)
		if errors.Is(err, fs.ErrNotExist) {
			return trackedFiles{known: true} // nothing was added yet
		}
		entries, ok := indexEntries(index)
		if err != nil || !ok {
			return trackedFiles{}
		}
		below := ""
		if rel, err := filepath.Rel(top, project); err != nil {
			return trackedFiles{}
		} else if rel != "." {
			below = filepath.ToSlash(rel) + "/"
		}
		names := make(map[string]bool, len(entries))
		for _, e := range entries {
			if name, in := strings.CutPrefix(string(e[entryNamed:]), below); in {
				names[name] = true
			}
		}
		return trackedFiles{names, true}
	}
}
