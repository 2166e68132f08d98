package shell

import (
	"path"
	"slices"
	"strings"
)

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
