package shell

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace/gitdir"
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
	top, git, err := gitdir.Find(project)
	if errors.Is(err, fs.ErrNotExist) {
		return trackedFiles{known: true}
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
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		return trackedFiles{}
	}
	below, err := filepath.Rel(top, real)
	if err != nil {
		return trackedFiles{}
	}
	if below = filepath.ToSlash(below) + "/"; below == "./" {
		below = ""
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		if name, in := strings.CutPrefix(string(e[entryNamed:]), below); in {
			names[name] = true
		}
	}
	return trackedFiles{names, true}
}
