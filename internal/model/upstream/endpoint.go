package upstream

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/netguard"
)

// PolicyID names the rule in error details: the requirement that restricts where
// a provider may connect.
const PolicyID = "REQ-NET-001"

// Endpoint is the only place that a provider connects to.
type Endpoint struct {
	scheme, host, port string
	// path is that of the URL, without slashes at its end.
	path string
	// named is set when the operator's allowed hosts name it, own when it is the
	// service's, in whatever region.
	named, own bool
}

// Endpoint applies the base URL rules: the service's own host over https on port
// 443, a host that the operator allows, or loopback, where plain http is allowed
// too. An empty raw is the service's own. With an error it returns that too,
// which is then never used.
func (s Service) Endpoint(raw string, allowed []string) (Endpoint, *fault.Error) {
	std, _ := split(s.BaseURL)
	std.own = true
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return std, nil
	}
	e, user := split(raw)
	if e.scheme == "" || e.host == "" {
		return std, model.Failure(s.Name, 400, model.InvalidBaseURL, "the "+s.Name+" base URL is not a URL with a scheme and a host").
			WithHint("leave %s.base_url out or set it to %s", s.Name, s.BaseURL)
	}
	e.named = slices.ContainsFunc(allowed, func(entry string) bool {
		host, port, err := netguard.ParseHost(entry)
		return err == nil && host == e.host && port == e.port
	})
	known := e.host == std.host || slices.ContainsFunc(allowed, func(entry string) bool {
		host, _, err := netguard.ParseHost(entry)
		return err == nil && host == e.host
	})
	standard := e.host == std.host && e.port == std.port
	e.own = s.owns(e)
	switch {
	case e.scheme != "https" && !(e.scheme == "http" && e.Local()):
		return std, s.violation("must use https").With("protocol", e.scheme).
			WithHint("write the URL with https; http is for a server on this machine alone")
	case user:
		return std, s.violation("must not hold a user name").With("host", e.host)
	case e.Local(), e.named, standard:
		return e, nil
	case known:
		return std, s.violation("has a port that is not allowed").With("host", e.host).With("port", e.port).
			WithHint("use %s, or name the host with its port in network.allowed_hosts", s.BaseURL)
	default:
		return std, s.violation("has a host that is not allowed").With("host", e.host).
			With("allowlist", append([]string{std.host}, allowed...))
	}
}

// Own reports whether a base URL is that of the service itself, in any of its regions; "" is.
func (s Service) Own(raw string) bool {
	if raw = strings.TrimSpace(raw); raw == "" {
		return true
	}
	e, _ := split(raw)
	return s.owns(e)
}

func (s Service) owns(e Endpoint) bool {
	std, _ := split(s.BaseURL)
	return e.host == std.host && e.port == std.port || s.region(e)
}

// region reports whether e is one of the service's other hosts.
func (s Service) region(e Endpoint) bool {
	return e.scheme == "https" && e.port == "443" && slices.ContainsFunc(s.Regions, func(end string) bool {
		label, found := strings.CutSuffix(e.host, "."+end)
		return found && label != ""
	})
}

// split takes a URL apart; what is no URL has neither scheme nor host.
func split(raw string) (e Endpoint, user bool) {
	u, err := url.Parse(raw)
	if err != nil {
		return e, false
	}
	e = Endpoint{
		scheme: strings.ToLower(u.Scheme), host: strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")),
		port: u.Port(), path: strings.TrimRight(u.EscapedPath(), "/"),
	}
	if e.port == "" {
		e.port = map[string]string{"https": "443", "http": "80"}[e.scheme]
	}
	if host, port, err := netguard.ParseHost(net.JoinHostPort(e.host, e.port)); err == nil {
		e.host, e.port = host, port // as allowed hosts are spelled
	}
	return e, u.User != nil
}

func (s Service) violation(what string) *fault.Error {
	return model.Failure(s.Name, 400, model.NetworkPolicyViolation, "the "+s.Name+" base URL "+what).With("policy", PolicyID).
		WithHint("use %s, or name the host in network.allowed_hosts", s.BaseURL)
}

// Local reports whether the endpoint is on this machine.
func (e Endpoint) Local() bool { return netguard.IsLoopback(e.host) }

// Named reports whether the operator allows the endpoint by name.
func (e Endpoint) Named() bool { return e.named }

// Own reports whether the endpoint is the service's own host, in whatever region.
func (e Endpoint) Own() bool { return e.own }

// Path is the path of the URL, without slashes at its end.
func (e Endpoint) Path() string { return e.path }

// Origin returns the endpoint as a URL without a path.
func (e Endpoint) Origin() string {
	return e.scheme + "://" + net.JoinHostPort(e.host, e.port)
}

// Policy allows the endpoint and nothing else. Redirects are never followed: the
// services send none, and a body would be sent again.
func (e Endpoint) Policy() netguard.Policy {
	return netguard.Policy{
		AllowedHosts:        []string{net.JoinHostPort(e.host, e.port)},
		AllowPrivate:        e.named,
		AllowLoopback:       e.Local(),
		AllowHTTPOnLoopback: e.Local(),
	}
}

// Bounds are the limits on a client's calls.
type Bounds struct {
	// Connect bounds connecting, Header the wait for an answer to begin once the
	// request is written.
	Connect, Header time.Duration
	// Answer caps, in bytes, what is read of one answer.
	Answer int64
	// Proxy is the proxy of the network, nil for none. Loopback is reached without it.
	Proxy *url.URL
}

// Client returns a client that reaches e alone. It fails on an entry of allowed
// that is no host.
func (s Service) Client(e Endpoint, allowed []string, b Bounds) (*http.Client, error) {
	for _, h := range allowed {
		if _, _, err := netguard.ParseHost(h); err != nil {
			return nil, fmt.Errorf("%s: network.allowed_hosts: %w", s.Name, err)
		}
	}
	policy := e.Policy()
	policy.ConnectTimeout, policy.HeaderTimeout, policy.MaxBody, policy.Proxy = b.Connect, b.Header, b.Answer, b.Proxy
	client, err := netguard.Client(policy)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return client, nil
}
