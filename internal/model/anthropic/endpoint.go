package anthropic

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/netguard"
)

// policyID names the rule in error details: the requirement that restricts
// where the provider may connect.
const policyID = "REQ-NET-001"

const defaultHost = "api.anthropic.com"

// endpoint is the only place that the provider connects to.
type endpoint struct {
	scheme, host, port string
	// named is set when the operator's allowed hosts name it.
	named bool
}

// parseEndpoint applies the base URL rules: the service's own host over https
// on port 443, a host that the operator allows, or loopback, where plain http
// is allowed too. Of the URL only the origin counts. With an error it returns
// the default endpoint, which is then never used.
func parseEndpoint(raw string, allowed []string) (endpoint, *fault.Error) {
	std := endpoint{scheme: "https", host: defaultHost, port: "443"}
	raw = strings.TrimRight(strings.TrimSpace(raw), "/")
	raw = strings.TrimRight(strings.TrimSuffix(raw, "/v1/messages"), "/")
	if raw == "" {
		return std, nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || u.Hostname() == "" {
		return std, model.Failure(Name, 400, model.InvalidBaseURL, "the anthropic base URL is not a URL with a scheme and a host").
			WithHint("unset CHIRALITY_ANTHROPIC_API_URL or set it to %s", DefaultBaseURL)
	}
	e := endpoint{scheme: strings.ToLower(u.Scheme), host: strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), port: u.Port()}
	if e.port == "" {
		e.port = map[string]string{"https": "443", "http": "80"}[e.scheme]
	}
	e.named = slices.ContainsFunc(allowed, func(entry string) bool {
		host, port, err := netguard.ParseHost(entry)
		return err == nil && host == e.host && port == e.port
	})
	local := netguard.IsLoopback(e.host)
	known := e.host == defaultHost || slices.ContainsFunc(allowed, func(entry string) bool {
		host, _, err := netguard.ParseHost(entry)
		return err == nil && host == e.host
	})
	switch {
	case e.scheme != "https" && !(e.scheme == "http" && local):
		return std, violation("the anthropic base URL must use https").With("protocol", e.scheme)
	case u.User != nil:
		return std, violation("the anthropic base URL must not hold a user name").With("host", e.host)
	case local, e.named, e.host == defaultHost && e.port == "443":
		return e, nil
	case known:
		return std, violation("the anthropic base URL's port is not allowed").With("host", e.host).With("port", e.port)
	default:
		return std, violation("the anthropic base URL's host is not allowed").With("host", e.host).
			With("allowlist", append([]string{defaultHost}, allowed...))
	}
}

func violation(message string) *fault.Error {
	return model.Failure(Name, 400, model.NetworkPolicyViolation, message).With("policy", policyID).
		WithHint("use %s, or name the host in network.allowed_hosts", DefaultBaseURL)
}

// origin returns the endpoint as a URL.
func (e endpoint) origin() string {
	return e.scheme + "://" + net.JoinHostPort(e.host, e.port)
}

// policy allows the endpoint and nothing else. Redirects are never followed:
// the service sends none, and a body would be sent again.
func (e endpoint) policy() netguard.Policy {
	local := netguard.IsLoopback(e.host)
	return netguard.Policy{
		AllowedHosts:        []string{net.JoinHostPort(e.host, e.port)},
		AllowPrivate:        e.named,
		AllowLoopback:       local,
		AllowHTTPOnLoopback: local,
	}
}
