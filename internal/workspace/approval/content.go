package approval

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"belay/internal/durable"
	"belay/internal/workspace/repository"
)

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
