package declared

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// walk is a folder as a pattern is looked for in it. It fails as soon as nobody wants
// to know any more, also where nothing matches in however many folders.
type walk struct {
	ctx  context.Context
	root *os.Root
	// hides are the names of folders and files that are not there for the pattern.
	hides []string
}

// hidden reports whether a path lies in what is not there for the pattern.
func (w *walk) hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return slices.Contains(w.hides, part) })
}

// entriesAtOnce is how many entries of a folder are read between two looks at the
// context.
const entriesAtOnce = 1024

// ReadDir implements [fs.ReadDirFS].
func (w *walk) ReadDir(name string) ([]fs.DirEntry, error) {
	d, err := w.open(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var all []fs.DirEntry
	for {
		more, err := d.ReadDir(entriesAtOnce)
		all = append(all, slices.DeleteFunc(more, func(e fs.DirEntry) bool { return slices.Contains(w.hides, e.Name()) })...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && w.ctx.Err() != nil {
			err = context.Cause(w.ctx)
		}
		if err != nil {
			return nil, absent(err)
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

// Stat implements [fs.StatFS].
func (w *walk) Stat(name string) (fs.FileInfo, error) {
	switch {
	case w.ctx.Err() != nil:
		return nil, context.Cause(w.ctx)
	case !fs.ValidPath(name):
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	info, err := w.root.Stat(name)
	return info, absent(err)
}

// absent makes of a path that leads through a file one that is not there: a pattern
// matches nothing below a file.
func absent(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, syscall.ENOTDIR) {
		return &fs.PathError{Op: at.Op, Path: at.Path, Err: fs.ErrNotExist}
	}
	return err
}

// Open implements [fs.FS].
func (w *walk) Open(name string) (fs.File, error) { return w.open(name) }

func (w *walk) open(name string) (*os.File, error) {
	switch {
	case w.ctx.Err() != nil:
		return nil, context.Cause(w.ctx)
	case !fs.ValidPath(name):
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := w.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	return f, absent(err)
}
