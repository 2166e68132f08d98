package client

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"belay/internal/quantity"
)

// Silent is the end of the wait for a server that took a request and did not begin its
// answer. It is in an [Unreached].
type Silent struct {
	// After is how long the server had.
	After time.Duration
}

// Error implements error.
func (s *Silent) Error() string {
	return "it took the request and did not answer within " + quantity.Duration(s.After)
}

// patient is the server for requests that it may take long to answer: it works with files
// or a model before its answer begins, or has a turn wait in line.
func (s *server) patient() *server {
	return &server{o: s.o, base: s.base, patience: s.o.latePatience}
}

// answer sends a request and waits for the head of its answer, as long as the server's
// patience allows. The body may take as long as it likes.
func (s *server) answer(req *http.Request) (*http.Response, error) {
	patience := s.patience
	if patience == 0 {
		patience = s.o.Patience
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &wait{patience: patience}
	w.timer = time.AfterFunc(patience, func() { w.expire(cancel) })
	req = req.WithContext(ctx)
	if req.Body != nil && req.GetBody == nil {
		req.Body = &slowBody{req.Body, w}
	}
	res, err := s.o.HTTPClient.Do(req)
	w.end()
	if err != nil {
		if silent, ok := context.Cause(ctx).(*Silent); ok { //nolint:errorlint // it is the cause itself
			err = silent
		}
		cancel(nil)
		return nil, err
	}
	res.Body = &answerBody{res.Body, cancel}
	return res, nil
}

// wait is the time that is left for the head of an answer.
type wait struct {
	patience time.Duration
	timer    *time.Timer

	mu   sync.Mutex
	over bool
}

func (w *wait) expire(cancel context.CancelCauseFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		cancel(&Silent{w.patience})
	}
}

// pause stops the clock, and resume starts it anew.
func (w *wait) pause() { w.timer.Stop() }

func (w *wait) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.timer.Reset(w.patience)
	}
}

// end says that the head of the answer is there, or will not come.
func (w *wait) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
}

// slowBody is a request's body that streams. While its content is read the server need not
// answer, and each part of it gives the server its time anew.
type slowBody struct {
	io.ReadCloser
	wait *wait
}

// Read implements io.Reader.
func (b *slowBody) Read(p []byte) (int, error) {
	b.wait.pause()
	defer b.wait.resume()
	return b.ReadCloser.Read(p)
}

// answerBody is an answer's body. Closing it ends the request.
type answerBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

// Close implements io.Closer.
func (b *answerBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}
