package client

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// errTooLong ends a stream with an event larger than the cap.
var errTooLong = errors.New("event is too large")

// message is one Server-Sent Event.
type message struct {
	// id is the event's own; "" when it gave none.
	id    string
	event string
	data  []byte
}

// decoder reads Server-Sent Events as the WHATWG standard defines them: lines
// end with LF, CR or CRLF, comments and unknown fields are skipped, data lines
// are joined, and an event counts only once the blank line after it has come.
type decoder struct {
	r     *bufio.Reader
	limit int
	// begun is set after the first line, which may start with a byte order mark.
	begun bool
	// skipLF is set after a CR, which may be half of a line end.
	skipLF bool
	line   []byte
}

func newDecoder(r io.Reader, limit int) *decoder {
	return &decoder{r: bufio.NewReaderSize(r, 4096), limit: limit}
}

// next returns the next event that has data; the caller may keep it. An event
// that the end of the stream cut off is dropped.
func (d *decoder) next() (message, error) {
	var m message
	for has := false; ; {
		line, err := d.readLine()
		if err != nil {
			return message{}, err
		}
		if len(line) == 0 {
			if has {
				return m, nil
			}
			m = message{}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			m.event = string(value)
		case "data":
			if has {
				m.data = append(m.data, '\n')
			}
			if has = true; len(m.data)+len(value) > d.limit {
				return message{}, fmt.Errorf("%w: more than %d bytes", errTooLong, d.limit)
			}
			m.data = append(m.data, value...)
		case "id":
			if id := string(value); !strings.ContainsRune(id, 0) {
				m.id = id
			}
		}
	}
}

// readLine returns a line without its end, valid until the next call. A line that
// the stream's end cut off is an error.
func (d *decoder) readLine() ([]byte, error) {
	d.line = d.line[:0]
	for {
		if _, err := d.r.Peek(1); err != nil {
			return nil, err
		}
		chunk, _ := d.r.Peek(d.r.Buffered())
		if d.skipLF {
			d.skipLF = false
			if chunk[0] == '\n' {
				_, _ = d.r.Discard(1)
				continue
			}
		}
		end := bytes.IndexAny(chunk, "\r\n")
		n := end
		if end < 0 {
			n = len(chunk)
		}
		if len(d.line)+n > d.limit {
			return nil, fmt.Errorf("%w: more than %d bytes", errTooLong, d.limit)
		}
		d.line = append(d.line, chunk[:n]...)
		if end < 0 {
			_, _ = d.r.Discard(n)
			continue
		}
		d.skipLF = chunk[end] == '\r'
		_, _ = d.r.Discard(end + 1)
		if !d.begun {
			d.begun = true
			return bytes.TrimPrefix(d.line, []byte("\ufeff")), nil
		}
		return d.line, nil
	}
}
