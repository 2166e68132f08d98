package netguard

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
)

// LengthError says that a server went on after the end that it had announced for
// a body.
type LengthError struct{ Announced int64 }

// Error implements error.
func (e *LengthError) Error() string {
	return fmt.Sprintf("the server announced %d bytes and sent more", e.Announced)
}

// whole makes the exchange of [Policy.WholeBodies] over plain http. net/http reads
// no further than a body's announced end, so what came on the connection is
// compared with the body: both must end the same. The connection is not used
// again, for what else is on it would be taken for the next answer.
func (g *guard) whole(req *http.Request) (*http.Response, error) {
	var conn *tailConn
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { conn, _ = i.Conn.(*tailConn) },
	}))
	req.Close = true
	res, err := g.next.RoundTrip(req)
	if err == nil && conn != nil && res.ContentLength > 0 {
		res.Body = &wholeBody{ReadCloser: res.Body, conn: conn, announced: res.ContentLength}
	}
	return res, err
}

// tailBytes is how much of an end is compared.
const tailBytes = 64

// tail is the last bytes of a stream.
type tail struct{ last []byte }

func (t *tail) add(p []byte) {
	p = p[max(0, len(p)-tailBytes):]
	t.last = append(t.last, p...)
	t.last = append(t.last[:0], t.last[max(0, len(t.last)-tailBytes):]...)
}

// tailConn remembers the end of what was received.
type tailConn struct {
	net.Conn
	mu   sync.Mutex
	tail tail
}

// Read implements [net.Conn].
func (c *tailConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	c.tail.add(p[:n])
	c.mu.Unlock()
	return n, err
}

func (c *tailConn) endsWith(end []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.HasSuffix(c.tail.last, end)
}

// wholeBody fails at its end where more has come than was announced.
type wholeBody struct {
	io.ReadCloser
	conn      *tailConn
	tail      tail
	announced int64
}

// Read implements [io.Reader].
func (b *wholeBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.tail.add(p[:n])
	if err == io.EOF && !b.conn.endsWith(b.tail.last) {
		err = &LengthError{b.announced}
	}
	return n, err
}
