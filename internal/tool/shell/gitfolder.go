package shell

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/journal"
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

// writable are the permissions that the owner of a folder needs to change what is in it.
const writable = 0o300

// gitOrder puts the changes of repositories in the order in which Git itself makes
// them, so that somebody who uses Git meanwhile finds what a name refers to: objects
// first, then refs, HEAD and the index, and what goes at the end. Folders that are opened
// come before what is in them, folders that are closed after it. Other changes stay as they
// are.
func gitOrder(changes []journal.Change) []journal.Change {
	placed := map[string]bool{}
	for _, c := range changes {
		if c.After.Type != journal.None {
			placed[string(c.Path)] = true
		}
	}
	rank := func(c journal.Change) int {
		_, rest, in := insideGit(string(c.Path))
		switch {
		case c.Op == journal.Mode && c.Before.Type == journal.Folder && c.Before.Mode&writable != writable:
			return -1
		case c.Op == journal.Mode && c.Before.Type == journal.Folder && c.After.Mode&writable != writable:
			return 9
		case c.After.Type == journal.None && (!in || placed[string(c.Path)]):
			return 0
		case c.Op == journal.Mkdir:
			return 1
		case c.After.Type == journal.None:
			return 8
		case !in:
			return 2
		case strings.HasPrefix(rest, "objects/"):
			return 3
		case rest == "index":
			return 7
		case rest == "HEAD":
			return 6
		case strings.HasPrefix(rest, "refs/") || rest == "packed-refs":
			return 5
		}
		return 4
	}
	ordered := slices.Clone(changes)
	slices.SortStableFunc(ordered, func(a, b journal.Change) int {
		if c := cmp.Compare(rank(a), rank(b)); c != 0 || rank(a) != 9 {
			return c
		}
		return cmp.Compare(strings.Count(string(b.Path), "/"), strings.Count(string(a.Path), "/")) // the innermost first
	})
	return ordered
}

// gitAtWork returns the lock of a repository whose index would change, where Git holds
// it at this moment, "" for none.
func gitAtWork(project *os.Root, changes []journal.Change) string {
	for _, c := range changes {
		if repo, rest, in := insideGit(string(c.Path)); in && rest == "index" {
			lock := path.Join(repo, "index.lock")
			if _, err := project.Lstat(filepath.FromSlash(lock)); err == nil {
				return lock
			}
		}
	}
	return ""
}
