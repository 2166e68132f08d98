// Package netguard makes the only HTTP clients that leave the process. A
// [Policy] names what may be reached; the client holds every request, every
// redirect and every dialled address to it.
//
// The address is checked where it is dialled, not where its name is looked up,
// so a name that resolves to a private address, or to another one the second
// time, reaches nothing. Proxies from the environment are never used: the guard
// would see the proxy's address instead of the target's. Only [Policy.Proxy] is, for
// hosts that the operator named. Violations are *[ViolationError]s, which tell a
// caller that trying again is pointless.
package netguard

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Policy says what a client may reach. The zero value reaches every public host
// over https on port 443 and follows no redirects. Some addresses, such as those
// of a cloud's metadata, no policy opens.
type Policy struct {
	// AllowedHosts restricts the hosts, each "name", "name:port" or
	// "[v6]:port". Without a port it means 443. Empty allows every public host.
	AllowedHosts []string
	// AllowPrivate lets the AllowedHosts have addresses in private ranges: the
	// operator named them. Link-local addresses (cloud metadata) stay closed.
	AllowPrivate bool
	// AllowLoopback opens localhost and literal loopback addresses on any
	// port, unless AllowedHosts restricts them.
	AllowLoopback bool
	// AllowHTTPOnLoopback also allows them plain http.
	AllowHTTPOnLoopback bool
	// AllowHTTP allows every host plain http, AnyPort every port, where
	// AllowedHosts does not say it.
	AllowHTTP, AnyPort bool
	// Internal opens hosts of the operator's own network beside all public ones:
	// each a host, "host:port", "[v6]:port" or a network such as 10.1.0.0/16. A
	// name has to be asked for exactly as it stands here, and may then have any
	// address but those that are never reached (link-local with the metadata of
	// clouds, multicast and tunnels); a network opens its addresses, whatever name
	// leads to them. Without a port an entry stands for all of them.
	Internal []string
	// Proxy is an http or https proxy of the operator's through which all hosts but
	// loopback are reached; nil is none. It may have any address but those that are never
	// reached. The address of a host behind it is not checked, so AllowedHosts must
	// say which hosts there are.
	Proxy *url.URL
	// MaxRedirects is how many redirects are followed; each is checked like a
	// first request. 0 refuses them.
	MaxRedirects int
	// MaxBody caps a response's body, in bytes; reading over it is a
	// *[BodyTooLargeError]. 0 means no cap, for callers with one of their own.
	MaxBody int64

	// ConnectTimeout bounds a dial (default 10 s), HeaderTimeout the wait for
	// response headers after the request was written (default none), and
	// IdleTimeout how long a connection is kept for reuse (default 90 s).
	ConnectTimeout, HeaderTimeout, IdleTimeout time.Duration

	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
	// Addresses lists the addresses of this machine, which no host may have that nobody
	// named: a connection to one of them stays here, and reaches what listens for others.
	// nil asks the system.
	Addresses func() ([]net.Addr, error)
}

// Check holds a URL to the policy without looking up its name: a *[ViolationError] says
// that a request for it would be refused. The client checks again, with the address.
func (p Policy) Check(u *url.URL) error {
	r, err := newRules(p)
	if err != nil {
		return err
	}
	return r.request(u)
}

// Rule is the part of a policy that was violated.
type Rule string

// The rules.
const (
	RuleScheme   Rule = "protocol"
	RuleHost     Rule = "host"
	RulePort     Rule = "port"
	RuleAddress  Rule = "address"
	RuleRedirect Rule = "redirect"
	RuleUserinfo Rule = "userinfo"
)

// ViolationError says that a request was not made because the policy forbids
// it.
type ViolationError struct {
	Rule Rule
	// Value is what violated the rule, e.g. the host.
	Value string
	// Reason is the rest of a sentence.
	Reason string
}

// Error implements error.
func (e *ViolationError) Error() string {
	return fmt.Sprintf("network policy: %s %s: %s", e.Rule, strconv.Quote(e.Value), e.Reason)
}

// BodyTooLargeError says that a response's body goes on after Limit bytes.
type BodyTooLargeError struct{ Limit int64 }

// Error implements error.
func (e *BodyTooLargeError) Error() string {
	return fmt.Sprintf("the response has more than %d bytes", e.Limit)
}

// rules is a policy made ready for checks.
type rules struct {
	Policy
	// allowed holds "host:port" in the form of net.JoinHostPort.
	allowed  []string
	ports    []uint16 // nil for any
	internal []internal
}

func newRules(p Policy) (*rules, error) {
	r := &rules{Policy: p, ports: []uint16{443}}
	if p.Proxy != nil && len(p.AllowedHosts) == 0 {
		return nil, errors.New("a policy with a proxy must name its hosts")
	}
	for _, entry := range p.AllowedHosts {
		host, port, err := ParseHost(entry)
		if err != nil {
			return nil, err
		}
		r.allowed = append(r.allowed, net.JoinHostPort(host, port))
		n, _ := strconv.ParseUint(port, 10, 16) // ParseHost has checked it
		r.ports = append(r.ports, uint16(n))
	}
	for _, entry := range p.Internal {
		in, err := parseInternal(entry)
		if err != nil {
			return nil, err
		}
		r.internal = append(r.internal, in)
	}
	if p.AnyPort && len(r.allowed) == 0 {
		r.ports = nil
	}
	return r, nil
}

// request checks a request's URL.
func (r *rules) request(u *url.URL) error {
	if u.User != nil {
		return &ViolationError{RuleUserinfo, u.Hostname(), "a URL with a user name is not allowed"}
	}
	return r.target(u.Scheme, u.Hostname(), u.Port())
}

// target checks a request's scheme, host and port.
func (r *rules) target(scheme, host, port string) error {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	local := IsLoopback(host)
	switch scheme {
	case "https":
	case "http":
		if !r.AllowHTTP && !(local && r.AllowHTTPOnLoopback) {
			return &ViolationError{RuleScheme, scheme, "only https is allowed"}
		}
	default:
		return &ViolationError{RuleScheme, scheme, "only https is allowed"}
	}
	port = portOf(scheme, port)
	if h, p, err := ParseHost(net.JoinHostPort(host, port)); err == nil {
		host, port = h, p // as the allowed ones are spelled
	}
	switch {
	case len(r.allowed) > 0:
		if !slices.Contains(r.allowed, net.JoinHostPort(host, port)) {
			if slices.ContainsFunc(r.allowed, func(a string) bool { h, _, _ := net.SplitHostPort(a); return h == host }) {
				return &ViolationError{RulePort, port, "the port is not allowed for this host"}
			}
			return &ViolationError{RuleHost, host, "the host is not allowed"}
		}
	case local, r.AnyPort:
	case port != "443":
		return &ViolationError{RulePort, port, "only port 443 is allowed"}
	}
	if local && !r.AllowLoopback && !r.opens(host, port) {
		return &ViolationError{RuleHost, host, noLoopback}
	}
	return nil
}
