package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Handle is what [Lines] needs of an open file. [*os.File] is one; a test puts
// a failing disk in its place.
type Handle interface {
	io.Writer
	io.ReaderAt
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Sync() error
	Close() error
}

// Lines is an append-only file of lines, for one writer at a time: the caller
// holds whatever lock makes that true. Methods are not safe for concurrent use.
type Lines struct {
	h    Handle
	path string
	kind *File
	size int64
	// opened is what the file was when it was opened.
	opened fs.FileInfo
	// dirty is set when a failed write may have left bytes after size.
	dirty bool
}

// OpenLines opens or creates name under root for appending and drops a last
// line that was cut off. It refuses anything but a regular file.
func OpenLines(root *os.Root, name string, perm fs.FileMode, kind *File) (*Lines, error) {
	var f *os.File
	open := func() (err error) {
		f, err = root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND|nonblock, perm)
		return err
	}
	err := do(Op{Verb: OpCreate, Path: at(root, name), Mode: perm, File: kind}, open)
	if err != nil {
		return nil, err
	}
	l, err := newLines(f, at(root, name), kind)
	if err != nil {
		_ = f.Close() // the first error is returned
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return l, nil
}

// NewLines wraps a handle that appends, dropping a last line that was cut off.
// On success it owns h.
func NewLines(h Handle) (*Lines, error) { return newLines(h, "", EventLog) }

func newLines(h Handle, path string, kind *File) (*Lines, error) {
	info, err := h.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	whole, err := Whole(h, info.Size())
	if err != nil {
		return nil, err
	}
	l := &Lines{h: h, path: path, kind: kind, size: whole, opened: info}
	if whole < info.Size() {
		if err := l.truncate(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Append writes data, which must be whole lines, in one write. When it fails,
// none of data is in the file: what a short write left is cut off, at the latest
// before the next append.
func (l *Lines) Append(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if data[len(data)-1] != '\n' {
		return errors.New("append: the data does not end with a line end")
	}
	if l.dirty {
		if err := l.truncate(); err != nil {
			return fmt.Errorf("append: cut off what a failed write left: %w", err)
		}
		l.dirty = false
	}
	err := do(Op{Verb: OpWrite, Path: l.path, Data: data, Off: l.size, File: l.kind}, func() error {
		n, err := l.h.Write(data)
		if err == nil && n < len(data) {
			err = io.ErrShortWrite
		}
		return err
	})
	if err != nil {
		l.dirty = l.truncate() != nil
		return fmt.Errorf("append: %w", err)
	}
	l.size += int64(len(data))
	return nil
}

// truncate cuts off what follows the whole lines.
func (l *Lines) truncate() error {
	return do(Op{Verb: OpTruncate, Path: l.path, Off: l.size, File: l.kind}, func() error { return l.h.Truncate(l.size) })
}

// Size is the number of bytes of whole lines.
func (l *Lines) Size() int64 { return l.size }

// Stat describes the open file.
func (l *Lines) Stat() (fs.FileInfo, error) { return l.h.Stat() }

// Is reports whether info describes the open file.
func (l *Lines) Is(info fs.FileInfo) bool { return os.SameFile(l.opened, info) }

// Sync makes what was appended durable. [Committer] calls it; it is safe beside
// appends.
func (l *Lines) Sync() error { return l.SyncAs(l.kind) }

// SyncAs is Sync of a file that has become one of another kind, such as a log's
// segment that is finished.
func (l *Lines) SyncAs(kind *File) error {
	return do(Op{Verb: OpFlush, Path: l.path, File: kind, Point: kind.ContentPoint()}, func() error {
		if f, ok := l.h.(*os.File); ok {
			return dataSync(f)
		}
		return l.h.Sync()
	})
}

// Close closes the file.
func (l *Lines) Close() error { return l.h.Close() }

// Whole returns how many of the first size bytes of r are whole lines.
func Whole(r io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 4096)
	for end := size; end > 0; {
		start := max(0, end-int64(len(buf)))
		part := buf[:end-start]
		if n, err := r.ReadAt(part, start); n < len(part) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, fmt.Errorf("find the last line: %w", err)
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}
