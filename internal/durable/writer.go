package durable

import (
	"io"
	"io/fs"
	"os"
)

// Writer is a new file that gets its content piece by piece. It is used by one
// goroutine.
type Writer struct {
	f    *os.File
	path string
	off  int64
	kind *File
}

var _ io.WriteCloser = (*Writer)(nil)

// Create makes a file that must not be there yet.
func Create(root *os.Root, name string, perm fs.FileMode, kind *File) (*Writer, error) {
	w := &Writer{path: at(root, name), kind: kind}
	err := do(Op{Verb: OpCreate, Path: w.path, Mode: perm, File: kind}, func() (err error) {
		w.f, err = root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|nonblock, perm)
		return err
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Write implements [io.Writer].
func (w *Writer) Write(b []byte) (n int, err error) {
	err = do(Op{Verb: OpWrite, Path: w.path, Data: b, Off: w.off, File: w.kind}, func() (err error) {
		n, err = w.f.Write(b)
		return err
	})
	w.off += int64(n)
	return n, err
}

// Sync makes the content durable.
func (w *Writer) Sync() error { return FlushOf(w.f, w.path, w.kind).Sync() }

// Chmod changes the file's permissions.
func (w *Writer) Chmod(mode fs.FileMode) error {
	return do(Op{Verb: OpMode, Path: w.path, Mode: mode, File: w.kind}, func() error { return w.f.Chmod(mode) })
}

// Stat describes the file.
func (w *Writer) Stat() (fs.FileInfo, error) { return w.f.Stat() }

// Close closes the file; it makes nothing durable.
func (w *Writer) Close() error { return w.f.Close() }

// opened is an open file whose content can be made durable.
type opened struct {
	f    *os.File
	path string
	kind *File
}

// FlushOf returns f, which lies at path, as something that a [Committer] can
// flush. The caller closes f.
func FlushOf(f *os.File, path string, kind *File) Syncer { return &opened{f, path, kind} }

// Sync implements [Syncer].
func (o *opened) Sync() error {
	return do(Op{Verb: OpFlush, Path: o.path, File: o.kind, Point: o.kind.ContentPoint()}, func() error { return dataSync(o.f) })
}
