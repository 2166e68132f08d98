package client

import (
	"context"
	"errors"
	"io"
	"net/http"

	"belay/internal/fault"
)

// errQuiet ends a connection on which nothing came, not even a keep-alive comment. It may be
// dead, so another one is made.
var errQuiet = errors.New("nothing more came on the stream")

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
	go conn.read(life, res.Body)
	return conn, nil
}

func newConnection(res *http.Response, cancel context.CancelFunc) *connection {
	return &connection{turn: res.Header.Get("Belay-Turn"), cancel: cancel, batches: make(chan []message)}
}

// read hands over what arrives until the body ends, close is called, or the server is
// silent.
func (conn *connection) read(life context.Context, body io.ReadCloser) {
	defer close(conn.batches)
	defer body.Close()
	d := newDecoder(body, maxEvent)
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
			select {
			case conn.batches <- batch:
			case <-life.Done():
			}
			batch = nil
		}
		if errors.As(err, new(*Silent)) {
			err = errQuiet
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

// isFinal reports an answer that another try would only repeat, or a server that hangs.
func isFinal(err error) bool {
	var f *fault.Error
	return errors.Is(err, errTooLong) || errors.As(err, new(*Silent)) ||
		errors.As(err, &f) && f.Type != fault.Overloaded && !errors.Is(err, errForeign)
}
