package api

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
)

// largeBody is from which length on, in bytes, an answer is kept in its compressed form
// alone.
const largeBody = 256 << 10

// spool takes an answer as it is written. A large one is never in memory as a whole: it is
// compressed as it comes.
type spool struct {
	plain  bytes.Buffer
	packed bytes.Buffer
	zip    *gzip.Writer
	size   int64
}

// Write implements io.Writer.
func (s *spool) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	if s.zip == nil && s.size > largeBody {
		var err error
		if s.zip, err = gzip.NewWriterLevel(&s.packed, gzip.BestSpeed); err != nil {
			return 0, err
		}
		if _, err := s.plain.WriteTo(s.zip); err != nil {
			return 0, err
		}
		s.plain = bytes.Buffer{}
	}
	if s.zip != nil {
		return s.zip.Write(p)
	}
	return s.plain.Write(p)
}

// kept is what was written. The tag of a large answer is the hash of its compressed form, which
// has fewer bytes.
func (s *spool) kept() (*kept, error) {
	if s.zip == nil {
		body := bytes.Clone(s.plain.Bytes())
		return &kept{tag: tagOf(body), body: body, size: s.size}, nil
	}
	if err := s.zip.Close(); err != nil {
		return nil, err
	}
	packed := bytes.Clone(s.packed.Bytes())
	return &kept{tag: tagOf(packed), packed: packed, size: s.size}, nil
}

// written is what write writes, to be kept.
func written(write func(io.Writer) error) (*kept, error) {
	var s spool
	if err := write(&s); err != nil {
		return nil, err
	}
	return s.kept()
}

// WriteTo implements io.WriterTo: it sends the body.
func (k *kept) WriteTo(w io.Writer) (int64, error) {
	if k.packed == nil {
		n, err := w.Write(k.body)
		return int64(n), err
	}
	z, err := gzip.NewReader(bytes.NewReader(k.packed))
	if err != nil {
		return 0, err
	}
	return io.Copy(w, z)
}
