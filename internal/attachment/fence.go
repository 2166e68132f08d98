package attachment

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// fence confines files to folders. Symbolic links in a path's parents are
// resolved first, so a link inside a root that leads out does not help. A hard
// link inside a root to a file outside looks like any file and passes.
type fence struct {
	real []string // the roots, links resolved
	said []string // the roots as configured, for paths that do not exist
}

func newFence(roots []string) *fence {
	f := &fence{}
	for _, root := range roots {
		root = filepath.Clean(root)
		f.said = append(f.said, root)
		if real, err := filepath.EvalSymlinks(root); err == nil {
			f.real = append(f.real, real)
		}
	}
	return f
}

// admits is asked before the file is opened, so that the answer for a path
// outside does not reveal whether a file is there.
func (f *fence) admits(path string) bool {
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		path = filepath.Clean(path)
		return within(f.said, path) || within(f.real, path)
	}
	return within(f.real, filepath.Join(parent, filepath.Base(path)))
}

// holds is asked once the file is open: the place where path leads now must be
// inside and must hold the very file that was opened.
func (f *fence) holds(path string, opened fs.FileInfo) bool {
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return false
	}
	real := filepath.Join(parent, filepath.Base(path))
	info, err := os.Lstat(real)
	return err == nil && os.SameFile(info, opened) && within(f.real, real)
}

func within(roots []string, path string) bool {
	for _, root := range roots {
		rel, err := filepath.Rel(root, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
