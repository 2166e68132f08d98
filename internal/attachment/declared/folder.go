package declared

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Folder is where paths and patterns lead from: the folder of the workflow file.
// Nothing outside of it is reached, by whatever links.
type Folder struct {
	root *os.Root
	// dir is its real path.
	dir string
	// limit is how many files one pattern may match.
	limit int
}

// NewFolder takes an open folder; the caller keeps it open and closes it. A
// pattern may match up to limit files.
func NewFolder(root *os.Root, limit int) *Folder {
	return &Folder{root: root, dir: root.Name(), limit: limit}
}

// Dir is its path.
func (f *Folder) Dir() string { return f.dir }

// Open opens a file of the folder for reading; the caller closes it and looks at
// what the descriptor is. A link out of the folder is not followed.
func (f *Folder) Open(p string) (*os.File, error) {
	return f.root.OpenFile(p, os.O_RDONLY|nonblock, 0)
}

// Stat tells of a file of the folder. A link out of the folder is not followed.
func (f *Folder) Stat(p string) (fs.FileInfo, error) { return f.root.Stat(p) }

// ownFolders are looked into only by patterns that name them: what belay and git
// keep there is not the author's.
var ownFolders = []string{".belay", ".git"}

// clean is a path as it is opened, or why it cannot be.
func clean(p string) (string, error) {
	slashed := strings.ReplaceAll(strings.TrimSpace(p), `\`, "/")
	scheme, _, isURL := strings.Cut(slashed, "://")
	switch {
	case strings.ContainsRune(slashed, 0):
		return "", errors.New("the path has a NUL")
	case isURL && strings.EqualFold(scheme, "file"):
		return "", errors.New("a path is written without file://, from the folder of the workflow file on")
	case isURL: // not repeated: it may have credentials in it
		return "", errors.New("this is an address, and paths are needed; write it as url")
	case slashed == "~", strings.HasPrefix(slashed, "~/"):
		return "", fmt.Errorf("%q: ~ is not known here; paths begin at the folder of the workflow file", p)
	case path.IsAbs(slashed), len(slashed) > 1 && slashed[1] == ':':
		return "", fmt.Errorf("%q is absolute; paths begin at the folder of the workflow file", p)
	}
	c := path.Clean(slashed)
	if c == ".." || strings.HasPrefix(c, "../") {
		return "", fmt.Errorf("%q leads out of the folder of the workflow file", p)
	}
	return c, nil
}

// Match lists the files that a pattern matches, sorted, with slashes.
func (f *Folder) Match(ctx context.Context, pattern string) ([]string, error) {
	found, err := f.match(ctx, pattern)
	paths := make([]string, len(found))
	for i, s := range found {
		paths[i] = s.Path
	}
	return paths, err
}

// ErrTooMany says that a pattern matches more files than one pattern may.
var ErrTooMany = errors.New("matches more")

// match lists the files that a pattern matches, sorted. A link out of the folder
// is an error, as is a folder that cannot be read.
func (f *Folder) match(ctx context.Context, pattern string) ([]Source, error) {
	p, err := clean(pattern)
	if err != nil {
		return nil, err
	}
	if !doublestar.ValidatePattern(p) {
		return nil, fmt.Errorf("%q is no pattern: a bracket or brace is not closed", pattern)
	}
	if n := alternatives(p); n > maxAlternatives {
		return nil, fmt.Errorf("%.80q stands for more than %d patterns by its braces", pattern, maxAlternatives)
	}
	if !strings.ContainsAny(p, `*?[{\`) {
		return f.literal(p)
	}
	var found []Source
	err = doublestar.GlobWalk(&walk{ctx, f.root}, p, func(name string, d fs.DirEntry) error {
		if hidden(p, name) {
			if d.IsDir() {
				return doublestar.SkipDir
			}
			return nil
		}
		regular := d.Type().IsRegular()
		if !regular {
			ok, err := f.leadsToFile(name)
			if err != nil || !ok {
				return err
			}
		}
		if found = append(found, Source{Path: name, regular: regular}); len(found) > f.limit {
			return fmt.Errorf("%q %w than %d files (attachments.max_matches)", pattern, ErrTooMany, f.limit)
		}
		return nil
	}, doublestar.WithNoFollow(), doublestar.WithFailOnIOErrors())
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b Source) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(found), nil // {a,a*} finds one file twice
}

// maxAlternatives is how many patterns one with braces may stand for: each is looked
// for on its own.
const maxAlternatives = 1000

// alternatives is how many patterns one with braces stands for, at most: what is
// within other braces counts as if it stood beside them. It stops counting where there
// are too many.
func alternatives(p string) int {
	all := 1
	var open []int // the commas of the braces that are open
	for _, c := range p {
		switch {
		case c == '{':
			open = append(open, 1)
		case c == ',' && len(open) > 0:
			open[len(open)-1]++
		case c == '}' && len(open) > 0:
			if all *= open[len(open)-1]; all > maxAlternatives {
				return all
			}
			open = open[:len(open)-1]
		}
	}
	return all
}

// literal is match for a pattern that is none.
func (f *Folder) literal(p string) ([]Source, error) {
	info, err := f.root.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%q is a folder; write %s/* for the files in it", p, p)
	}
	return []Source{{Path: p}}, nil
}

// leadsToFile follows a link. What is no file in the end is none that a pattern
// finds.
func (f *Folder) leadsToFile(name string) (bool, error) {
	info, err := f.root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("the link %s leads nowhere", name)
	case err != nil:
		return false, fmt.Errorf("the link %s: %w", name, err)
	}
	return info.Mode().IsRegular(), nil
}

// hidden reports whether a match lies in a folder that the pattern does not name.
func hidden(pattern, name string) bool {
	for _, part := range strings.Split(name, "/") {
		if slices.Contains(ownFolders, part) && !slices.Contains(strings.Split(pattern, "/"), part) {
			return true
		}
	}
	return false
}
