package upstream

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
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
		out    []byte
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
		if out, err = s.as.encode(out[:0], chunk[:whole]); err != nil {
			return err
		}
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

// encode appends bytes as the inside of a JSON string, escaped as encoding/json does,
// which is how the SDK would write a short text.
func (e Encoding) encode(out, b []byte) ([]byte, error) {
	if e == AsBase64 {
		return base64.StdEncoding.AppendEncode(out, b), nil
	}
	quoted, err := json.Marshal(string(b))
	if err != nil {
		return nil, err
	}
	return append(out, quoted[1:len(quoted)-1]...), nil
}
