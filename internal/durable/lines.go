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
	size int64
	// dirty is set when a failed write may have left bytes after size.
	dirty bool
}

// OpenLines opens or creates name under root for appending and drops a last
// line that was cut off. It refuses anything but a regular file.
func OpenLines(root *os.Root, name string, perm os.FileMode) (*Lines, error) {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, perm)
	if err != nil {
		return nil, err
	}
	l, err := NewLines(f)
	if err != nil {
		_ = f.Close() // the first error is the one to tell
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return l, nil
}

// NewLines wraps a handle that appends, dropping a last line that was cut off.
// On success it owns h.
func NewLines(h Handle) (*Lines, error) {
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
	if whole < info.Size() {
		if err := h.Truncate(whole); err != nil {
			return nil, err
		}
	}
	return &Lines{h: h, size: whole}, nil
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
		if err := l.h.Truncate(l.size); err != nil {
			return fmt.Errorf("append: cut off what a failed write left: %w", err)
		}
		l.dirty = false
	}
	n, err := l.h.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	if err != nil {
		l.dirty = l.h.Truncate(l.size) != nil
		return fmt.Errorf("append: %w", err)
	}
	l.size += int64(n)
	return nil
}

// Size is the number of bytes of whole lines.
func (l *Lines) Size() int64 { return l.size }

// Stat describes the open file.
func (l *Lines) Stat() (fs.FileInfo, error) { return l.h.Stat() }

// Sync makes what was appended durable. [Committer] calls it; it is safe beside
// appends.
func (l *Lines) Sync() error {
	if f, ok := l.h.(*os.File); ok {
		return dataSync(f)
	}
	return l.h.Sync()
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
