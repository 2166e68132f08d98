package egress

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// forwardIdle is how long a forwarded connection without traffic is kept: those of
	// databases and of pages that wait for changes are quiet for long.
	forwardIdle = time.Hour
	// acceptPause is how long a listener waits that cannot accept at the moment.
	acceptPause = 100 * time.Millisecond
)

// Forward takes connections until the listener is closed, and relays each to one that
// dial opens; one that cannot be opened is closed. Of more than 128 at once the last ones
// are closed. All have ended when it returns; the end of ctx ends them sooner, and the
// caller closes the listener then.
func Forward(ctx context.Context, l net.Listener, dial func(context.Context) (net.Conn, error)) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	var count atomic.Int64
	for {
		in, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // too many files are open
			select {
			case <-time.After(acceptPause):
				continue
			case <-ctx.Done():
				return
			}
		case count.Add(1) > maxConnections:
			count.Add(-1)
			_ = in.Close() // the other side gets no answer
			continue
		}
		running.Go(func() {
			defer count.Add(-1)
			forward(ctx, in, dial)
		})
	}
}

// forward relays one connection to its end.
func forward(ctx context.Context, in net.Conn, dial func(context.Context) (net.Conn, error)) {
	defer func() { _ = in.Close() }() // the relay reports what matters
	out, err := dial(ctx)
	if err != nil {
		return
	}
	defer func() { _ = out.Close() }()
	defer context.AfterFunc(ctx, func() { _, _ = in.Close(), out.Close() })()
	relay(in, in, out, forwardIdle)
}
