package app

import (
	"context"
	"errors"
	"net"
	"net/url"
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
	if own := ownServerAt(a.Config.Paths.StateDir, addr); own != "" && errors.Is(err, syscall.EADDRINUSE) {
		return nil, fault.New(fault.InvalidRequest, "cannot listen on %s: a server of yours runs there", addr).
			WithHint("use it: belay open, or --server %s; or choose another address with --addr", own)
	}
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "cannot listen on %s: %v", addr, err).
			WithHint("choose another address with --addr; port 0 picks a free one").Because(err)
	}
	return ln, nil
}

// ownServerAt is the address of a running server of this user that has the port of addr, ""
// where there is none, or where nobody can say.
func ownServerAt(stateDir, addr string) string {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return ""
	}
	all, err := Servers(stateDir)
	if err != nil {
		return ""
	}
	for _, s := range all {
		if u, err := url.Parse(s.URL); err == nil && u.Port() == port {
			return s.URL
		}
	}
	return ""
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
