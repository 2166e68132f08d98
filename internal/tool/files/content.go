package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"belay/internal/durable"
	"belay/internal/tool"
)

// content is a file's bytes with what they were when they were read.
type content struct {
	data   []byte
	sha256 string
	info   fs.FileInfo
}

// errChanging says that a file changed while it was read.
var errChanging = errors.New("the file changed while it was read")

// attempts is how often a file that changes under a read is read, and pause how
// long the next attempt waits: a program that is just saving it is done by then.
const (
	attempts = 3
	pause    = 10 * time.Millisecond
)

// steady does the work of a read again while the file changes under it.
func steady(ctx context.Context, work func() error) error {
	for n := 1; ; n++ {
		if err := work(); !errors.Is(err, errChanging) || n == attempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// load reads a whole file of at most limit bytes and makes sure that it held
// still: nothing is reported about a file that is half old and half new.
func load(ctx context.Context, p place, limit int64) (c *content, err error) {
	err = steady(ctx, func() error {
		f, info, err := p.open()
		if err != nil {
			return err
		}
		defer f.Close()
		c, err = slurp(f, info, limit)
		return err
	})
	return c, err
}

// slurp reads an opened file as a whole.
func slurp(f *os.File, info fs.FileInfo, limit int64) (*content, error) {
	if info.Size() > limit {
		return nil, fmt.Errorf("%w of %d bytes", durable.ErrTooLarge, limit)
	}
	data, err := section(f, info, 0, info.Size())
	if err != nil {
		return nil, err
	}
	return &content{data: data, sha256: tool.Digest(data), info: info}, nil
}

// section reads n bytes from an offset and checks afterwards that the file is
// still what info says.
func section(f *os.File, info fs.FileInfo, at, n int64) ([]byte, error) {
	data := make([]byte, n)
	if got, err := f.ReadAt(data, at); err == io.EOF && int64(got) < n {
		return nil, errChanging // it became shorter
	} else if err != nil && err != io.EOF {
		return nil, err
	}
	now, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !heldStill(info, now) {
		return nil, errChanging
	}
	return data, nil
}

// heldStill reports whether two looks at a file saw the same length and time.
func heldStill(a, b fs.FileInfo) bool { return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) }
