package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"belay/internal/fault"
)

// connection is one open event stream. Its goroutine reads ahead by one batch,
// so that whoever waits for events can stop waiting without losing any.
type connection struct {
	// turn is the turn that the server named in its answer.
	turn    string
	cancel  context.CancelFunc
	batches chan []message
	// err says why the batches ended; it is set before they are closed.
	err error
}

// connect sends a request for a stream. ctx bounds the wait for the answer, not
// the life of the connection; close ends that.
func (s *server) connect(ctx context.Context, make func(context.Context) (*http.Request, error)) (*connection, error) {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, cancel)
	req, err := make(life)
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := s.do(req)
	if !unhook() {
		if err == nil {
			_ = res.Body.Close()
		}
		cancel()
		return nil, ctx.Err()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	conn := newConnection(res, cancel)
	go conn.read(life, res.Body, s.o.Silence)
	return conn, nil
}

func newConnection(res *http.Response, cancel context.CancelFunc) *connection {
	return &connection{turn: res.Header.Get("Belay-Turn"), cancel: cancel, batches: make(chan []message)}
}

// read hands over what arrives until the body ends, close is called, or nothing
// came for the length of silence.
func (conn *connection) read(life context.Context, body io.ReadCloser, silence time.Duration) {
	defer close(conn.batches)
	defer body.Close()
	alive := time.AfterFunc(silence, conn.cancel)
	defer alive.Stop()
	d := newDecoder(&watched{body, alive, silence}, maxEvent)
	var batch []message
	for {
		m, err := d.next()
		if err == nil {
			batch = append(batch, m)
			if d.r.Buffered() > 0 && len(batch) < 256 {
				continue
			}
		}
		if len(batch) > 0 {
			alive.Stop() // a slow reader is no silence of the server's
			select {
			case conn.batches <- batch:
			case <-life.Done():
			}
			alive.Reset(silence)
			batch = nil
		}
		if err != nil {
			conn.err = err
			return
		}
	}
}

// close ends the connection and waits for its goroutine.
func (conn *connection) close() {
	conn.cancel()
	for range conn.batches {
	}
}

// watched restarts a timer at every read that brought something.
type watched struct {
	io.Reader
	alive   *time.Timer
	silence time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.alive.Reset(w.silence)
	}
	return n, err
}

// isFinal reports an answer that another try would only repeat, or a server that hangs.
func isFinal(err error) bool {
	var f *fault.Error
	return errors.Is(err, errTooLong) || errors.As(err, new(*Silent)) ||
		errors.As(err, &f) && f.Type != fault.Overloaded && !errors.Is(err, errForeign)
}
