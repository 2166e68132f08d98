package app

import (
	"context"
	"errors"
	"net"
	"slices"
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
	if errors.Is(err, syscall.EADDRINUSE) {
		if own := ownServerAt(ctx, a.Config.Paths.StateDir, addr); own != "" {
			return nil, fault.New(fault.InvalidRequest, "cannot listen on %s: a server of yours runs there", addr).
				WithHint("use it: belay open, or --server %s; or choose another address with --addr", own)
		}
	}
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "cannot listen on %s: %v", addr, err).
			WithHint("choose another address with --addr; port 0 picks a free one").Because(err)
	}
	return ln, nil
}

// ownServerAt is the URL of a running server of this user that listens on addr, "" where
// there is none, or where nobody can say.
func ownServerAt(ctx context.Context, stateDir, addr string) string {
	all, err := Servers(stateDir)
	if err != nil {
		return ""
	}
	for _, s := range all {
		if sameAddress(ctx, s.Addr, addr) {
			return s.URL
		}
	}
	return ""
}

// sameAddress reports whether two servers cannot have their addresses at the same time.
func sameAddress(ctx context.Context, a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB {
		return false
	}
	ofA, ofB := ipsOf(ctx, hostA), ipsOf(ctx, hostB)
	return slices.ContainsFunc(ofA, func(ip net.IP) bool {
		return slices.ContainsFunc(ofB, func(other net.IP) bool {
			return ip.Equal(other) || covers(ip, other) || covers(other, ip)
		})
	})
}

// covers reports whether all has every address of the kind of one in it: [::] those of both
// kinds, 0.0.0.0 those of IPv4.
func covers(all, one net.IP) bool {
	return all.IsUnspecified() && (all.To4() == nil || one.To4() != nil)
}

// ipsOf are the addresses of a host as it is listened on: none is all.
func ipsOf(ctx context.Context, host string) []net.IP {
	if host == "" {
		return []net.IP{net.IPv6unspecified}
	}
	ips, _ := net.DefaultResolver.LookupIP(ctx, "ip", host) // an unknown one has none
	return ips
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
