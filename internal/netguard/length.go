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
// compared with the body: both must end the same.
func (g *guard) whole(req *http.Request) (*http.Response, error) {
	var conn *tailConn
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { conn, _ = i.Conn.(*tailConn) },
	}))
	res, err := g.next.RoundTrip(req)
	if err == nil && conn != nil && res.ContentLength > 0 {
		res.Body = &wholeBody{ReadCloser: res.Body, conn: conn, exchange: conn.current(), announced: res.ContentLength}
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

// tailConn remembers the end of what was received since something was last sent.
type tailConn struct {
	net.Conn
	mu   sync.Mutex
	tail tail
	sent int // how often something was sent
}

// Read implements [net.Conn].
func (c *tailConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	c.tail.add(p[:n])
	c.mu.Unlock()
	return n, err
}

// Write implements [net.Conn].
func (c *tailConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.tail, c.sent = tail{}, c.sent+1
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// current stands for the exchange that is under way.
func (c *tailConn) current() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent
}

// ends reports whether what was received in an exchange ends with end. Of one that is
// over nothing is known any more.
func (c *tailConn) ends(exchange int, end []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent != exchange || bytes.HasSuffix(c.tail.last, end)
}

// wholeBody fails at its end where more has come than was announced.
type wholeBody struct {
	io.ReadCloser
	conn      *tailConn
	exchange  int
	tail      tail
	announced int64
}

// Read implements [io.Reader].
func (b *wholeBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.tail.add(p[:n])
	if err == io.EOF && !b.conn.ends(b.exchange, b.tail.last) {
		err = &LengthError{b.announced}
	}
	return n, err
}
