// Package risk reports what changes of a project's files make run, with what the
// project itself says about it: which hooks its configuration of Git names, and which
// of its folders are in the person's PATH. The judgement is that of
// [belay/internal/permit/review].
package risk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"belay/internal/permit/review"
	"belay/internal/tool"
)

// Project is where files are changed: its folder, opened, and what of it runs by itself for
// the person.
type Project struct {
	Root   *os.Root
	person tool.Person
}

// In is the project of an environment.
func In(w *tool.Environment) Project { return Project{w.Root, w.Person} }

// Of returns the changes that run by themselves, and those that run when somebody
// builds, tests or starts the project: the path, and a clause that says why.
func (p Project) Of(entries []review.Entry) (automatic, onRequest []string) {
	for _, f := range p.Findings(entries) {
		switch f.Risk {
		case review.Automatic:
			automatic = append(automatic, Sentence(f.Path, f.Reason))
		case review.OnRequest:
			onRequest = append(onRequest, Sentence(f.Path, f.Reason))
		}
	}
	return automatic, onRequest
}

// Findings returns the risk of each entry, in the same order.
func (p Project) Findings(entries []review.Entry) []review.Finding {
	paths, unread := p.gitPaths(entries)
	o := review.Options{
		GitPaths: paths, GitUnread: unread, PathFolders: p.folders(),
		Exists: func(path string) bool {
			_, err := p.Root.Lstat(filepath.FromSlash(path))
			return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) // a file has nothing in it
		},
	}
	return review.Classify(entries, o)
}

// folders are the folders of the project in which the person's programs are looked for, "."
// for the project itself: what PATH names from where somebody stands counts from there.
func (p Project) folders() (folders []string) {
	for _, dir := range filepath.SplitList(p.person.Path) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(p.Root.Name(), dir)
		}
		for _, rel := range p.within(dir) {
			folders = append(folders, filepath.ToSlash(rel))
		}
	}
	return folders
}

// within is where in the project an absolute path leads, by its name and through links: none,
// one or two names.
func (p Project) within(name string) (all []string) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		real = name
	}
	root, err := filepath.EvalSymlinks(p.Root.Name())
	if err != nil {
		root = p.Root.Name()
	}
	for _, pair := range [][2]string{{p.Root.Name(), name}, {root, real}} {
		if rel, err := filepath.Rel(pair[0], pair[1]); err == nil && filepath.IsLocal(rel) && !slices.Contains(all, rel) {
			all = append(all, rel)
		}
	}
	return all
}

// Sentence says something about a path and keeps it on its line: names may hold
// anything but a slash.
func Sentence(path, clause string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		path = strconv.Quote(path)
	}
	return path + " " + clause
}
