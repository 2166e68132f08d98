package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular is in the chain of an error about a folder, pipe, socket or
// device where a file was expected.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is in the chain of an error about a file over its limit.
var ErrTooLarge = errors.New("larger than the limit")

// OpenRegular opens a regular file for reading and never waits on a pipe or acts
// on a device: the name is checked before the open and the descriptor after it.
// Links are followed inside root. With a nil root, name is an ordinary path and
// links lead anywhere. The caller closes the file.
func OpenRegular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	stat, open := os.Stat, os.OpenFile
	if root != nil {
		stat, open = root.Stat, root.OpenFile
	}
	info, err := stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is %w", name, ErrNotRegular)
	}
	f, err := open(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is %w", name, ErrNotRegular)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// ReadFile reads a whole regular file of at most limit bytes and returns what
// the descriptor was, as [OpenRegular] opens it.
func ReadFile(root *os.Root, name string, limit int64) ([]byte, fs.FileInfo, error) {
	f, info, err := OpenRegular(root, name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	var data bytes.Buffer
	data.Grow(int(min(info.Size(), limit)) + bytes.MinRead)
	n, err := data.ReadFrom(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", name, err)
	}
	if n > limit {
		return nil, nil, fmt.Errorf("read %s: %w of %d bytes", name, ErrTooLarge, limit)
	}
	return data.Bytes(), info, nil
}
