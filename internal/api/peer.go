package api

import (
	"context"
	"net"
	"net/http"
	"os"

	"belay/internal/fault"
	"belay/internal/peer"
)

// peerKey finds in a request's context whether its connection comes from the user
// that the server runs as, or from root, from whom nothing can be kept.
type peerKey struct{}

// greet looks who is at the other end of a new connection, where that matters.
func (h *Handler) greet(ctx context.Context, conn net.Conn) context.Context {
	if !h.o.OwnUser {
		return ctx
	}
	uid, err := peer.UID(conn)
	return context.WithValue(ctx, peerKey{}, err == nil && (uid == os.Geteuid() || uid == 0))
}

// local reports whether a request without a token is let in.
func (h *Handler) local(r *http.Request) bool {
	if h.o.Token != "" || !h.o.OwnUser {
		return h.o.Token == ""
	}
	own, _ := r.Context().Value(peerKey{}).(bool)
	return own
}

// stranger is the error of a request that is let in neither by a token nor by whose
// it is.
func (h *Handler) stranger() error {
	if h.o.Token != "" {
		return fault.New(fault.Unauthorized, "this server needs a bearer token")
	}
	return fault.New(fault.Unauthorized, "this server answers only the user who runs it, and requests with a token").
		WithHint("send the operator's token, which belay's own commands do for the same user; or start the server with --token-file, or with --trust-loopback for every user of this machine")
}
