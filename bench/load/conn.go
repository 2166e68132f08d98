// Package load drives a server with turns and measures what comes back.
//
// The clients share the machine with the server that they measure, so they do
// as little as a client can: one goroutine, one connection and one buffer each,
// requests that were encoded once, and a reader of Server-Sent Events that
// allocates nothing per event. They are strict all the same. Every turn must be
// answered with its own words, under sequence numbers without a hole, and end
// with process:exit and exit code 0; a number measured on a wrong stream is
// worth nothing, so the first wrong one is an error.
package load

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
	"strings"
	"time"
)

// turnTimeout bounds one turn from the request to its end.
const turnTimeout = 60 * time.Second

// Conn is one keep-alive HTTP/1.1 connection to a server. It is for one
// goroutine.
type Conn struct {
	conn  net.Conn
	in    *bufio.Reader
	lines *bufio.Reader
	// reusable is whether the server keeps the connection after an answer,
	// chunked whether the answer came in pieces.
	reusable, chunked bool
}

// Dial opens a connection whose longest line has lineBytes.
func Dial(ctx context.Context, addr string, lineBytes int) (*Conn, error) {
	d := net.Dialer{Timeout: 20 * time.Second}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &Conn{
		conn:  c,
		in:    bufio.NewReaderSize(c, 4<<10),
		lines: bufio.NewReaderSize(nil, max(lineBytes, 4<<10)),
	}, nil
}

// Close closes the connection.
func (c *Conn) Close() error { return c.conn.Close() }

// post sends a request that [newRequest] encoded and returns the answer's body.
// Any status but 200 is an error with the body's beginning in it.
func (c *Conn) post(request []byte) (io.Reader, error) {
	if err := c.conn.SetDeadline(time.Now().Add(turnTimeout)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return nil, fmt.Errorf("send request: %w", err)
	}
	status, length, err := c.head()
	if err != nil {
		return nil, fmt.Errorf("read response headers: %w", err)
	}
	var body io.Reader
	switch {
	case c.chunked:
		body = httputil.NewChunkedReader(c.in)
	case length >= 0:
		body = io.LimitReader(c.in, length)
	default:
		body, c.reusable = c.in, false
	}
	if status != 200 {
		text, _ := io.ReadAll(io.LimitReader(body, 2<<10)) // what there is of it explains the status
		return nil, fmt.Errorf("status %d: %s", status, text)
	}
	return body, nil
}

// head reads the status line and the headers that say how the body ends.
func (c *Conn) head() (status int, length int64, err error) {
	length, c.reusable, c.chunked = -1, true, false
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, 0, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			return status, length, nil
		}
		if first {
			if len(text) < 12 {
				return 0, 0, fmt.Errorf("status line %q", text)
			}
			if status, err = strconv.Atoi(text[9:12]); err != nil {
				return 0, 0, fmt.Errorf("status line %q", text)
			}
			continue
		}
		name, value, _ := strings.Cut(text, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(name) {
		case "transfer-encoding":
			c.chunked = strings.EqualFold(value, "chunked")
		case "content-length":
			if length, err = strconv.ParseInt(value, 10, 64); err != nil {
				return 0, 0, fmt.Errorf("content length %q", value)
			}
		case "connection":
			c.reusable = !strings.EqualFold(value, "close")
		}
	}
}

// finish leaves the connection ready for the next request: it reads the blank
// line after a chunked body, which its reader leaves.
func (c *Conn) finish() error {
	if !c.reusable || !c.chunked {
		return nil
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("end of body: %w", err)
	}
	if strings.TrimSpace(string(line)) != "" {
		return fmt.Errorf("end of body: %q", line)
	}
	return nil
}

// newRequest encodes a POST of a JSON body.
func newRequest(addr, path string, body []byte) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, addr, len(body), body)
}
