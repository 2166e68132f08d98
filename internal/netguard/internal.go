package netguard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// internal is an entry of [Policy.Internal] made ready: a name, or a network, of
// which a single address is the smallest.
type internal struct {
	name    string
	network netip.Prefix
	port    string // "" for all
}

// ParseInternal checks an entry of [Policy.Internal] and returns it in normal
// form.
func ParseInternal(entry string) (string, error) {
	in, err := parseInternal(entry)
	if err != nil {
		return "", err
	}
	return in.String(), nil
}

// String is the entry in normal form.
func (in internal) String() string {
	host := in.name
	switch {
	case host != "":
	case in.network.IsSingleIP():
		host = in.network.Addr().String()
	default:
		return in.network.String()
	}
	if in.port == "" {
		return host
	}
	return net.JoinHostPort(host, in.port)
}

func parseInternal(entry string) (internal, error) {
	var in internal
	switch {
	case strings.Contains(entry, "://"):
		return in, fmt.Errorf("%q is an address; write its host alone, or host:port", entry)
	case strings.Contains(entry, "/"):
		p, err := netip.ParsePrefix(entry)
		if err != nil || p.Addr().Is4In6() {
			return in, fmt.Errorf("%q is not a network such as 10.1.0.0/16", entry)
		}
		in.network = p.Masked()
	default:
		host, port, err := ParseHost(entry)
		if err != nil {
			return in, err
		}
		// ParseHost puts 443 where there is no port.
		if strings.HasPrefix(entry, "[") || strings.Count(entry, ":") == 1 {
			in.port = port
		}
		if addr, err := netip.ParseAddr(host); err == nil {
			addr = addr.Unmap()
			in.network = netip.PrefixFrom(addr, addr.BitLen())
		} else {
			in.name = host
		}
	}
	if in.name == "" && slices.ContainsFunc(never, func(n netip.Prefix) bool {
		return n.Contains(in.network.Addr()) && n.Bits() <= in.network.Bits()
	}) {
		return in, fmt.Errorf("%q cannot be opened: %s", entry, NeverReached)
	}
	return in, nil
}

// never are the addresses that no policy opens: this network, link-local and with
// it the metadata of most clouds, what other clouds use for it, multicast, and the
// prefixes that carry an IPv4 address within, which could be any of these.
var never = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("100.100.100.200/32"),
	netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("192.0.0.192/32"),
	netip.MustParsePrefix("224.0.0.0/3"),
	netip.MustParsePrefix("::/128"),
	netip.MustParsePrefix("fe80::/10"),
	netip.MustParsePrefix("fd00:ec2::254/128"),
	netip.MustParsePrefix("fd20:ce::254/128"),
	netip.MustParsePrefix("ff00::/8"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("2002::/16"),
}

// noLoopback is the reason of a refusal of localhost and its addresses.
const noLoopback = "loopback is not allowed"

// NeverReached is the reason of a refusal that no policy changes.
const NeverReached = "link-local, metadata, multicast and tunnel addresses are never reached"

// neverReached reports whether addr is one that no policy opens.
func neverReached(addr netip.Addr) bool {
	addr = addr.WithZone("")
	return slices.ContainsFunc(never, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// opens reports whether an internal entry may open a host whose address is not
// known yet: for localhost also a network that holds loopback addresses.
func (r *rules) opens(host, port string) bool {
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	addr, err := netip.ParseAddr(host)
	return slices.ContainsFunc(r.internal, func(in internal) bool {
		switch {
		case in.port != "" && in.port != port:
			return false
		case in.name != "":
			return in.name == host
		case err == nil:
			return in.network.Contains(addr.Unmap())
		}
		return in.network.Contains(loopback) || in.network.Contains(netip.IPv6Loopback())
	})
}

// opensAddress reports whether an internal entry opens an address of a host.
func (r *rules) opensAddress(host string, to netip.AddrPort) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	addr, port := to.Addr().Unmap(), fmt.Sprint(to.Port())
	return slices.ContainsFunc(r.internal, func(in internal) bool {
		switch {
		case in.port != "" && in.port != port:
			return false
		case in.name == "":
			return in.network.Contains(addr)
		}
		return in.name == host && (addr.IsLoopback() || !IsLoopback(host))
	})
}

// Resolve holds a URL to the policy with the addresses that its name has now, for
// a URL that somebody else will ask for: all of them must be allowed. The error is
// a *[ViolationError], or that of the lookup.
func (p Policy) Resolve(ctx context.Context, u *url.URL) error {
	r, err := newRules(p)
	if err != nil {
		return err
	}
	if err := r.request(u); err != nil {
		return err
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "tcp", portOf(u.Scheme, u.Port()))
	if err != nil {
		return err
	}
	resolver := cmp.Or(p.Resolver, net.DefaultResolver)
	addrs, err := resolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return err
	}
	for _, a := range addrs {
		if err := r.address(u.Hostname(), netip.AddrPortFrom(a.Unmap(), uint16(port))); err != nil {
			return err
		}
	}
	if len(addrs) == 0 {
		return errors.New("the name has no address")
	}
	return nil
}

// portOf is the port of a URL that may leave it to its scheme.
func portOf(scheme, port string) string {
	switch {
	case port != "":
		return port
	case scheme == "http":
		return "80"
	}
	return "443"
}
