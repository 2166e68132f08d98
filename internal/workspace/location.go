package workspace

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// location is a path and the folders that it really leads through. Each system
// call is made once, however many folders it is compared with: every turn checks
// its project folder.
type location struct {
	path string
	// real is where the path leads, or where its nearest ancestor leads that
	// exists; "" where that cannot be read.
	real string
	// missing is set where real is an ancestor's, since nothing is at path.
	missing bool
	// folders are real and its ancestors.
	folders []fs.FileInfo
}

// locate looks at path, which is absolute and in normal form.
func locate(path string) location {
	at := location{path: path}
	if folders, ok := unlinked(path); ok {
		at.real, at.folders = path, folders
		return at
	}
	real, err := filepath.EvalSymlinks(path)
	for parent := path; err != nil && filepath.Dir(parent) != parent; {
		parent, at.missing = filepath.Dir(parent), true
		real, err = filepath.EvalSymlinks(parent)
	}
	if err != nil {
		return at // it is inaccessible, and a later check says so
	}
	at.real = real
	// Ancestors of a resolved path are no links.
	for name := range ancestors(real) {
		if info, err := os.Lstat(name); err == nil {
			at.folders = append(at.folders, info)
		}
	}
	return at
}

// unlinked returns path and its ancestors, or false where one of them is a link or
// cannot be read. On Windows a name can have a short form, which only resolving shows.
func unlinked(path string) (folders []fs.FileInfo, ok bool) {
	if runtime.GOOS == "windows" {
		return nil, false
	}
	for name := range ancestors(path) {
		info, err := os.Lstat(name)
		if err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return nil, false
		}
		folders = append(folders, info)
	}
	return folders, true
}

// ancestors yields path and every folder above it, the root last.
func ancestors(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(path) && filepath.Dir(path) != path {
			path = filepath.Dir(path)
		}
	}
}

// isTop reports whether the location is the root of the file system, by its name or by
// the folder that it leads to: a link and a bind mount are other names of it.
func (at location) isTop() bool {
	top := string(filepath.Separator)
	if at.path == top {
		return true
	}
	want, err := os.Stat(top)
	return err == nil && !at.missing && len(at.folders) > 0 && os.SameFile(at.folders[0], want)
}

// in reports whether the location is folder or below it, first by the names, then
// by the folders that they lead to. Folders are compared by identity, so links and
// other spellings on a case-insensitive disk do not hide one.
func (at location) in(folder string) bool {
	folder = filepath.Clean(folder)
	if rel, err := filepath.Rel(folder, at.path); err == nil && filepath.IsLocal(rel) {
		return true
	}
	want, err := os.Stat(folder)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(at.folders, func(info fs.FileInfo) bool { return os.SameFile(info, want) })
}
