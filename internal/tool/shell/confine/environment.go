package confine

import (
	"path/filepath"
	"slices"
	"strings"
)

// fallbackPath is the PATH of a command where the server has none.
const fallbackPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Environment is what commands get of the server's environment: an allow-list,
// so that a key that nobody thought of is not in it. Names are those that the
// operator adds. HOME and TMPDIR are not here: they are the session's own.
func Environment(environ, names []string) []string {
	// Without this, git rewrites its index even when it only reads.
	env := []string{"TERM=dumb", "GIT_OPTIONAL_LOCKS=0"}
	path := fallbackPath
	for _, e := range environ {
		name, value, ok := strings.Cut(e, "=")
		switch {
		case !ok || name == "HOME" || name == "TMPDIR" || name == "TERM":
		case name == "PATH":
			path = absolutePath(value, path)
		case name == "LANG", name == "TZ", strings.HasPrefix(name, "LC_"), slices.Contains(systemNames, name), slices.Contains(names, name):
			env = append(env, e)
		}
	}
	return append(env, "PATH="+path)
}

// absolutePath is a search path without entries that depend on the working
// folder: the project must not decide what "ls" is.
func absolutePath(list, otherwise string) string {
	kept := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool { return !filepath.IsAbs(dir) })
	if len(kept) == 0 {
		return otherwise
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}

// environment is what a command gets.
func (r *Runner) environment(c Command) []string {
	if r.o.Home {
		return slices.Clone(r.o.Env)
	}
	return append(slices.Clone(r.o.Env), homes(c.Scratch)...)
}

// homes are the variables of one command that name its own folders.
func homes(scratch string) []string {
	home, tmp := filepath.Join(scratch, homeDir), filepath.Join(scratch, tmpDir)
	return append([]string{"HOME=" + home, "TMPDIR=" + tmp}, systemHomes(home, tmp)...)
}

// The folders in a session's scratch.
const (
	homeDir = "home"
	tmpDir  = "tmp"
)
