package upstream

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
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
	asJSON // in place of the string
)

// Files are the files of one request, in the order of their placeholders.
//
// The body of a request is its JSON with the files still missing, and the files.
// While an SDK marshals the parameters, a file is a placeholder: a string that
// nobody can guess, so no text can contain it by accident or on purpose. Before
// the request is sent, the JSON is cut at the placeholders, and a reader emits
// the pieces with the encoded files in between. The length is known beforehand,
// so the service sees an ordinary request.
type Files struct {
	prefix string
	files  []slot
}

type slot struct {
	content attachment.Content
	as      Encoding
	json    []byte // instead of content
}

// indexDigits is the width of the number that ends a placeholder.
const indexDigits = 8

// NewFiles returns an empty set with placeholders of its own.
func NewFiles() *Files { return &Files{prefix: "belay-file-" + rand.Text() + "-"} }

// Add takes a file in and returns its placeholder, which JSON leaves as it is.
func (s *Files) Add(c attachment.Content, as Encoding) string {
	return s.addSlot(slot{content: c, as: as})
}

// AddJSON is Add for JSON that is there already.
func (s *Files) AddJSON(text []byte) string { return s.addSlot(slot{as: asJSON, json: text}) }

func (s *Files) addSlot(f slot) string {
	s.files = append(s.files, f)
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

// Cut returns body with the files in place of their placeholders. Every file
// must be in body exactly once.
func (s *Files) Cut(body []byte, buffers *sync.Pool) (*Body, error) {
	p := &Body{buffers: buffers}
	seen := 0
	for {
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
		if file.as == asJSON {
			if i == 0 || end == len(body) || body[i-1] != '"' || body[end] != '"' {
				return nil, errors.New("a placeholder is no string")
			}
			p.pieces = append(p.pieces, piece{json: body[:i-1]}, piece{json: file.json})
			p.size += int64(i-1) + int64(len(file.json))
			body = body[end+1:]
			continue
		}
		size, err := encodedSize(*file, buffers)
		if err != nil {
			return nil, err
		}
		p.pieces = append(p.pieces, piece{json: body[:i]}, piece{file: file})
		p.size += int64(i) + size
		body = body[end:]
	}
	if seen != len(s.files) {
		return nil, errors.New("a placeholder is missing")
	}
	p.pieces = append(p.pieces, piece{json: body})
	p.size += int64(len(body))
	return p, nil
}

// Attach makes p the body of req.
func (p *Body) Attach(req *http.Request) {
	req.ContentLength = p.size
	req.GetBody = func() (io.ReadCloser, error) { return p.Open(), nil }
	req.Body = p.Open()
}

// Size is the length of the body in bytes.
func (p *Body) Size() int64 { return p.size }

// Open returns a reader of the whole body.
func (p *Body) Open() io.ReadCloser { return &bodyReader{body: p} }

// bodyReader emits a body. The transport may close it from another goroutine
// while a read is under way, hence the lock.
type bodyReader struct {
	body *Body

	mu     sync.Mutex
	next   int    // the piece after the current one
	json   []byte // what is left of the current run of JSON
	file   io.ReadCloser
	closed bool
}

var errBodyClosed = errors.New("read of a closed request body")

// Read implements [io.Reader]. It fills p as far as it can, so that the
// transport writes in large pieces.
func (b *bodyReader) Read(p []byte) (n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, errBodyClosed
	}
	for n < len(p) {
		switch {
		case len(b.json) > 0:
			c := copy(p[n:], b.json)
			b.json = b.json[c:]
			n += c
		case b.file != nil:
			c, err := b.file.Read(p[n:])
			n += c
			if err == io.EOF {
				err = b.file.Close()
				b.file = nil
			}
			if err != nil {
				return n, &ContentError{err}
			}
		case b.next < len(b.body.pieces):
			if err := b.advance(); err != nil {
				return n, err
			}
		case n > 0:
			return n, nil
		default:
			return 0, io.EOF
		}
	}
	return n, nil
}

func (b *bodyReader) advance() error {
	next := b.body.pieces[b.next]
	b.next++
	if next.file == nil {
		b.json = next.json
		return nil
	}
	r, err := openSlot(*next.file, b.body.buffers)
	if err != nil {
		return &ContentError{err}
	}
	b.file = r
	return nil
}

// Close implements [io.Closer].
func (b *bodyReader) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.file == nil {
		return nil
	}
	err := b.file.Close()
	b.file = nil
	return err
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

// Stuff puts the files into the body of req, which an SDK has made. A body over
// limit bytes, unless that is 0, is a [RequestSizeError].
func Stuff(req *http.Request, files *Files, limit int64, buffers *sync.Pool) error {
	body, err := req.GetBody()
	if err != nil {
		return err
	}
	data := make([]byte, req.ContentLength)
	if _, err := io.ReadFull(body, data); err != nil {
		return err
	}
	load, err := files.Cut(data, buffers)
	if err != nil {
		return err
	}
	if limit > 0 && load.size > limit {
		return &RequestSizeError{load.size, limit}
	}
	load.Attach(req)
	return nil
}
