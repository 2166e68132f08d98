package netguard

import (
	"context"
	"net"
	"net/netip"
)

// Dialer connects to hosts that somebody else has allowed, on any port. It looks their
// names up itself and reaches public addresses of other machines only. Its zero value uses the system's
// resolver.
type Dialer struct {
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
	// Addresses lists the addresses of this machine, as [Policy.Addresses] does.
	Addresses func() ([]net.Addr, error)
}

func (d Dialer) rules() *rules {
	return &rules{Policy: Policy{AnyPort: true, Resolver: d.Resolver, Addresses: d.Addresses}}
}

// Check refuses, with a *[ViolationError], a host and port that [Dialer.Dial] would
// refuse whatever the resolver says. It looks nothing up.
func (d Dialer) Check(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if to, err := netip.ParseAddrPort(address); err == nil {
		return d.rules().address(host, to)
	}
	if IsLoopback(host) {
		return &ViolationError{RuleHost, host, noLoopback}
	}
	return nil
}

// Dial connects to a host and port. A *[ViolationError] says that the host's address is
// not public.
func (d Dialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := d.Check(address); err != nil {
		return nil, err
	}
	return d.rules().dial(ctx, network, address)
}
