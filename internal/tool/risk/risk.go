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
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"belay/internal/durable"
	"belay/internal/lazyregexp"
	"belay/internal/permit/review"
)

// maxConfig is how much is read of a configuration of Git.
const maxConfig = 256 << 10

// Project is where files are changed: its folder, opened, and the person's PATH.
type Project struct {
	Root *os.Root
	Path string
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
		GitPaths: p.gitPaths(), PathFolders: p.folders(),
		Exists: func(path string) bool {
			_, err := p.Root.Lstat(filepath.FromSlash(path))
			return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) // a file has nothing in it
		},
	}
	return review.Classify(entries, o)
}

// gitPath finds what a configuration of Git names in the project.
var gitPath = lazyregexp.New(`(?im)^\s*(?:hookspath|path)\s*=\s*"?([^"\r\n]+?)"?\s*$`)

// gitPaths are the files and folders of the project that its configuration of Git
// names. Of one that cannot be read a change is asked about itself.
func (p Project) gitPaths() (paths []string) {
	config, _, err := durable.ReadFile(p.Root, ".git/config", maxConfig)
	if err != nil {
		return nil
	}
	for _, m := range gitPath.FindAllStringSubmatch(string(config), -1) {
		// A path is relative to the project, that of an included file to .git.
		for _, base := range []string{"", ".git"} {
			if name := filepath.Join(base, m[1]); !filepath.IsAbs(m[1]) && filepath.IsLocal(name) {
				paths = append(paths, filepath.ToSlash(name))
			}
		}
	}
	return paths
}

// folders are the folders of the project in which the person's programs are looked
// for.
func (p Project) folders() (folders []string) {
	for _, dir := range filepath.SplitList(p.Path) {
		rel, err := filepath.Rel(p.Root.Name(), dir)
		if err == nil && filepath.IsAbs(dir) && filepath.IsLocal(rel) && rel != "." {
			folders = append(folders, filepath.ToSlash(rel))
		}
	}
	return folders
}

// Sentence says something about a path and keeps it on its line: names may hold
// anything but a slash.
func Sentence(path, clause string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		path = strconv.Quote(path)
	}
	return path + " " + clause
}
