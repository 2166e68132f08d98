package risk

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"belay/internal/durable"
	"belay/internal/permit/review"
)

// Limits of what is read of configurations of Git. What is past them counts as unread.
const (
	maxGitConfig = 256 << 10
	maxIncluded  = 10  // files that include each other
	maxGitFiles  = 200 // files for one review
)

// gitPaths are the files and folders of the project that configurations of Git name: those of
// the repository that the project is in, of the repositories in it that have one of the
// entries, and the person's own. Unread reports that one of them could not be read, or not
// whole: it may name any file.
func (p Project) gitPaths(entries []review.Entry) (paths []string, unread bool) {
	g := gitNames{project: p, seen: map[string]bool{}}
	top, err := around(p.Root.Name())
	g.note(err)
	g.ofRepository(top)
	for folder := range p.repositories(entries) {
		g.ofRepository(filepath.Join(p.Root.Name(), filepath.FromSlash(folder)))
	}
	return g.paths, g.unread
}

// around is the folder at or above a project that has a repository, or the project itself.
func around(project string) (string, error) {
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real
	}
	for top := project; ; top = filepath.Dir(top) {
		if _, err := Repository(top); !errors.Is(err, fs.ErrNotExist) {
			return top, err
		}
		if filepath.Dir(top) == top {
			return project, nil
		}
	}
}

// repositories are the folders below the project's own that have a repository and one of the
// entries.
func (p Project) repositories(entries []review.Entry) map[string]bool {
	looked, found := map[string]bool{".": true}, map[string]bool{}
	for _, e := range entries {
		for folder := path.Dir(path.Clean(e.Path)); !looked[folder] && folder != "/"; folder = path.Dir(folder) {
			looked[folder] = true
			if _, err := p.Root.Lstat(filepath.FromSlash(folder + "/.git")); err == nil {
				found[folder] = true
			}
		}
	}
	return found
}

// gitNames gathers what configurations of Git name in a project.
type gitNames struct {
	project Project
	// top is the work tree from which names in settings count.
	top    string
	paths  []string
	unread bool
	// seen are the names that were gathered; files counts the configurations that were read.
	seen  map[string]bool
	files int
}

// note remembers that something could not be read.
func (g *gitNames) note(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		g.unread = true
	}
}

// ofRepository gathers what the repository of a work tree names, and what the person's own
// configuration does there.
func (g *gitNames) ofRepository(top string) {
	g.top = top
	for _, name := range g.project.person.GitConfigs {
		g.read(name, 0)
	}
	git, err := Repository(top)
	if err != nil {
		g.note(err)
		return
	}
	common := git
	switch text, _, err := durable.ReadFile(nil, filepath.Join(git, "commondir"), maxGitPointer); {
	case err == nil:
		if common = strings.TrimSpace(string(text)); !filepath.IsAbs(common) {
			common = filepath.Join(git, common)
		}
	default:
		g.note(err)
	}
	g.read(filepath.Join(common, "config"), 0)
	g.read(filepath.Join(git, "config.worktree"), 0)
}

// read gathers what a configuration names, and the files that it includes.
func (g *gitNames) read(name string, depth int) {
	if name == os.DevNull {
		return
	}
	if g.files++; depth > maxIncluded || g.files > maxGitFiles {
		g.unread = true
		return
	}
	text, _, err := durable.ReadFile(nil, name, maxGitConfig)
	if err != nil {
		g.note(err)
		return
	}
	for _, s := range settingsIn(string(text)) {
		switch {
		case (s.section == "include" || s.section == "includeif") && s.key == "path":
			// Whether its condition holds may change with any branch.
			included := g.from(filepath.Dir(name), s.value)
			g.add(included)
			g.read(included, depth+1)
		case s.section == "core" && s.key == "hookspath":
			g.add(g.from(g.top, s.value))
		case s.section == "core" && s.key == "worktree", review.PlainGitKey(s.section, s.key):
		default:
			g.words(s.value)
		}
	}
}

// words gathers the words of a value that may be files of the project: values of other settings
// are mostly commands, which run in the work tree.
func (g *gitNames) words(value string) {
	for i, word := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`;|&()<>=$!{},:", r) }) {
		at := g.from(g.top, word)
		if !strings.ContainsAny(word, `/\`) { // a program of PATH, or an argument that may be a file
			if info, err := os.Lstat(at); i == 0 || err != nil || !info.Mode().IsRegular() {
				continue
			}
		}
		if at != g.top {
			g.add(at)
		}
	}
}

// from is where a name leads that counts from a folder.
func (g *gitNames) from(folder, name string) string {
	if rest, home := strings.CutPrefix(name, "~/"); home && g.project.person.Home != "" {
		return filepath.Join(g.project.person.Home, rest)
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(folder, name)
}

// add notes a file or a folder, if it is in the project.
func (g *gitNames) add(name string) {
	for _, rel := range g.project.within(name) {
		if rel = filepath.ToSlash(rel); !g.seen[rel] {
			g.seen[rel] = true
			g.paths = append(g.paths, rel)
		}
	}
}

// maxGitPointer is how large a file may be that says where the repository is.
const maxGitPointer = 4 << 10

// Repository is the folder of the repository whose files are in top. That of a worktree or a
// submodule is elsewhere, and a file says where. The error is [fs.ErrNotExist] where there is
// none.
func Repository(top string) (string, error) {
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
