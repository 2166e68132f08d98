package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/attachment/declared"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
)

// site is the folder of a workflow file, where the file's paths begin, and the project,
// where those do that the file bases there. Each is opened once, and the file read in
// its folder: what becomes of the names afterwards changes nothing.
type site struct {
	root *os.Root
	// project is nil where no project can be worked on at its place: nothing is based
	// there.
	project *os.Root
	folder  *declared.Folder
}

// Close closes the folders.
func (s *site) Close() error {
	err := s.root.Close()
	if s.project != nil {
		err = errors.Join(err, s.project.Close())
	}
	return err
}

// site opens a folder, and the project. Where within is set, the folder must lie in
// that one, by whatever links. The caller closes it.
func (r *Runner) site(dir, within, project string) (*site, error) {
	open := os.OpenRoot
	if within != "" {
		open = func(dir string) (*os.Root, error) { return openWithin(within, dir) }
	}
	root, err := open(dir)
	switch {
	case errors.Is(err, errOutside):
		return nil, fault.New(fault.InvalidRequest, "the folder of the workflow file is not in the project: %s", dir).With("folder", dir).
			WithHint("name a workflow file of the project")
	case errors.Is(err, fs.ErrPermission):
		return nil, fault.New(fault.InvalidWorkflow, "the folder of the workflow file cannot be opened, permission is denied: %s", dir).With("folder", dir).
			WithHint("let your user read and enter the folder; ls -ld shows who may").Because(err)
	case err != nil:
		return nil, fault.New(fault.InvalidWorkflow, "the folder of the workflow file cannot be opened: %s", dir).With("folder", dir).
			WithHint("name a workflow file in a folder that can be opened").Because(err)
	}
	s := &site{root: root, folder: declared.NewFolder(root, r.o.Limits.Matches)}
	if real, err := workspace.CheckProject(project, r.o.Private...); err == nil {
		if s.project, err = os.OpenRoot(real); err == nil {
			s.folder = s.folder.WithProject(s.project)
		}
	}
	s.folder = s.folder.WithGuard(guard(&r.o, project))
	return s, nil
}

var errOutside = errors.New("it is not in the folder that it must lie in")

// openWithin opens a folder in another one. Links are resolved first, and what was
// found is then opened step by step without following any: one that takes a folder's
// place in between is an error.
func openWithin(within, dir string) (*os.Root, error) {
	within, err := filepath.EvalSymlinks(within)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(within, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, errOutside
	}
	at, err := os.OpenRoot(within)
	if err != nil || rel == "." {
		return at, err
	}
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		next, err := enter(at, part)
		_ = at.Close() // nothing was written through it
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// enter opens a folder of an open one, and no link to one.
func enter(at *os.Root, name string) (*os.Root, error) {
	before, err := at.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, fmt.Errorf("%s: %w", name, errOutside)
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if after, err := next.Stat("."); err != nil || !os.SameFile(before, after) {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, errOutside), err, next.Close())
	}
	return next, nil
}

// read reads a file of the folder that is no link.
func (s *site) read(name string, limit int64) ([]byte, error) {
	before, err := s.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	data, after, err := durable.ReadFile(s.root, name, limit)
	if err == nil && !os.SameFile(before, after) {
		err = fmt.Errorf("%s: %w", name, fs.ErrInvalid)
	}
	return data, err
}

// ProjectOf is the project of a workflow file for which none was named: the one that
// encloses it, else its own folder. file is absolute.
func ProjectOf(file string) string {
	home, _ := os.UserHomeDir() // without one, nothing is known to be it
	return workspace.Enclosing(filepath.Dir(file), home)
}
