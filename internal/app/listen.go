package app

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"belay/internal/fault"
)

// A server that was killed holds its address until the system has taken it apart,
// which takes a moment on a busy machine: its successor tries again for addressWait.
const (
	addressWait  = 5 * time.Second
	addressRetry = 20 * time.Millisecond
)

// listen opens the server's address.
func (a *App) listen(ctx context.Context) (net.Listener, error) {
	addr := a.Config.Addr
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		a.log.Warn("the address is in use; if a server there has just ended, it is free in a moment", "address", addr, "trying for", addressWait)
		ln, err = listenSoon(ctx, addr)
	}
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "cannot listen on %s: %v", addr, err).
			WithHint("choose another address with --addr; port 0 picks a free one").Because(err)
	}
	return ln, nil
}

// listenSoon tries until the address is free, or was in use for too long.
func listenSoon(ctx context.Context, addr string) (net.Listener, error) {
	tick := time.NewTicker(addressRetry)
	defer tick.Stop()
	for begun := time.Now(); ; {
		ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
		if !errors.Is(err, syscall.EADDRINUSE) || time.Since(begun) >= addressWait {
			return ln, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}
