package shell

import (
	"errors"
	"path"
	"slices"
	"strings"

	"belay/internal/journal"
)

var errGit = errors.New("the configuration and the hooks of Git are programs that run with the user's rights")

const nameGit = ".git"

// insideGit splits a path at its first .git component: the repository's folder, and
// the rest below it.
func insideGit(name string) (repository, rest string, in bool) {
	parts := strings.Split(name, "/")
	i := slices.IndexFunc(parts, func(s string) bool { return strings.EqualFold(s, nameGit) }) // some systems know no difference
	if i < 0 {
		return "", "", false
	}
	return path.Join(parts[:i+1]...), path.Join(parts[i+1:]...), true
}

// gitProtected reports whether a path in a .git folder decides which programs Git
// runs.
func gitProtected(rest string) bool {
	base := path.Base(rest)
	return base == "config" || base == "config.worktree" || base == "commondir" || slices.Contains(strings.Split(rest, "/"), "hooks")
}

// newRepositories are the .git folders that the command made.
func newRepositories(changes []journal.Change) map[string]bool {
	made := map[string]bool{}
	for _, c := range changes {
		if repo, rest, in := insideGit(string(c.Path)); in && rest == "" && c.Op == journal.Mkdir {
			made[repo] = true
		}
	}
	return made
}

// gitChange returns why a change of what decides about programs is not applied. In a
// repository that the command made, what Git itself writes there may be.
func (t *transaction) gitChange(c *journal.Change, rest string, made bool) (why, err error) {
	switch base := path.Base(rest); {
	case c.After.Type == journal.Folder:
		return nil, nil
	case !made || c.After.Type != journal.File:
		return errGit, nil
	case strings.HasSuffix(base, ".sample"):
		return nil, nil
	case base == "config" && c.After.Size <= maxGitConfig:
		text, err := readAll(c.Content)
		if err != nil || plainGitConfig(string(text)) {
			return nil, err
		}
	}
	return errGit, nil
}
