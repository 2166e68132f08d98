package watch

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// entry is what the system says of a file, a folder or a link without opening
// it. The time of the last change of the inode cannot be set, so that an entry
// that is the same is the same file with the same content.
type entry struct {
	mode           fs.FileMode
	size           int64
	mtime, ctime   int64 // nanoseconds
	device, number uint64
	// target is where a link leads.
	target string
}

// same reports whether nothing happened to the file between the two.
func (e entry) same(o entry) bool {
	if e.mode.IsDir() && o.mode.IsDir() { // its times tell of its files
		return e.mode == o.mode
	}
	return e == o
}

const (
	belayDir = ".belay"
	gitName  = ".git"
)

// skipping tells which entries of a folder are not looked at, nor what is in
// them.
type skipping struct {
	top, git bool
	rest     string // of the folder's path, in .git
}

func skippingIn(dir string) skipping {
	in, rest := gitPart(dir)
	return skipping{top: dir == ".", git: in, rest: rest}
}

func (s skipping) skips(name string) bool {
	if s.git {
		return !gitWalked(path.Join(s.rest, name))
	}
	return s.top && name == belayDir
}

// gitPart splits a path at its first .git component.
func gitPart(p string) (in bool, rest string) {
	parts := strings.Split(p, "/")
	i := slices.IndexFunc(parts, func(s string) bool { return strings.EqualFold(s, gitName) }) // some systems know no difference
	if i < 0 {
		return false, ""
	}
	return true, path.Join(parts[i+1:]...)
}

// gitWalked reports whether a path in a .git folder is, or may hold, what is
// protected: the configuration and the hooks, also of submodules and worktrees.
func gitWalked(rest string) bool {
	for part := range strings.SplitSeq(rest, "/") {
		switch part {
		case "objects", "refs", "logs", "lfs", "info":
			return false
		}
	}
	first, _, nested := strings.Cut(rest, "/")
	return first == "modules" || first == "worktrees" || !nested && gitProtected(rest) || first == "hooks"
}

// gitProtected reports whether a path in a .git folder decides which programs
// Git runs.
func gitProtected(rest string) bool {
	base := path.Base(rest)
	return rest == "" || base == "config" || base == "config.worktree" ||
		base == "hooks" || slices.Contains(strings.Split(rest, "/"), "hooks")
}
