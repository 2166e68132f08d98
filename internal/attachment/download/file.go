package download

import (
	"bytes"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sync/semaphore"

	"belay/internal/attachment"
	"belay/internal/fault"
)

// File is what was downloaded: a file on disk, or in memory where it is no larger
// than what a body is copied through.
type File struct {
	// URL is where it came from, for people: without credentials and query.
	URL   string
	Bytes int64
	// MIMEType is what the server says of the content, "" for nothing. It may be wrong.
	MIMEType string

	small []byte
	path  string // "" without a file on disk
	room  *semaphore.Weighted
	held  int64
}

// Open opens the file for reading; the caller closes what it gets. A file can be
// opened several times. The error is a STORAGE_FAILURE.
func (f *File) Open() (attachment.File, error) {
	if f.path == "" {
		return memory{bytes.NewReader(f.small)}, nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return nil, fault.New(fault.StorageFailure, "a download could not be read").Because(err)
	}
	return file, nil
}

// Close removes the file. It may be called twice.
func (f *File) Close() error {
	var err error
	if f.path != "" {
		err = os.Remove(f.path)
		f.path = ""
	}
	f.small = nil
	f.release(f.held)
	return err
}

// settle gives back the room that the file does not need.
func (f *File) settle() { f.release(f.held - f.Bytes) }

func (f *File) release(n int64) {
	if f.room != nil && n > 0 {
		f.room.Release(n)
		f.held -= n
	}
}

// memory is an open file that is on no disk.
type memory struct{ *bytes.Reader }

// Stat implements [fs.File].
func (m memory) Stat() (fs.FileInfo, error) { return info(m.Size()), nil }

// Close implements [fs.File].
func (memory) Close() error { return nil }

// info describes a regular file of so many bytes.
type info int64

func (info) Name() string       { return "" }
func (i info) Size() int64      { return int64(i) }
func (info) Mode() fs.FileMode  { return 0o600 }
func (info) ModTime() time.Time { return time.Time{} }
func (info) IsDir() bool        { return false }
func (info) Sys() any           { return nil }
