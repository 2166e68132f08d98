package client

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"belay/internal/quantity"
)

// Silent is the end of the wait for a server that took a request and did not begin its
// answer, or stopped in the middle of it. It is in an [Unreached].
type Silent struct {
	// After is how long the server had.
	After time.Duration
	// begun is set where a part of the answer is there.
	begun bool
}

// Error implements error.
func (s *Silent) Error() string {
	if s.begun {
		return "it began its answer and sent nothing more within " + quantity.Duration(s.After)
	}
	return "it took the request and did not answer within " + quantity.Duration(s.After)
}

// patient is the server for requests that it may take long to answer: it works with files
// or a model before its answer begins, or has a turn wait in line.
func (s *server) patient() *server {
	late := *s
	late.patience = s.o.latePatience
	return &late
}

// answer sends a request and waits for the head of its answer, as long as the server's
// patience allows. The body may take as long as it likes, if it is not silent.
func (s *server) answer(req *http.Request) (*http.Response, error) {
	patience := cmp.Or(s.patience, s.o.Patience)
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &wait{patience: patience}
	w.timer = time.AfterFunc(patience, func() { w.expire(cancel) })
	req = req.WithContext(ctx)
	if req.Body != nil && req.GetBody == nil {
		req.Body = &slowBody{req.Body, w}
	}
	res, err := s.http.Do(req)
	w.end()
	if err != nil {
		if silent, ok := context.Cause(ctx).(*Silent); ok { //nolint:errorlint // it is the cause itself
			err = silent
		}
		cancel(nil)
		return nil, err
	}
	silence := s.o.Silence
	alive := time.AfterFunc(silence, func() { cancel(&Silent{silence, true}) })
	alive.Stop() // until somebody reads
	res.Body = &answerBody{res.Body, s, alive, cancel, func() error { return context.Cause(ctx) }}
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
		cancel(&Silent{After: w.patience})
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

// answerBody is an answer's body. Closing it ends the request. A server that is silent for
// too long while somebody reads ends it, too: a slow reader is no silence of the server's.
type answerBody struct {
	io.ReadCloser
	server *server
	alive  *time.Timer
	cancel context.CancelCauseFunc
	cause  func() error // for which the request ended
}

// Read implements io.Reader.
func (b *answerBody) Read(p []byte) (int, error) {
	b.alive.Reset(b.server.o.Silence)
	n, err := b.ReadCloser.Read(p)
	b.alive.Stop()
	if silent := (*Silent)(nil); err != nil && !errors.Is(err, io.EOF) && errors.As(b.cause(), &silent) {
		err = b.server.unreached(silent)
	}
	return n, err
}

// Close implements io.Closer.
func (b *answerBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}
