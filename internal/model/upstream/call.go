package upstream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"belay/internal/model"
)

// Call is one request to a service and its answer. [Call.Send] stands between the SDK
// and the network: it puts the files into the body, and caps and watches the answer.
// One goroutine uses a Call.
type Call struct {
	// Key is the API key, or "" where the service needs none.
	Key string
	// Files are the files whose placeholders are in the request.
	Files Files

	yield    func(model.Chunk, error) bool
	sent     func() // see [model.Request]
	buffers  *sync.Pool
	maxBody  int64 // of the request in bytes; 0 is no limit
	maxLine  int64 // of a line or an event of the answer in bytes
	answered bool  // an event stream has begun
	left     bool  // the caller wants no more chunks
	failed   error // why the answer could not be read to its end
}

// Emit passes a chunk on and reports whether the caller wants more.
func (c *Call) Emit(chunk model.Chunk) bool {
	if !c.left {
		c.left = !c.yield(chunk, nil)
	}
	return !c.left
}

// Alive passes on that the service sent a keep-alive.
func (c *Call) Alive() bool { return c.Emit(model.Alive{}) }

// Left reports whether the caller wants no more chunks.
func (c *Call) Left() bool { return c.left }

// Failed returns why the stream of an SDK ended with err: what stopped the reading,
// or a [ProtocolError] for an event that the SDK cannot decode. Errors from before
// the answer pass unchanged.
func (c *Call) Failed(err error) error {
	switch {
	case c.left:
		return nil
	case err == nil || !c.answered:
		return err
	case c.failed != nil:
		return c.failed
	case errors.Is(err, bufio.ErrTooLong):
		return &lineError{c.maxLine}
	}
	return &ProtocolError{What: "an event of the answer is not JSON of the expected form", Err: err}
}

// maxErrorBody is what is read of an error answer, in bytes. Some repeat the request.
const maxErrorBody = 4 << 20

// Send replaces the placeholders in the body of req by their files and sends it with
// next. An answer that is no stream of events is a [ProtocolError]. SDKs take it as
// middleware.
func (c *Call) Send(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	text, err := io.ReadAll(req.Body)
	if err == nil {
		err = req.Body.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	body, err := c.Files.Cut(text, c.maxBody, c.buffers)
	if err != nil {
		return nil, err
	}
	req.ContentLength = body.size
	open := func() io.ReadCloser { return &watchedBody{body.Open(), c.sent} }
	req.GetBody = func() (io.ReadCloser, error) { return open(), nil }
	req.Body = open()
	res, err := next(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 400 {
		res.Body = errorAnswer(res.Body)
		return res, nil
	}
	if err := eventStream(res); err != nil {
		return nil, errors.Join(err, res.Body.Close())
	}
	c.answered = true
	res.Body = newEventBody(req.Context(), c, res.Body)
	return res, nil
}

// watchedBody is the body of a request that says when something of it was read.
type watchedBody struct {
	io.ReadCloser
	read func() // may be nil
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	if b.read != nil {
		b.read()
	}
	return b.ReadCloser.Read(p)
}

type limitedBody struct {
	io.Closer
	io.Reader
}

// errorAnswer is the part of an error answer that is read. One that is JSON ends with its
// value: the service may keep the connection open.
func errorAnswer(body io.ReadCloser) io.ReadCloser {
	var read bytes.Buffer
	limited := io.LimitReader(body, maxErrorBody)
	var data json.RawMessage
	if err := json.NewDecoder(io.TeeReader(limited, &read)).Decode(&data); err == nil && data[0] == '{' {
		return &limitedBody{body, bytes.NewReader(data)}
	}
	return &limitedBody{body, io.MultiReader(&read, limited)}
}

// eventStream returns an error unless res is a stream of events. An error that a service
// answers with a status of success is part of it.
func eventStream(res *http.Response) error {
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	what := fmt.Sprintf("the answer is %q instead of an event stream", kind)
	switch {
	case err == nil && kind == "text/event-stream":
		return nil
	case kind == "":
		what = "the answer is no event stream"
	case strings.HasSuffix(kind, "json"):
		var data json.RawMessage
		_ = json.NewDecoder(io.LimitReader(res.Body, maxErrorBody)).Decode(&data) // or it says nothing
		if said := ParseError(data).Message; said != "" {
			what += ": " + said
		}
	}
	return &ProtocolError{what, err}
}
