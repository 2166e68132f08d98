package risk

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/permit/review"
	"belay/internal/workspace/gitconfig"
	"belay/internal/workspace/gitdir"
)

// Limits of what is read of configurations of git, which may come from anybody. Past one of
// them, every change may make something run.
const (
	maxConfig   = 1 << 20 // of one file, in bytes
	maxConfigs  = 4 << 20 // of all of them, in bytes
	maxFiles    = 5000
	maxIncludes = 10 // that are in each other, as in git
	maxWords    = 1_000_000
	maxLooks    = 5000 // at words that may be paths
	maxListed   = 100_000
	maxHooks    = 1000
	maxDepth    = 200 // of a changed path; deeper ones run by themselves in any case
)

// GitConfigs are the files that may have a person's own configuration of git and that of the
// machine, in which git looks, too. Getenv is [os.Getenv].
func GitConfigs(getenv func(string) string, home string) (files []string) {
	add := func(file string) {
		if at, err := filepath.Abs(file); err == nil && file != os.DevNull {
			files = append(files, at)
		}
	}
	if system := getenv("GIT_CONFIG_SYSTEM"); system != "" {
		add(system)
	} else {
		add("/etc/gitconfig")
	}
	if own := getenv("GIT_CONFIG_GLOBAL"); own != "" {
		add(own)
		return files
	}
	if xdg := getenv("XDG_CONFIG_HOME"); xdg != "" {
		add(filepath.Join(xdg, "git", "config"))
	} else if home != "" {
		add(filepath.Join(home, ".config", "git", "config"))
	}
	if home != "" {
		add(filepath.Join(home, ".gitconfig"))
	}
	return files
}

// search finds the files of a project that configurations of git name: those of the person,
// of the repositories that the project is in, and of those that changed files are in. Git
// finds them in the same way, and runs no program for it, as this does not.
type search struct {
	project, home string
	// own are the settings of the person, in every repository.
	own []gitconfig.Setting
	// paths are the result, relative to the project, and unread is set where there may be
	// more.
	paths  map[string]bool
	unread bool
	// read are the files that were read, and bytes their size; folders are those of the
	// project that were looked at, and whether they are there.
	read                map[string][]gitconfig.Setting
	folders             map[string]bool
	bytes, words, looks int
	// listed are the names in folders, as they are compared, and changed the paths of files
	// that changes make, which may not be there yet.
	listed  map[string]map[string]bool
	changed map[string]bool
}

// named are the files and folders of a project, without links, that configurations of git
// name, and whether some of those cannot be read.
func named(project string, own []string, entries []review.Entry) (paths []string, unread bool) {
	s := &search{project: project, paths: map[string]bool{}, read: map[string][]gitconfig.Setting{}, folders: map[string]bool{".": true}, listed: map[string]map[string]bool{}, changed: map[string]bool{}}
	s.home, _ = os.UserHomeDir() // without one, nothing is in it
	for _, file := range own {
		s.add("", file, false)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrPermission) {
			continue // git goes on without it, too
		}
		s.own = append(s.own, s.collect(file, 0, map[string]bool{})...)
	}
	for _, e := range entries {
		if e.After.Exists {
			s.changed[filepath.Join(project, filepath.FromSlash(e.Path))] = true
		}
	}
	s.settings(s.own, project)
	for dir := project; ; dir = filepath.Dir(dir) {
		s.repository(dir)
		if filepath.Dir(dir) == dir {
			break
		}
	}
	for _, e := range entries {
		s.below(folderOf(e.Path))
	}
	return slices.Sorted(maps.Keys(s.paths)), s.unread
}

// folderOf is the folder that a changed path is in, and the one around a repository of which
// the path is a part.
func folderOf(name string) string {
	parts := strings.Split(path.Clean(name), "/")
	for i, part := range parts {
		if strings.EqualFold(part, ".git") {
			parts = parts[:i+1]
			break
		}
	}
	return path.Join(parts[:len(parts)-1]...)
}

// below looks at a folder of the project and those above it. It reports whether the folder is
// there.
func (s *search) below(dir string) bool {
	if dir == "" {
		return true
	}
	if there, ok := s.folders[dir]; ok {
		return there
	}
	if !filepath.IsLocal(filepath.FromSlash(dir)) || strings.Count(dir, "/") > maxDepth {
		return false
	}
	at := filepath.Join(s.project, filepath.FromSlash(dir))
	there := s.below(path.Dir(dir))
	if there {
		info, err := os.Lstat(at)
		there = err == nil && info.IsDir()
	}
	if s.folders[dir] = there; there {
		s.repository(at)
	}
	return there
}

// repository reads the repository whose work tree begins at a folder, if there is one, and the
// one that the folder is.
func (s *search) repository(top string) {
	at := filepath.Join(top, ".git")
	switch dir, err := gitdir.Of(top); {
	case err == nil:
		if real := resolved(at); dir != at && real != at {
			s.add("", real, false)
		}
		s.gitDir(dir, top)
	case !gitdir.Missing(err):
		s.unread = true
	}
	has := func(name string) bool { _, err := os.Lstat(filepath.Join(top, name)); return err == nil }
	if has("HEAD") && (has("commondir") || has("objects") && has("refs")) {
		s.gitDir(top, "")
	}
}

// gitDir reads the configuration of a git directory. The work tree begins at top, and there is
// none for "".
func (s *search) gitDir(dir, top string) {
	common, err := gitdir.Common(dir)
	if err != nil {
		s.unread = true
	}
	var all []gitconfig.Setting
	for _, file := range []string{filepath.Join(common, "config"), filepath.Join(common, "config.worktree"), filepath.Join(dir, "config.worktree")} {
		if real := resolved(file); real != filepath.Clean(file) { // the file is elsewhere
			s.add("", real, false)
		}
		all = append(all, s.collect(file, 0, map[string]bool{})...)
	}
	bases := []string{dir}
	if top != "" {
		bases = append(bases, top)
	}
	for _, one := range all {
		if one.Name() == "core.worktree" {
			bases = append(bases, gitdir.From(dir, one.Value))
		}
	}
	all = append(all, s.own...)
	for _, base := range bases {
		s.settings(all, base)
	}
	if at := filepath.Join(common, "hooks"); resolved(at) != at {
		s.add("", resolved(at), false)
	}
	s.hooks(filepath.Join(common, "hooks"))
}
