package upstream

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"belay/internal/attachment"
)

// Encoding is how a file becomes part of a JSON string.
type Encoding int

// The encodings of files.
const (
	// AsBase64 is standard base64 with padding.
	AsBase64 Encoding = iota
	// AsText is UTF-8 text with JSON's escapes.
	AsText
)

// Files are the files of one request, in the order of their placeholders. The zero
// value has none.
//
// The body of a request is its JSON with the files still missing, and the files.
// While the JSON is made, a file is a placeholder: a string that nobody can guess,
// so no text can contain it by accident or on purpose. Before the request is sent,
// the JSON is cut at the placeholders, and a reader emits the pieces with the
// encoded files in between. The length is known beforehand, so the service sees an
// ordinary request.
type Files struct {
	prefix string // of the placeholders, from the first file on
	files  []slot
}

type slot struct {
	content attachment.Content
	as      Encoding
}

// indexDigits is the width of the number that ends a placeholder.
const indexDigits = 8

// Add takes a file in and returns its placeholder, which JSON leaves as it is.
func (s *Files) Add(c attachment.Content, as Encoding) string {
	if s.prefix == "" {
		s.prefix = "belay-file-" + rand.Text() + "-"
	}
	s.files = append(s.files, slot{content: c, as: as})
	return fmt.Sprintf("%s%0*d", s.prefix, indexDigits, len(s.files)-1)
}

// Body is a body ready to be sent, as often as need be.
type Body struct {
	pieces  []piece
	size    int64
	buffers *sync.Pool
}

// piece is a run of JSON or a file.
type piece struct {
	json []byte
	file *slot
}

// Cut returns body, which it keeps, with the files in place of their placeholders.
// Every file must be in body exactly once. A body over limit bytes, unless that is
// 0, is a [RequestSizeError].
func (s *Files) Cut(body []byte, limit int64, buffers *sync.Pool) (*Body, error) {
	b := &Body{buffers: buffers}
	seen := 0
	for len(s.files) > 0 {
		i := bytes.Index(body, []byte(s.prefix))
		if i < 0 {
			break
		}
		end := i + len(s.prefix) + indexDigits
		if end > len(body) {
			return nil, errors.New("a placeholder is cut short")
		}
		// Marshalling keeps the order in which the files were added.
		if n, err := strconv.Atoi(string(body[end-indexDigits : end])); err != nil || n != seen || n >= len(s.files) {
			return nil, errors.New("a placeholder is out of order")
		}
		file := &s.files[seen]
		seen++
		size, err := file.size(buffers)
		if err != nil {
			return nil, err
		}
		b.pieces = append(b.pieces, piece{json: body[:i]}, piece{file: file})
		b.size += int64(i) + size
		body = body[end:]
	}
	if seen != len(s.files) {
		return nil, errors.New("a placeholder is missing")
	}
	b.pieces = append(b.pieces, piece{json: body})
	b.size += int64(len(body))
	if limit > 0 && b.size > limit {
		return nil, &RequestSizeError{b.size, limit}
	}
	return b, nil
}

// Size is the length of the body in bytes.
func (b *Body) Size() int64 { return b.size }

// Open returns a reader of the whole body. The caller closes it.
func (b *Body) Open() io.ReadCloser {
	if len(b.pieces) == 1 {
		return io.NopCloser(bytes.NewReader(b.pieces[0].json))
	}
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(b.write(w)) }() // until it is read to its end, or closed
	return r
}

func (b *Body) write(w io.Writer) error {
	for _, p := range b.pieces {
		var err error
		if p.file != nil {
			err = p.file.write(w, b.buffers)
		} else {
			_, err = w.Write(p.json)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadText returns the text of a short document.
func ReadText(c attachment.Content) (string, error) {
	r, err := c.Open()
	if err != nil {
		return "", &ContentError{err}
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, c.Size()+1))
	if err != nil {
		return "", &ContentError{err}
	}
	if int64(len(data)) != c.Size() {
		return "", &ContentError{errSize}
	}
	return string(data), nil
}

// ContentError says that an attachment's bytes could not be read: a fault of
// this machine, not of the network.
type ContentError struct{ err error }

// Error implements error.
func (e *ContentError) Error() string { return "attachment content: " + e.err.Error() }

// Unwrap returns the cause.
func (e *ContentError) Unwrap() error { return e.err }

// errSize is content that is not as long as it says.
var errSize = errors.New("the content does not have the size that was recorded for it")
