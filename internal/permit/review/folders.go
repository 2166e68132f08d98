package review

import (
	"slices"
	"strings"
)

// namedPaths are paths in the form in which they are compared. One of backslashes and dots
// alone is no name of the whole project.
func namedPaths(paths []string) [][]string {
	return foldAll(slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p != "." && len(components(p)) == 0 }))
}

// covers reports whether a path is one of the folders or files, or below one. A link
// also counts if one of them is below it.
func covers(all [][]string, names []string, link bool) bool {
	return slices.ContainsFunc(all, func(folder []string) bool { return begins(names, folder) || link && begins(folder, names) })
}

func begins(names, with []string) bool {
	if len(with) > len(names) {
		return false
	}
	for i := range with {
		if names[i] != with[i] {
			return false
		}
	}
	return true
}

// inPath reports whether a file is in a folder of PATH. In the project's top folder, and in
// those that depend on where a program is started, only what can be started counts.
func (c *classifier) inPath(names []string, after *Version, link bool) bool {
	isTop := func(folder []string) bool { return len(folder) == 0 }
	switch {
	case len(names) == 0:
		return false
	case slices.ContainsFunc(c.path, func(folder []string) bool { return !isTop(folder) && covers([][]string{folder}, names, link) }):
		return true
	case !link && !starts(names[len(names)-1], after):
		return false
	case len(names) == 1 && slices.ContainsFunc(c.path, isTop):
		return true
	}
	for i := range names {
		for _, folder := range c.anywhere {
			if isTop(folder) || covers([][]string{folder}, names[i:], link) {
				return true
			}
		}
	}
	return false
}

// starts reports whether a system may start a file by its name: by the permissions, or by the
// end of the name. Permissions that nobody knows count.
func starts(name string, after *Version) bool {
	if perm := after.Mode.Perm(); perm == 0 || perm&0o111 != 0 {
		return true
	}
	return slices.ContainsFunc([]string{".exe", ".com", ".bat", ".cmd", ".ps1"}, func(end string) bool { return strings.HasSuffix(name, end) })
}
