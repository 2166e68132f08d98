package approval

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/durable"
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
				if left -= is.size; left < 0 {
					unseen = true
					continue
				}
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

// same reports whether a file is what a commit has. The ends of its lines do not count, as
// git may change them at a checkout; and a pointer of Git LFS stands for the file.
func (l *look) same(ctx context.Context, root *os.Root, name string, was repository.File, is *here) bool {
	if is.mode&fs.ModeSymlink != 0 {
		target, err := root.Readlink(filepath.FromSlash(name))
		return err == nil && was.Mode == "120000" && repository.ContentID(l.digits, []byte(filepath.ToSlash(target))) == was.ID
	}
	if was.Mode == "120000" {
		return false
	}
	f, info, err := durable.OpenRegular(root, filepath.FromSlash(name))
	if err != nil {
		return false
	}
	defer f.Close()
	if is.id == "" {
		if is.id, err = repository.ContentIDOf(l.digits, info.Size(), f); err != nil {
			return false
		}
	}
	if is.id == was.ID {
		return true
	}
	if info.Size() <= maxContent {
		if data, err := io.ReadAll(io.NewSectionReader(f, 0, maxContent)); err == nil && bytes.Contains(data, []byte("\r\n")) &&
			repository.ContentID(l.digits, bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))) == was.ID {
			return true
		}
	}
	return l.isPointer(ctx, was, io.NewSectionReader(f, 0, info.Size()))
}

// isPointer reports whether a file of a commit is the pointer of Git LFS for a content.
func (l *look) isPointer(ctx context.Context, was repository.File, content io.Reader) bool {
	data, err := l.objects.Content(ctx, was.ID)
	if err != nil || len(data) > 1024 || !bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/v1\n")) {
		return false
	}
	h := sha256.New()
	_, err = io.Copy(h, content)
	return err == nil && bytes.Contains(data, []byte("\noid sha256:"+hex.EncodeToString(h.Sum(nil))+"\n"))
}

// read reads a file of the folder that can be compared, nil where there is none.
func (l *look) read(name string) (data []byte, large bool) {
	root, err := l.root()
	if err != nil {
		return nil, false
	}
	defer root.Close()
	if target, err := root.Readlink(filepath.FromSlash(name)); err == nil {
		return []byte(target), false
	}
	data, _, err = durable.ReadFile(root, filepath.FromSlash(name), maxContent)
	return data, errors.Is(err, durable.ErrTooLarge)
}

// contents reads the files that differ, and what the commit has of them, until maxContents is
// reached. More is how many it left out.
func (l *look) contents(ctx context.Context, committed map[string]repository.File, differing []File) (all []Change, more int, err error) {
	left := maxContents
	for i, f := range differing {
		if left <= 0 {
			return all, len(differing) - i, nil
		}
		c := Change{Path: f.Path}
		if f.Kind != New {
			c.Before, err = l.objects.Content(ctx, committed[f.Path].ID)
			if errors.Is(err, repository.ErrTooMuch) || len(c.Before) > maxContent {
				c.Before, c.Large = nil, true
			} else if err != nil {
				return all, len(differing) - i, err
			}
		}
		if f.Kind != Removed {
			data, large := l.read(f.Path)
			c.After, c.Large = data, c.Large || large
		}
		left -= len(c.Before) + len(c.After)
		all = append(all, c)
	}
	return all, 0, nil
}
