package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"path"
	"slices"

	"belay/internal/attachment"
	"belay/internal/attachment/block"
	"belay/internal/attachment/download"
	"belay/internal/tool"
)

// saving saves the files of one call, one after the other. Left is how many bytes the call
// may still take in, paths are the paths of the files that are there, by their hashes.
type saving struct {
	call  *receiveCall
	left  int64
	paths map[string]string
}

// arrived is a file that came, and its type as it was announced.
type arrived struct {
	attachment.Content
	mimeType string
	close    func() error
}

// save gets an item and writes it, unless its content is there.
func (s *saving) save(ctx context.Context, it block.Item, got *received) (err error) {
	file, err := s.get(ctx, it)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.close()) }()
	s.left -= file.Size()
	sha := file.SHA256()
	got.SHA10, got.Bytes, got.MIMEType = sha[:sha10], file.Size(), file.mimeType
	if got.Path = s.paths[sha]; got.Path != "" {
		return nil
	}
	if got.Path, err = s.call.write(ctx, file, extensionOf(file.mimeType, it)); err == nil {
		s.paths[sha] = got.Path
	}
	return err
}

// get is the file of an item: an upload from the project's blobs, any other from its
// address.
func (s *saving) get(ctx context.Context, it block.Item) (*arrived, error) {
	most, setting := s.call.w.Limits.ReceiveFileBytes, "tools.receive_file_bytes"
	if s.left < most {
		most, setting = s.left, "tools.receive_call_bytes"
	}
	if it.SHA256 == "" {
		return s.fetch(ctx, it, most, setting)
	}
	content, err := s.call.w.Blobs.Content(it.SHA256)
	if err != nil {
		return nil, tool.Refuse("the file is not stored any more").WithHint("ask the person to send it again").Because(err)
	}
	if size := content.Size(); size > most {
		return nil, tool.Refuse("it has %d bytes; %d are allowed (%s)", size, max(most, 0), setting)
	}
	return &arrived{content, it.MIMEType, func() error { return nil }}, nil
}

// fetch downloads an item. An address that has expired is renewed once.
func (s *saving) fetch(ctx context.Context, it block.Item, most int64, setting string) (*arrived, error) {
	if most <= 0 {
		return nil, tool.Refuse("the files before it have as many bytes as one call takes in (%s)", setting)
	}
	address, err := s.call.links.Address(it)
	if err != nil {
		return nil, err
	}
	d := s.call.downloads.UpTo(most, setting)
	file, err := d.Fetch(ctx, address)
	if !expired(err) {
		return downloaded(file, err)
	}
	if address, err = s.call.links.Renew(ctx, it); err != nil {
		return nil, err
	}
	return downloaded(d.Fetch(ctx, address))
}

// expired reports whether a download failed as one does whose signature is not valid any
// more.
func expired(err error) bool {
	var e *download.Error
	return errors.As(err, &e) && slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone}, e.Status)
}

// downloaded is a downloaded file with its hash.
func downloaded(file *download.File, err error) (*arrived, error) {
	if err != nil {
		return nil, err
	}
	c := &fetched{file: file}
	r, err := c.Open()
	if err == nil {
		h := sha256.New()
		_, err = io.Copy(h, r)
		err = errors.Join(err, r.Close())
		c.sha256 = hex.EncodeToString(h.Sum(nil))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &arrived{c, file.MIMEType, file.Close}, nil
}

// fetched is a downloaded file as content.
type fetched struct {
	file   *download.File
	sha256 string
}

// Open implements [attachment.Content].
func (f *fetched) Open() (io.ReadCloser, error) { return f.file.Open() }

// Size implements [attachment.Content].
func (f *fetched) Size() int64 { return f.file.Bytes }

// SHA256 implements [attachment.Content].
func (f *fetched) SHA256() string { return f.sha256 }

// sha10 is how many digits of its hash are the name of a file.
const sha10 = 10

// write puts a file into the folder of the call and returns its path. Its name is the
// beginning of its hash. Should another file have that name, it is the whole hash.
func (c *receiveCall) write(ctx context.Context, file attachment.Content, ext string) (string, error) {
	for _, base := range []string{file.SHA256()[:sha10], file.SHA256()} {
		p := c.dir
		p.name, p.missing, p.info = path.Join(c.dir.name, base+ext), c.dir.missing+1, nil
		switch done, err := c.put(ctx, p, file); {
		case err != nil:
			return "", err
		case done:
			return p.shown(), nil
		}
	}
	return "", tool.Refuse("another file has its name").WithHint("name another downloadDir")
}
