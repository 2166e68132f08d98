package upstream

import (
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// BufferSize is the raw part of a file that is in memory at once. It is a multiple of 3,
// so that base64 rarely has to move bytes.
const BufferSize = 96 << 10

// InlineText is the size up to which a text document belongs into the request as
// it is. Longer ones, and everything that becomes base64, are streamed.
const InlineText = 64 << 10

// NewBuffers returns a pool of buffers of size bytes.
func NewBuffers(size int) *sync.Pool {
	return &sync.Pool{New: func() any { b := make([]byte, size); return &b }}
}

// size returns how many bytes the file has inside the JSON.
func (s *slot) size(buffers *sync.Pool) (int64, error) {
	if s.as == AsBase64 {
		return (s.content.Size() + 2) / 3 * 4, nil
	}
	// Escapes make text longer by what only reading it tells.
	var n counter
	err := s.write(&n, buffers)
	return int64(n), err
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// write writes the encoded file. A file that cannot be read, or is not as long as it
// says, is a [ContentError].
func (s *slot) write(w io.Writer, buffers *sync.Pool) error {
	r, err := s.content.Open()
	if err != nil {
		return &ContentError{err}
	}
	defer r.Close()
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	var (
		out    = make([]byte, 0, len(*buf)/3*4+4)
		left   = s.content.Size()
		behind int // bytes at the beginning of buf that wait for those after them
	)
	for ended := false; !ended; {
		n, err := io.ReadFull(r, (*buf)[behind:])
		left -= int64(n)
		ended = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case err != nil && !ended:
			return &ContentError{err}
		case left < 0, ended && left > 0:
			return &ContentError{errSize}
		}
		chunk := (*buf)[:behind+n]
		whole := len(chunk)
		if !ended {
			whole = s.as.whole(chunk)
		}
		out = s.as.encode(out[:0], chunk[:whole])
		if _, err := w.Write(out); err != nil {
			return err
		}
		behind = copy(*buf, chunk[whole:])
	}
	return nil
}

// whole returns how many of the bytes can be encoded without those after them.
func (e Encoding) whole(b []byte) int {
	if e == AsBase64 {
		return len(b) / 3 * 3
	}
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

// encode appends bytes as the inside of a JSON string. Text is escaped exactly as
// encoding/json escapes, which is how the SDK would write a short one.
func (e Encoding) encode(out, b []byte) []byte {
	if e == AsBase64 {
		return base64.StdEncoding.AppendEncode(out, b)
	}
	for len(b) > 0 {
		plain := plainRun(b)
		out, b = append(out, b[:plain]...), b[plain:]
		if len(b) > 0 {
			var used int
			out, used = appendEscaped(out, b)
			b = b[used:]
		}
	}
	return out
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
