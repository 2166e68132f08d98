package upstream

import (
	"encoding/base64"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// BufferSize is the raw part of a file that is in memory at once. It is a
// multiple of 3, so that base64 rarely has to move bytes.
const BufferSize = 96 << 10

// InlineText is the size up to which a text document belongs into the request as
// it is. Longer ones, and everything that becomes base64, are streamed.
const InlineText = 64 << 10

// NewBuffers returns a pool of buffers of size bytes.
func NewBuffers(size int) *sync.Pool {
	return &sync.Pool{New: func() any { b := make([]byte, size); return &b }}
}

// encodedSize returns how many bytes a file has inside the JSON.
func encodedSize(s slot, buffers *sync.Pool) (int64, error) {
	if s.as == AsBase64 {
		return (s.content.Size() + 2) / 3 * 4, nil
	}
	// Escapes make text longer by what only reading it tells.
	r, err := openSlot(s, buffers)
	if err != nil {
		return 0, &ContentError{err}
	}
	defer r.Close()
	scratch := buffers.Get().(*[]byte)
	defer buffers.Put(scratch)
	var size int64
	for {
		n, err := r.Read(*scratch)
		size += int64(n)
		if err == io.EOF {
			return size, nil
		}
		if err != nil {
			return 0, &ContentError{err}
		}
	}
}

// openSlot returns a reader of the encoded file.
func openSlot(s slot, buffers *sync.Pool) (io.ReadCloser, error) {
	r, err := s.content.Open()
	if err != nil {
		return nil, err
	}
	raw := rawReader{src: r, left: s.content.Size(), buffers: buffers, buf: buffers.Get().(*[]byte)}
	if s.as == AsText {
		return &textReader{rawReader: raw}, nil
	}
	return &base64Reader{rawReader: raw}, nil
}

// rawReader holds the part of a file that is being encoded, buf[from:to], and
// sees to it that the file is as long as was announced.
type rawReader struct {
	src      io.ReadCloser
	left     int64
	buffers  *sync.Pool
	buf      *[]byte
	from, to int
	eof      bool
}

// fill makes at least want bytes available, fewer only at the end of the file.
// With nothing left it returns io.EOF.
func (r *rawReader) fill(want int) error {
	if r.to-r.from < want && !r.eof {
		r.to = copy(*r.buf, (*r.buf)[r.from:r.to])
		r.from = 0
		n, err := io.ReadFull(r.src, (*r.buf)[r.to:])
		r.to += n
		r.left -= int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			r.eof, err = true, nil
		}
		if err != nil {
			return err
		}
		if r.left < 0 || r.eof && r.left > 0 {
			return errSize
		}
	}
	if r.from == r.to {
		return io.EOF
	}
	return nil
}

// Close gives the buffer back and closes the file.
func (r *rawReader) Close() error {
	if r.buf != nil {
		r.buffers.Put(r.buf)
		r.buf, r.from, r.to, r.eof = nil, 0, 0, true
	}
	return r.src.Close()
}

// base64Reader emits a file in standard base64 with padding.
type base64Reader struct {
	rawReader
	quad  [4]byte
	carry []byte // what of quad is still to be emitted
}

// Read implements [io.Reader]. It encodes straight into p.
func (r *base64Reader) Read(p []byte) (n int, err error) {
	n = copy(p, r.carry)
	r.carry = r.carry[n:]
	for n < len(p) {
		if err := r.fill(3); err != nil {
			if err == io.EOF && n > 0 {
				return n, nil
			}
			return n, err
		}
		ready := (*r.buf)[r.from:r.to]
		room := (len(p) - n) / 4 * 3
		if room == 0 {
			ready = ready[:min(3, len(ready))]
			base64.StdEncoding.Encode(r.quad[:], ready)
			c := copy(p[n:], r.quad[:])
			r.carry = r.quad[c:]
			r.from += len(ready)
			return n + c, nil
		}
		if len(ready) > room {
			ready = ready[:room]
		} else if !r.eof {
			ready = ready[:len(ready)/3*3]
		}
		base64.StdEncoding.Encode(p[n:], ready)
		n += base64.StdEncoding.EncodedLen(len(ready))
		r.from += len(ready)
	}
	return n, nil
}

// textReader emits a file as the inside of a JSON string, escaped exactly as
// encoding/json escapes, which is how the SDK would write a short one.
type textReader struct {
	rawReader
	escape [6]byte
	carry  []byte // what of escape is still to be emitted
}

// Read implements [io.Reader].
func (r *textReader) Read(p []byte) (n int, err error) {
	n = copy(p, r.carry)
	r.carry = r.carry[n:]
	for n < len(p) {
		if err := r.fill(utf8.UTFMax); err != nil {
			if err == io.EOF && n > 0 {
				return n, nil
			}
			return n, err
		}
		ready := (*r.buf)[r.from:r.to]
		if plain := plainRun(ready[:min(len(ready), len(p)-n)]); plain > 0 {
			n += copy(p[n:], ready[:plain])
			r.from += plain
			continue
		}
		escaped, used := appendEscaped(r.escape[:0], ready)
		c := copy(p[n:], escaped)
		r.carry = escaped[c:]
		r.from += used
		n += c
	}
	return n, nil
}

// plainRun returns how many bytes of s stand for themselves in a JSON string.
func plainRun(s []byte) int {
	for i := range s {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return i
		}
	}
	return len(s)
}

const hexDigits = "0123456789abcdef"

// shortEscapes are the characters with a short escape, and the letters of those.
var shortEscapes = [2]string{"\"\\\b\f\n\r\t", "\"\\bfnrt"}

// appendEscaped appends the first character of s to b as JSON has it, and returns
// how many bytes of s it is.
func appendEscaped(b, s []byte) (escaped []byte, used int) {
	if c := s[0]; c < utf8.RuneSelf {
		if i := strings.IndexByte(shortEscapes[0], c); i >= 0 {
			return append(b, '\\', shortEscapes[1][i]), 1
		}
		return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf]), 1
	}
	c, size := utf8.DecodeRune(s)
	switch {
	case c == utf8.RuneError && size == 1:
		return append(b, `\ufffd`...), 1
	case c == '\u2028' || c == '\u2029':
		return append(b, '\\', 'u', '2', '0', '2', hexDigits[c&0xf]), size
	default:
		return append(b, s[:size]...), size
	}
}
