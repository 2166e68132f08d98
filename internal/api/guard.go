package api

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"belay/internal/fault"
)

// guard keeps other web pages away from a server that trusts its own machine. It
// looks at every request, before anything else does:
//
//   - Host must be a loopback name, the bound address or an allowed name. A page
//     that points its own name at 127.0.0.1 (DNS rebinding) fails here.
//   - Origin, where there is one, must be this server or an allowed name. A page
//     of another site, or of another port of this machine, fails here.
//   - Sec-Fetch-Site speaks for browser requests that carry no Origin.
type guard struct {
	// hosts are the names that Host may have, origins those of other pages
	// that may call: in lower case, with or without a port.
	hosts, origins map[string]bool
	// anyAddress accepts every IP address as Host: the server does not listen
	// on loopback only, and an address cannot be rebound.
	anyAddress bool
}

func newGuard(bound string, allowedHosts []string) guard {
	g := guard{hosts: map[string]bool{"localhost": true}, origins: map[string]bool{}}
	for _, name := range allowedHosts {
		g.hosts[strings.ToLower(name)] = true
		g.origins[strings.ToLower(name)] = true
	}
	if bound != "" {
		host, _ := splitHost(bound)
		addr, err := netip.ParseAddr(host)
		switch {
		case err == nil && !addr.IsLoopback(), host == "":
			g.anyAddress = true
		case err != nil:
			g.hosts[host] = true
		}
	}
	return g
}

// check returns FORBIDDEN with details.reason host or origin.
func (g guard) check(r *http.Request) error {
	if !g.host(r.Host) {
		return forbidden("host", "the request is addressed to a host that this server does not answer for: %q", fault.Clip(r.Host))
	}
	origins := r.Header["Origin"]
	for _, origin := range origins {
		if !g.origin(origin, r.Host) {
			return forbidden("origin", "the request comes from a page of another origin: %q", fault.Clip(origin))
		}
	}
	if len(origins) == 0 && !g.sameSite(r) {
		return forbidden("origin", "the request was started by a page of another site")
	}
	return nil
}

func (g guard) host(hostport string) bool {
	host, _ := splitHost(hostport)
	if host == "" {
		return false
	}
	if g.hosts[host] || g.hosts[strings.ToLower(hostport)] {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (g.anyAddress || addr.IsLoopback())
}

// origin accepts the server itself, in either scheme because a proxy may end
// TLS before it, and pages of allowed hosts.
func (g guard) origin(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return false
	}
	if strings.EqualFold(u.Host, host) {
		return true
	}
	name, _ := splitHost(u.Host)
	return g.origins[name] || g.origins[strings.ToLower(u.Host)]
}

// sameSite reads what a browser says about a request without Origin. Following
// a link to this server is allowed; fetching from it behind another page is not.
func (g guard) sameSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

func forbidden(reason, format string, args ...any) *fault.Error {
	return fault.New(fault.Forbidden, format, args...).With("reason", reason)
}

// splitHost returns the host in lower case without brackets, and the port.
func splitHost(hostport string) (host, port string) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, ".")), port
}
