package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

// ErrTruncated is a stream that ended without its last event.
var ErrTruncated = errors.New("the answer ended without its end marker")

// ProtocolError is an answer that is not what the protocol says.
type ProtocolError struct {
	What string
	Err  error
}

// Error implements error.
func (e *ProtocolError) Error() string { return e.What }

// Unwrap returns the cause.
func (e *ProtocolError) Unwrap() error { return e.Err }

// RequestSizeError is a request over what the service takes, in bytes.
type RequestSizeError struct{ Size, Limit int64 }

// Error implements error.
func (e *RequestSizeError) Error() string {
	return fmt.Sprintf("the request has %d bytes, more than the %d that the provider takes", e.Size, e.Limit)
}

// lineError is a line of the stream over its cap.
type lineError struct{ most int64 }

func (e *lineError) Error() string {
	return fmt.Sprintf("a line of the answer has more than %d bytes", e.most)
}

// EventStream returns an error unless res is a stream of events.
func EventStream(res *http.Response) error {
	if kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err != nil || kind != "text/event-stream" {
		return &ProtocolError{fmt.Sprintf("the answer is %q instead of an event stream", kind), err}
	}
	return nil
}

// The bounds on what is read after an answer's last event.
const (
	drainTime  = 100 * time.Millisecond
	drainBytes = 16 << 10
)

// Drain reads the end of a whole answer's body, which lets the connection be used
// again. It follows at once or is not worth waiting for: then hangUp ends the call.
func Drain(body io.Reader, hangUp context.CancelFunc) {
	t := time.AfterFunc(drainTime, hangUp)
	defer t.Stop()
	_, _ = io.CopyN(io.Discard, body, drainBytes)
}

// maxErrorBody is what is read of an error answer.
const maxErrorBody = 64 << 10

// Bounded returns the answer's body with a cap on what one line, or the body of
// an error, may have. The cap on the whole is the network guard's.
func Bounded(res *http.Response, maxLine int64) io.ReadCloser {
	if res.StatusCode >= 400 {
		return &limitedBody{res.Body, io.LimitReader(res.Body, maxErrorBody)}
	}
	return &linedBody{ReadCloser: res.Body, most: maxLine}
}

type limitedBody struct {
	io.Closer
	io.Reader
}

// linedBody fails when a line is longer than most bytes.
type linedBody struct {
	io.ReadCloser
	most, line int64
}

// Read implements [io.Reader].
func (b *linedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for rest := p[:n]; ; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			b.line += int64(len(rest))
			break
		}
		if b.line+int64(i) > b.most {
			return 0, &lineError{b.most}
		}
		b.line, rest = 0, rest[i+1:]
	}
	if b.line > b.most {
		return 0, &lineError{b.most}
	}
	return n, err
}
