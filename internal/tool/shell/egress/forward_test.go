package egress

import (
	"context"
	"io"
	"net"
	"testing"
)

// echo is a server that says back what it hears.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			}()
		}
	}()
	return l.Addr().String()
}

// Bytes go both ways until both ends are closed; the end of the listener or of the context
// ends every connection.
func TestForward(t *testing.T) {
	t.Parallel()
	to := echo(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan bool)
	go func() {
		Forward(ctx, l, func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", to)
		})
		close(ended)
	}()
	dial := func() *net.TCPConn {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return conn.(*net.TCPConn)
	}
	conn := dial()
	if _, err := io.WriteString(conn, "hello"); err != nil {
		t.Fatal(err)
	}
	_ = conn.CloseWrite()
	if said, err := io.ReadAll(conn); string(said) != "hello" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
	_ = conn.Close()

	var open []*net.TCPConn
	for range maxConnections {
		conn := dial()
		open = append(open, conn)
		if _, err := io.WriteString(conn, "x"); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := dial().Read(make([]byte, 1)); err == nil {
		t.Errorf("one connection too many reads %d bytes", n)
	}
	stop()
	for _, conn := range open {
		if n, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("after the end %d bytes are read", n)
		}
	}
	_ = l.Close()
	<-ended
}
