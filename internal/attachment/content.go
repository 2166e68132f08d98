package attachment

import (
	"bytes"
	"context"
	"io"
	"os"
)

// BlobStore keeps the bytes of attachments by their sha256.
//
// Implementations are safe for concurrent use. [Resolve] calls Put from up to
// four goroutines at once.
type BlobStore interface {
	// Put stores what r yields, at most max bytes, and returns its digest and
	// size. An error of r is returned so that errors.Is still finds it.
	Put(ctx context.Context, r io.Reader, max int64) (sha string, n int64, err error)
	// Content returns stored bytes, or an error that is fs.ErrNotExist.
	Content(sha string) (Content, error)
}

// fileContent is an immutable file: a rendition in the planner's cache.
type fileContent struct {
	path string
	sha  string
	size int64
}

func (c fileContent) Open() (io.ReadCloser, error) { return os.Open(c.path) }
func (c fileContent) Size() int64                  { return c.size }
func (c fileContent) SHA256() string               { return c.sha }

// memoryContent is a Content in memory.
type memoryContent struct {
	data []byte
	sha  string
}

func (c *memoryContent) Open() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(c.data)), nil
}
func (c *memoryContent) Size() int64    { return int64(len(c.data)) }
func (c *memoryContent) SHA256() string { return c.sha }

// readerAt opens c for random access. Contents that are files serve it
// directly; others are read into memory, at most limit bytes.
func readerAt(c Content, limit int64) (io.ReaderAt, io.Closer, error) {
	r, err := c.Open()
	if err != nil {
		return nil, nil, err
	}
	if at, ok := r.(io.ReaderAt); ok {
		return at, r, nil
	}
	data, err := io.ReadAll(io.LimitReader(r, min(limit, c.Size())))
	if err != nil {
		_ = r.Close() // the read error says more
		return nil, nil, err
	}
	return bytes.NewReader(data), r, nil
}

// sourceReader reads for a decoder. It stops when its context ends, because a
// decoder knows no context, and keeps the error of the source, so that a disk
// that fails is not taken for a file that is damaged.
type sourceReader struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (s *sourceReader) Read(p []byte) (int, error) {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
