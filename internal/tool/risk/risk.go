// Package risk reports what changes of a project's files make run, with what the
// project and its person say about it: which files of it configurations of git name, and
// which of its folders are in the person's PATH. The judgement is that of
// [belay/internal/permit/review].
package risk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"belay/internal/permit/review"
)

// Project is where files are changed: its folder, opened, and what the person has: the
// PATH, and the files with their own configuration of git ([GitConfigs]), which need not
// be there.
type Project struct {
	Root       *os.Root
	Path       string
	GitConfigs []string
}

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
	o := review.Options{
		Exists: func(path string) bool {
			_, err := p.Root.Lstat(filepath.FromSlash(path))
			return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) // a file has nothing in it
		},
	}
	top := p.Root.Name()
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	o.PathFolders, o.PathAnywhere = folders(top, p.Path)
	o.GitPaths, o.GitUnread = named(top, p.GitConfigs, entries)
	return review.Classify(entries, o)
}

// folders are the folders of the project in which the person's programs are looked for,
// and those of PATH that are looked up from wherever a program is started: they count as
// ones of the project's top folder, too.
func folders(project, list string) (inside, anywhere []string) {
	for _, dir := range filepath.SplitList(list) {
		at := filepath.Clean(dir) // an empty one is the folder itself, too
		if !filepath.IsAbs(at) {
			for at == ".." || strings.HasPrefix(at, ".."+string(filepath.Separator)) { // from a folder below it leads here
				at = filepath.Clean(strings.TrimPrefix(at[len(".."):], string(filepath.Separator)))
			}
			anywhere = append(anywhere, filepath.ToSlash(at))
			at = filepath.Join(project, at)
		}
		inside = append(inside, within(project, at)...)
	}
	return inside, anywhere
}

// within is a path, which need not exist, as paths of the project with slashes: by its
// name, and by what that leads to. It has none where neither is in the project.
func within(project, at string) (paths []string) {
	for _, at := range []string{filepath.Clean(at), resolved(at)} {
		rel, err := filepath.Rel(project, at)
		if err == nil && filepath.IsLocal(rel) && (len(paths) == 0 || paths[0] != filepath.ToSlash(rel)) {
			paths = append(paths, filepath.ToSlash(rel))
		}
	}
	return paths
}

// maxLinks is how many links to nothing are followed.
const maxLinks = 40

// resolved is a path without its links, as far as it exists. A link to what does not
// exist counts as that: somebody may make it.
func resolved(at string) string {
	rest := ""
	for links := 0; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if target, err := os.Readlink(at); err == nil && links < maxLinks {
			if links++; !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(at), target)
			}
			at = target
			continue
		}
		above := filepath.Dir(at)
		if above == at {
			return filepath.Join(at, rest)
		}
		rest, at = filepath.Join(filepath.Base(at), rest), above
	}
}

// Sentence says something about a path and keeps it on its line: names may hold
// anything but a slash.
func Sentence(path, clause string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		path = strconv.Quote(path)
	}
	return path + " " + clause
}
