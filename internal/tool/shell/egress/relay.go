package egress

import (
	"io"
	"net"
	"sync"
	"time"
)

// relay copies both ways between two connections until both have ended, one failed, or
// nothing was copied for so long. First is what was read of in already.
func relay(in net.Conn, first io.Reader, out net.Conn, idle time.Duration) {
	touch := func() {
		end := time.Now().Add(idle)
		_, _ = in.SetDeadline(end), out.SetDeadline(end) // a closed one fails at the next use
	}
	touch()
	var both sync.WaitGroup
	for _, way := range []struct {
		from io.Reader
		to   net.Conn
	}{{first, out}, {out, in}} {
		both.Go(func() {
			if copyTouching(way.to, way.from, touch) != nil {
				_, _ = in.Close(), out.Close() // ends the other way
				return
			}
			if half, ok := way.to.(interface{ CloseWrite() error }); ok {
				_ = half.CloseWrite() // the other side may have gone
			} else {
				_ = way.to.Close()
			}
		})
	}
	both.Wait()
}

// copyTouching copies to the end of from.
func copyTouching(to io.Writer, from io.Reader, touch func()) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			touch()
			if _, err := to.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
