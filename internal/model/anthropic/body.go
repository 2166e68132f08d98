package anthropic

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

// The body of a request is its JSON with the files still missing, and the files.
// While the SDK marshals the parameters, a file is a placeholder: a string that
// nobody can guess, so no text can contain it by accident or on purpose. Before
// the request is sent, the JSON is cut at the placeholders, and a reader emits
// the pieces with the encoded files in between. The length is known beforehand,
// so the service sees an ordinary request.

// encoding is how a file becomes part of a JSON string.
type encoding int

const (
	asBase64 encoding = iota
	asText
	asJSON // in place of the string
)

// slots are the files of one request, in the order of their placeholders.
type slots struct {
	prefix string
	files  []slot
}

type slot struct {
	content attachment.Content
	as      encoding
	json    []byte // instead of content
}

// indexDigits is the width of the number that ends a placeholder.
const indexDigits = 8

func newSlots() *slots { return &slots{prefix: "belay-file-" + rand.Text() + "-"} }

// add takes a file in and returns its placeholder, which JSON leaves as it is.
func (s *slots) add(c attachment.Content, as encoding) string {
	return s.addSlot(slot{content: c, as: as})
}

// addJSON is add for JSON that is there already.
func (s *slots) addJSON(text []byte) string { return s.addSlot(slot{as: asJSON, json: text}) }

func (s *slots) addSlot(f slot) string {
	s.files = append(s.files, f)
	return fmt.Sprintf("%s%0*d", s.prefix, indexDigits, len(s.files)-1)
}

// payload is a body ready to be sent, as often as need be.
type payload struct {
	pieces  []piece
	size    int64
	buffers *sync.Pool
}

// piece is a run of JSON or a file.
type piece struct {
	json []byte
	file *slot
}

// cut returns body with the files in place of their placeholders. Every file
// must be in body exactly once.
func (s *slots) cut(body []byte, buffers *sync.Pool) (*payload, error) {
	p := &payload{buffers: buffers}
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

// attach makes p the body of req.
func (p *payload) attach(req *http.Request) {
	req.ContentLength = p.size
	req.GetBody = func() (io.ReadCloser, error) { return p.open(), nil }
	req.Body = p.open()
}

func (p *payload) open() io.ReadCloser { return &bodyReader{payload: p} }

// bodyReader emits a payload. The transport may close it from another goroutine
// while a read is under way, hence the lock.
type bodyReader struct {
	payload *payload

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
				return n, &contentError{err}
			}
		case b.next < len(b.payload.pieces):
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
	next := b.payload.pieces[b.next]
	b.next++
	if next.file == nil {
		b.json = next.json
		return nil
	}
	r, err := openSlot(*next.file, b.payload.buffers)
	if err != nil {
		return &contentError{err}
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

// contentError says that an attachment's bytes could not be read: a fault of
// this machine, not of the network.
type contentError struct{ err error }

func (e *contentError) Error() string { return "attachment content: " + e.err.Error() }
func (e *contentError) Unwrap() error { return e.err }

// errSize is content that is not as long as it says.
var errSize = errors.New("the content does not have the size that was recorded for it")
