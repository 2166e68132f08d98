package approval

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/workspace/repository"
	"belay/internal/workspace/scan"
)

// Bounds of what is compared.
const (
	// MaxFiles is how many files that differ are listed.
	MaxFiles = 200
	// maxHere is how many files of the folder are compared, and maxHashed how many bytes.
	maxHere   = 2000
	maxHashed = 256 << 20
	// maxContent is the longest file whose contents are compared line by line, and
	// maxContents bounds all of them.
	maxContent  = 512 << 10
	maxContents = 8 << 20
)

// Kind is how a file differs from a commit.
type Kind string

// The kinds.
const (
	Changed Kind = "changed"
	New     Kind = "new"
	Removed Kind = "removed"
)

// File is a file that differs. Its path is relative to the folder.
type File struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
}

// files are those of the folder now.
type files struct {
	// all are ids of contents by path, made at the first comparison.
	all map[string]*here
	// cut is set where the folder has more.
	cut bool
}

// here is a file of the folder.
type here struct {
	mode fs.FileMode
	size int64
	// id is that of its content, "" until somebody asks.
	id string
}

func (l *look) root() (*os.Root, error) {
	return os.OpenRoot(filepath.Join(l.Project, filepath.FromSlash(l.Folder)))
}

// files lists the folder. Repositories in it are another project's business.
func (l *look) files(ctx context.Context) (*files, error) {
	root, err := l.root()
	if err != nil {
		return nil, fmt.Errorf("list the folder: %w", err)
	}
	defer root.Close()
	found := &files{all: map[string]*here{}}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && name == ".":
			return err
		case name == ".":
			return nil
		case err != nil: // it went meanwhile, or cannot be read
			return nil
		case scan.LeavesOut(path.Base(name)) || l.Hides != nil && l.Hides(path.Join(l.Folder, name)):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir():
			if _, err := root.Lstat(filepath.Join(filepath.FromSlash(name), ".git")); err == nil {
				return fs.SkipDir
			}
			return nil
		case len(found.all) == maxHere:
			found.cut = true
			return fs.SkipAll
		}
		if info, err := e.Info(); err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0) {
			found.all[name] = &here{mode: info.Mode().Type(), size: info.Size()}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the folder: %w", err)
	}
	return found, nil
}

// differences are the files that differ from those of a commit, sorted. Unseen is set where
// there are more, or more than is compared.
func (l *look) differences(ctx context.Context, committed map[string]repository.File, now *files) (all []File, unseen bool, err error) {
	root, err := l.root()
	if err != nil {
		return nil, false, fmt.Errorf("compare the folder: %w", err)
	}
	defer root.Close()
	left := int64(maxHashed)
	names := map[string]bool{}
	for name := range committed {
		names[name] = l.Hides == nil || !l.Hides(path.Join(l.Folder, name))
	}
	for name := range now.all {
		names[name] = true
	}
	unseen = now.cut
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		was, had := committed[name]
		is := now.all[name]
		kind := Kind("")
		switch {
		case !names[name] || had && was.Mode == "160000": // hidden, or a submodule
		case is == nil && now.cut:
			unseen = true
		case is == nil && had && !leftOut(name):
			kind = Removed
		case is != nil && !had:
			kind = New
		case is != nil:
			if is.id == "" {
				if is.size > left {
					unseen = true
					continue
				}
				left -= is.size
			}
			if !l.same(ctx, root, name, was, is) {
				kind = Changed
			}
		}
		if kind != "" && len(all) == MaxFiles {
			return all, true, nil
		}
		if kind != "" {
			all = append(all, File{Path: name, Kind: kind})
		}
	}
	return all, unseen, nil
}

// leftOut reports whether a path leads through a folder that is not looked into.
func leftOut(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return part != "" && scan.LeavesOut(part) })
}
