package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"belay/internal/attachment"
	"belay/internal/session"
	"belay/internal/tool"
)

// KeptContent is a content of a change that was kept, of that hash and size: a blob, or
// a part of the change's pack.
func KeptContent(blobs tool.Blobs, c session.Change, sha string, size, at int64) (attachment.Content, error) {
	if c.Pack == "" {
		return blobs.Content(sha)
	}
	pack, err := blobs.Content(c.Pack)
	if err != nil {
		return nil, err
	}
	if at < 0 || size < 0 || at > pack.Size()-size {
		return nil, fmt.Errorf("the pack %s has no content at %d: %w", c.Pack, at, session.ErrNoBlob)
	}
	p := part{pack, sha, size, at}
	return p, p.prove()
}

// part is a content in a pack.
type part struct {
	pack     attachment.Content
	sha      string
	size, at int64
}

var _ attachment.Content = part{}

func (p part) Size() int64    { return p.size }
func (p part) SHA256() string { return p.sha }

// prove fails with [session.ErrNoBlob] where the pack has another content there.
func (p part) prove() error {
	r, err := p.Open()
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, r)
	if err = errors.Join(err, r.Close()); err == nil && hex.EncodeToString(sum.Sum(nil)) != p.sha {
		err = fmt.Errorf("the pack %s has another content at %d: %w", p.pack.SHA256(), p.at, session.ErrNoBlob)
	}
	return err
}

// Open implements [attachment.Content].
func (p part) Open() (io.ReadCloser, error) {
	r, err := p.pack.Open()
	if err != nil {
		return nil, err
	}
	if seeker, ok := r.(io.Seeker); ok {
		_, err = seeker.Seek(p.at, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, r, p.at)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return partReader{io.LimitReader(r, p.size), r}, nil
}

// partReader reads a part and closes its pack.
type partReader struct {
	io.Reader
	io.Closer
}
