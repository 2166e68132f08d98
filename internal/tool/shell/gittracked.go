package shell

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/durable"
)

// trackedFiles are the files of a project that its repository has: git ignores none of them,
// whatever a .gitignore says. Where that is not known, nothing counts as ignored.
type trackedFiles struct {
	names map[string]bool
	known bool
}

// maxGitPointer is how large a file .git may be that says where the repository is.
const maxGitPointer = 4 << 10

// trackedIn reads the index of the repository that a project is in, which may be the one of a
// folder around it.
func trackedIn(project string) trackedFiles {
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real
	}
	for top := project; ; top = filepath.Dir(top) {
		git, err := repositoryOf(top)
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

// repositoryOf is the folder of the repository whose files are in top. That of a worktree or a
// submodule is elsewhere, and a file says where.
func repositoryOf(top string) (string, error) {
	at := filepath.Join(top, ".git")
	info, err := os.Lstat(at)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		_, err := os.Lstat(filepath.Join(at, "HEAD")) // without one git looks further up
		return at, err
	}
	text, _, err := durable.ReadFile(nil, at, maxGitPointer)
	if err != nil {
		return "", errors.New("the repository cannot be found") // not that there is none
	}
	to, ok := strings.CutPrefix(string(text), "gitdir: ")
	if !ok {
		return "", errors.New("the repository cannot be found")
	}
	if to = strings.TrimRight(to, "\r\n"); !filepath.IsAbs(to) {
		to = filepath.Join(top, to)
	}
	return to, nil
}
