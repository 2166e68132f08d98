package upstream

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Events reads the Server-Sent Events of an answer one after the other. It makes
// nothing for an event that it did not make for the one before: an answer has
// thousands of them.
type Events struct {
	lines *bufio.Scanner
	most  int64
	begun bool
	err   error
	// comment is called for each comment, which is how services keep a connection
	// open; nil skips them. When it returns false, nothing more is read.
	comment func() bool

	name, data []byte
}

// NewEvents returns a reader of body, in which no line and no event may have more
// than most bytes.
func NewEvents(body io.Reader, most int64) *Events {
	e := &Events{lines: bufio.NewScanner(body), most: most}
	e.lines.Buffer(nil, int(most)+1) // with the line's end
	return e
}

// byteOrderMark is no part of the first line (HTML standard, 9.2.5).
var byteOrderMark = []byte("\ufeff")

// Next reads the next event and reports whether there is one. An event counts only
// once the blank line after it has come.
func (e *Events) Next() bool {
	e.name, e.data = e.name[:0], e.data[:0]
	said := false // even if it was nothing
	for e.err == nil && e.lines.Scan() {
		line := e.lines.Bytes()
		if !e.begun {
			e.begun, line = true, bytes.TrimPrefix(line, byteOrderMark)
		}
		if len(line) == 0 {
			if said || len(e.name) > 0 {
				return true
			}
			continue
		}
		if line[0] == ':' && e.comment != nil && !e.comment() {
			return false
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			e.name = append(e.name[:0], value...)
		case "data":
			if said {
				e.data = append(e.data, '\n')
			}
			said = true
			if int64(len(e.data)+len(value)) > e.most {
				e.err = &lineError{e.most}
			}
			e.data = append(e.data, value...)
		}
	}
	if e.err == nil {
		e.err = e.lines.Err()
	}
	if errors.Is(e.err, bufio.ErrTooLong) {
		e.err = &lineError{e.most}
	}
	return false
}

// Name is the event's name, or empty. It is valid until the next call of Next.
func (e *Events) Name() []byte { return e.name }

// Data is what the event says, its lines joined. It is valid until the next call of
// Next.
func (e *Events) Data() []byte { return e.data }

// Err is why there are no more events, nil where the answer has ended.
func (e *Events) Err() error { return e.err }
