package upstream

import (
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

// MaxCalls bounds the tool calls of one answer.
const MaxCalls = 256

// ErrTooManyCalls is an answer with more than that.
var ErrTooManyCalls = fmt.Errorf("the answer has more than %d tool calls", MaxCalls)

// MaxTokenCount is more tokens than any call takes, and little enough to add up.
const MaxTokenCount = 1 << 40

// TokenCount is a number of tokens as the service says it, held to what there can be: a
// negative one would give a budget back, and so would a sum that runs over.
func TokenCount(n int64) int64 { return min(max(n, 0), MaxTokenCount) }

// lineError is a line of the stream, or an event of several, over its cap.
type lineError struct{ most int64 }

func (e *lineError) Error() string {
	return fmt.Sprintf("a line of the answer has more than %d bytes", e.most)
}

// Answer turns the events of one answer into chunks.
type Answer interface {
	// Take handles one event, whose name and data are valid for the call alone.
	Take(name, data []byte) (Progress, error)
	// Alive passes on that the service sent a keep-alive. It reports whether anybody
	// is still listening.
	Alive() bool
	// End handles the end of the stream. It reports whether the answer is whole;
	// without an error that is false only when the reader has left. [ErrTruncated]
	// is an answer that goes on. Marked says that its end marker has come.
	End(marked bool) (whole bool, err error)
}

// Progress is how far an answer is.
type Progress int

// What an event can be.
const (
	// Left is an event whose chunk nobody wanted.
	Left Progress = iota
	// More is one with more behind it.
	More
	// Ended is the end marker.
	Ended
)

// Onward is More, or Left unless the reader took what there was.
func Onward(taken bool) Progress {
	if taken {
		return More
	}
	return Left
}

// Read passes the events in body to a, and reports what [Answer.End] does. No line of
// body may have more than maxLine bytes.
func Read(ctx context.Context, body io.Reader, maxLine int64, a Answer) (whole bool, err error) {
	events, left := NewEvents(body, maxLine), false
	events.comment = func() bool {
		left = !a.Alive()
		return !left
	}
	for events.Next() {
		// Events that were already received still arrive after a cancel.
		if err := ctx.Err(); err != nil {
			return false, err
		}
		now, err := a.Take(events.Name(), events.Data())
		switch {
		case err != nil || now == Left:
			return false, err
		case now == Ended:
			return a.End(true)
		}
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if err := events.Err(); err != nil || left {
		return false, err
	}
	return a.End(false)
}

// EventStream returns an error unless res is a stream of events.
func EventStream(res *http.Response) error {
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch {
	case err == nil && kind == "text/event-stream":
		return nil
	case kind == "":
		return &ProtocolError{"the answer is no event stream", err}
	}
	return &ProtocolError{fmt.Sprintf("the answer is %q instead of an event stream", kind), err}
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

// Send makes b the body of req and sends it with next; an SDK takes it as what
// stands between it and the network. Of an error that is answered only the beginning
// is there to read. The cap on the whole of an answer is the network guard's.
func (b *Body) Send(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	req.ContentLength = b.size
	req.GetBody = func() (io.ReadCloser, error) { return b.Open(), nil }
	req.Body = b.Open()
	res, err := next(req)
	if err == nil && res.StatusCode >= 400 {
		res.Body = &limitedBody{res.Body, io.LimitReader(res.Body, maxErrorBody)}
	}
	return res, err
}

type limitedBody struct {
	io.Closer
	io.Reader
}
