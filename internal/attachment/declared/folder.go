package declared

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Folder is where paths and patterns lead from: the folder of the workflow file, or
// the project for those that its author bases there. Nothing outside of the two is
// reached, by whatever links.
type Folder struct {
	root *os.Root
	// dir is its real path, what how people call it.
	dir, what string
	// limit is how many files one pattern may match.
	limit int
	// project is where sources of the project lead from; nil where there is none.
	project *Folder
	// guard says why a file of the folder may not be opened; nil lets all be.
	guard func(dir, path string) string
}

// How people call the two folders.
const (
	ownFolder     = "the folder of the workflow file"
	projectFolder = "the project"
)

// NewFolder takes the open folder of a workflow file; the caller keeps it open and
// closes it. A pattern may match up to limit files.
func NewFolder(root *os.Root, limit int) *Folder {
	return &Folder{root: root, dir: root.Name(), what: ownFolder, limit: limit}
}

// WithProject is the folder with the open folder of the project, which the caller
// keeps open and closes as well.
func (f *Folder) WithProject(project *os.Root) *Folder {
	with := *f
	with.project = &Folder{root: project, dir: project.Name(), what: projectFolder, limit: f.limit}
	return &with
}

// WithGuard is the folder whose files, and those of the project, are opened only where guard
// says no reason against it. It is given the folder's path and that of a file below it.
func (f *Folder) WithGuard(guard func(dir, path string) string) *Folder {
	with := *f
	with.guard = guard
	if f.project != nil {
		with.project = f.project.WithGuard(guard)
	}
	return &with
}

// refusal is why a guard does not let a file be opened.
type refusal string

func (r refusal) Error() string { return string(r) }

func (f *Folder) guards(path string) error {
	if f.guard == nil {
		return nil
	}
	if why := f.guard(f.dir, path); why != "" {
		return refusal(why)
	}
	return nil
}

// Dir is its path.
func (f *Folder) Dir() string { return f.dir }

// of is the folder that a source leads from; nil where there is none.
func (f *Folder) of(s Source) *Folder {
	if f != nil && s.Project {
		return f.project
	}
	return f
}

// errNoFolder says that there is nothing that a path could lead from.
var errNoFolder = errors.New("there is no folder to look for files in")

// Open opens a source for reading; the caller closes it and looks at what the
// descriptor is. A link out of its folder is not followed.
func (f *Folder) Open(s Source) (*os.File, error) {
	at := f.of(s)
	if at == nil {
		return nil, errNoFolder
	}
	if err := at.guards(s.Path); err != nil {
		return nil, err
	}
	return at.root.OpenFile(s.Path, os.O_RDONLY|nonblock, 0)
}

// Stat describes a source. A link out of its folder is not followed.
func (f *Folder) Stat(s Source) (fs.FileInfo, error) {
	at := f.of(s)
	if at == nil {
		return nil, errNoFolder
	}
	if err := at.guards(s.Path); err != nil {
		return nil, err
	}
	return at.root.Stat(s.Path)
}

// Reason says for people why a source cannot be opened, and the next step. Outside
// reports whether it leads out of its folder.
func (f *Folder) Reason(s Source, err error) (reason string, outside bool) {
	at := f.of(s)
	if at == nil {
		return errNoFolder.Error(), false
	}
	var wrong *fs.PathError
	var refused refusal
	switch {
	case errors.As(err, &refused):
		return refused.Error(), false
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file in " + at.what + f.elsewhere(s), false
	case errors.Is(err, fs.ErrPermission):
		return "it is not readable (permission denied)", false
	// Package os has no name for this error.
	case errors.As(err, &wrong) && strings.Contains(wrong.Err.Error(), "escapes"):
		return "it leads out of " + at.what + hintOf(at.what), true
	}
	return "it cannot be opened", false
}

// elsewhere is the next step where the project has what the workflow's folder lacks.
func (f *Folder) elsewhere(s Source) string {
	if s.Project || f.project == nil {
		return ""
	}
	if _, err := f.project.root.Stat(s.Path); err != nil {
		return ""
	}
	return ", but in the project; write base: project"
}

// elsewhereMatches is elsewhere for a pattern.
func (f *Folder) elsewhereMatches(ctx context.Context, p pattern, s Source) string {
	if s.Project || f.project == nil {
		return ""
	}
	if found, err := f.project.match(ctx, p, 1); errors.Is(err, ErrTooMany) || err == nil && len(found) > 0 {
		return ", or base: project, where it does"
	}
	return ""
}

// baseHint is the next step after a path that leads out of the workflow's folder.
const baseHint = "; with base: project, paths begin at the project"

// ownFolders are looked into only by patterns that name them: what belay and git
// keep there is not the author's.
var ownFolders = []string{".belay", ".git"}

// Match lists the files below the workflow's folder that a pattern matches, sorted,
// with slashes. A link that leads to nothing, or out of the folder, is one of them:
// opening it fails.
func (f *Folder) Match(ctx context.Context, pattern string) ([]string, error) {
	p, err := cleanPattern(pattern, f.what)
	if err != nil {
		return nil, err
	}
	found, err := f.match(ctx, p, f.limit)
	if errors.Is(err, ErrTooMany) {
		err = fmt.Errorf("%q %w than %d files (attachments.max_matches)", pattern, ErrTooMany, f.limit)
	}
	paths := make([]string, len(found))
	for i, s := range found {
		paths[i] = s.Path
	}
	return paths, err
}

// ErrTooMany says that a pattern matches more files than it may.
var ErrTooMany = errors.New("matches more")

// match lists the files that a clean pattern matches, sorted: [ErrTooMany] where they
// are more than limit. A folder that cannot be read is an error.
func (f *Folder) match(ctx context.Context, p pattern, limit int) ([]Source, error) {
	if p.literal {
		return f.literal(p.text)
	}
	var found []Source
	w := &walk{ctx: ctx, root: f.root, hides: unnamed(p)}
	err := doublestar.GlobWalk(w, p.text, func(name string, d fs.DirEntry) error {
		if w.hidden(name) {
			return nil // never SkipDir, which would skip what lies beside it
		}
		regular := d.Type().IsRegular()
		if !regular && !f.mayBeFile(name, d) {
			return nil
		}
		if found = append(found, Source{Path: name, regular: regular}); len(found) > limit {
			return ErrTooMany
		}
		return nil
	}, doublestar.WithNoFollow(), doublestar.WithFailOnIOErrors())
	if err != nil {
		return nil, f.unread(err)
	}
	slices.SortFunc(found, func(a, b Source) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(found), nil // {a,a*} finds one file twice
}

// unread says for people that a folder could not be read.
func (f *Folder) unread(err error) error {
	at, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err
	}
	reason, outside := f.Reason(Source{Path: at.Path}, err)
	if !outside && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s cannot be read: %w", at.Path, at.Err)
	}
	return fmt.Errorf("%s: %s", at.Path, reason)
}

// mayBeFile follows a link: what is something else than a file in the end, a pattern
// does not find. A link of which that cannot be said is found, and refused when it is
// opened.
func (f *Folder) mayBeFile(name string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := f.root.Stat(name)
	return err != nil || info.Mode().IsRegular()
}
