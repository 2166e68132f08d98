package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"belay/internal/fault"
)

// authorize lets a request through to a route. The access token opens what a
// member may do; the operator's token or cookie opens everything.
func (h *Handler) authorize(r *http.Request, rt *route) error {
	token, has := bearer(r)
	var isMember, isOperator bool
	switch {
	case has && h.o.Operator.is(token):
		isOperator = true
	case has && h.o.Token != "" && equal(token, h.o.Token):
		isMember = true
	case has && rt.access != public:
		return fault.New(fault.Unauthorized, "the bearer token is not one that this server knows")
	case !has && h.o.Operator.hasCookie(r):
		isOperator = true
	}
	switch {
	case isOperator || rt.access == public:
		return nil
	case rt.access == operator && (isMember || h.local(r)):
		return forbidden("operator", "this needs the operator's authority").
			WithHint("use the command line on the server's machine, or send the token in operator.token of its state folder")
	case isMember || h.local(r):
		return nil
	}
	return h.stranger()
}

// bearer returns the token of an Authorization header of that scheme.
func bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}

// equal compares secrets in a time that depends on neither.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
