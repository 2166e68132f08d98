package netguard

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Client returns an HTTP client that p holds. It fails only on an AllowedHosts
// entry that is not a host. The client has no overall timeout, because answers
// are streamed: give every request a context.
func Client(p Policy) (*http.Client, error) {
	r, err := newRules(p)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		Proxy:                 r.proxy,
		DialContext:           r.dial,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   cmp.Or(p.ConnectTimeout, 10*time.Second),
		ResponseHeaderTimeout: p.HeaderTimeout,
		IdleConnTimeout:       cmp.Or(p.IdleTimeout, 90*time.Second),
		ExpectContinueTimeout: time.Second,
		MaxIdleConns:          64,
		MaxIdleConnsPerHost:   32,
		// Header bytes are hostile input too.
		MaxResponseHeaderBytes: 256 << 10,
		// A compressed stream would arrive in lumps, and unpack to any size.
		DisableCompression: true,
	}
	return &http.Client{
		Transport:     &guard{rules: r, next: transport},
		CheckRedirect: r.redirect,
	}, nil
}

// guard checks every request before it is sent, the first and the redirected.
type guard struct {
	rules *rules
	next  *http.Transport
}

// RoundTrip implements [http.RoundTripper].
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.rules.request(req.URL); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // a RoundTripper closes the body even on errors
		}
		return nil, err
	}
	res, err := g.next.RoundTrip(req)
	if err == nil && g.rules.MaxBody > 0 {
		res.Body = &cappedBody{res.Body, g.rules.MaxBody, g.rules.MaxBody}
	}
	return res, err
}

// CloseIdleConnections lets http.Client.CloseIdleConnections reach the transport.
func (g *guard) CloseIdleConnections() { g.next.CloseIdleConnections() }

// credentials are the headers that never follow a redirect to another host.
var credentials = []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key"}

// redirect decides on a redirect. The new request is checked by the guard.
func (r *rules) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > r.MaxRedirects {
		return &ViolationError{RuleRedirect, req.URL.Host, fmt.Sprintf("more than %d redirects", r.MaxRedirects)}
	}
	// net/http tells each host the address that led to it, with its query.
	req.Header.Del("Referer")
	left := func(hop *http.Request) bool {
		return hop.URL.Scheme != via[0].URL.Scheme || hop.URL.Host != via[0].URL.Host
	}
	if left(req) || slices.ContainsFunc(via[1:], left) {
		for _, h := range credentials {
			req.Header.Del(h)
		}
	}
	return nil
}

// proxy is the way to a request's host, nil for a direct one.
func (r *rules) proxy(req *http.Request) (*url.URL, error) {
	if IsLoopback(req.URL.Hostname()) {
		return nil, nil
	}
	return r.Proxy, nil
}

// leadsToProxy reports whether addr is where the proxy listens.
func (r *rules) leadsToProxy(addr string) bool {
	return r.Proxy != nil && addr == net.JoinHostPort(r.Proxy.Hostname(), portOf(r.Proxy.Scheme, r.Proxy.Port()))
}

// dial connects to addr, which still has the name, and holds each address that
// the name has to what the name may have.
func (r *rules) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: cmp.Or(r.ConnectTimeout, 10*time.Second), KeepAlive: 30 * time.Second, Resolver: r.Resolver}
	d.Control = func(network, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || network != "tcp4" && network != "tcp6" {
			return &ViolationError{RuleAddress, address, "not an address of a TCP connection"}
		}
		if r.leadsToProxy(addr) && !neverReached(to.Addr().Unmap()) {
			return nil
		}
		return r.address(host, to)
	}
	return d.DialContext(ctx, network, addr)
}

// private are the ranges that AllowPrivate opens.
var (
	private4 = []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
		netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("100.64.0.0/10"),
	}
	private6 = []netip.Prefix{netip.MustParsePrefix("fc00::/7")}
)

// address checks an address of a host just before it is connected to.
func (r *rules) address(host string, to netip.AddrPort) error {
	refuse := func(reason string) error { return &ViolationError{RuleAddress, to.String(), reason} }
	switch addr := to.Addr().Unmap(); {
	case neverReached(addr):
		return refuse(NeverReached)
	case r.opensAddress(host, to):
		return nil
	case IsLoopback(host):
		// localhost is whatever the hosts file says; only a loopback address
		// may have what loopback may have.
		switch {
		case !r.AllowLoopback:
			return refuse(noLoopback)
		case !addr.IsLoopback():
			return refuse("not a loopback address")
		}
		return nil
	}
	options := []ssrf.Option{ssrf.WithPorts(r.ports...)}
	if r.AllowPrivate && len(r.allowed) > 0 {
		options = append(options, ssrf.WithAllowedV4Prefixes(private4...), ssrf.WithAllowedV6Prefixes(private6...))
	}
	if err := ssrf.New(options...).SafeAddrPort(to); err != nil {
		return refuse(err.Error())
	}
	if len(r.allowed) > 0 { // the operator named the host
		return nil
	}
	switch own, err := r.isOwn(to.Addr().Unmap()); {
	case err != nil:
		return refuse("whether it is this machine's own is not known: " + err.Error())
	case own:
		return refuse("an address of this machine")
	}
	return nil
}

// isOwn reports whether this machine has an address. Addresses come and go, so they are asked
// for each time.
func (r *rules) isOwn(addr netip.Addr) (bool, error) {
	list := r.Addresses
	if list == nil {
		list = net.InterfaceAddrs
	}
	all, err := list()
	if err != nil {
		return false, err
	}
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Unmap().WithZone("") == addr.WithZone("") {
			return true, nil
		}
	}
	return false, nil
}

// cappedBody fails when a body goes on after its limit.
type cappedBody struct {
	io.ReadCloser
	left, limit int64
}

// Read implements [io.Reader].
func (b *cappedBody) Read(p []byte) (int, error) {
	// One byte more than is left shows whether the body goes on.
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		n = int(b.left)
		b.left = 0
		return n, &BodyTooLargeError{b.limit}
	}
	b.left -= int64(n)
	return n, err
}
