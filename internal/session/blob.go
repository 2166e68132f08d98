package session

import (
	"errors"
	"io"
	"os"

	"belay/internal/attachment"
	"belay/internal/durable"
	"belay/internal/fault"
)

// Content returns a blob by its hash. An ill-formed hash, and one that is not
// there or whose bytes were changed, is NOT_FOUND with [ErrNoBlob] in its chain.
func (b *Blobs) Content(sha string) (attachment.Content, error) {
	if !hashPattern.MatchString(sha) {
		return nil, fault.New(fault.NotFound, "the content hash is not 64 lower-case hex digits").Because(ErrNoBlob)
	}
	root, err := b.open(false)
	if err == nil {
		defer func() { _ = root.Close() }()
		f, info, e := b.prove(root, sha)
		if e == nil {
			_ = f.Close() // it was only read
			return blob{b, sha, info.Size()}, nil
		}
		err = e
	}
	return nil, absent(sha, err)
}

// absent is the fault for content that cannot be had.
func absent(sha string, err error) error {
	switch {
	case errors.Is(err, errNotGenuine):
		return fault.New(fault.NotFound, "the stored bytes of attachment %s were changed behind belay's back", sha).Because(ErrNoBlob)
	case missing(err), errors.Is(err, durable.ErrNotRegular):
		return fault.New(fault.NotFound, "no attachment has the content %s", sha).Because(ErrNoBlob)
	}
	return storage("the attachment cannot be read", err)
}

// blob is one stored content.
type blob struct {
	store *Blobs
	sha   string
	size  int64
}

var _ attachment.Content = blob{}

func (b blob) Size() int64    { return b.size }
func (b blob) SHA256() string { return b.sha }

// Open opens the blob; it is NOT_FOUND when it was removed or changed since.
func (b blob) Open() (io.ReadCloser, error) {
	root, err := b.store.open(false)
	if err == nil {
		defer func() { _ = root.Close() }()
		var f *os.File
		if f, _, err = b.store.prove(root, b.sha); err == nil {
			return f, nil
		}
	}
	return nil, absent(b.sha, err)
}
