package netguard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
)

// Private and metadata addresses are refused without a look at a resolver, by whatever
// text they are named.
func TestDialerRefusesWhatIsNotPublic(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"127.0.0.1:443", "localhost:443", "LOCALHOST.:443", "[::1]:443", "[::ffff:127.0.0.1]:443", "10.0.0.1:443", "192.168.1.1:80",
		"169.254.169.254:80", "0.0.0.0:443", "[fe80::1]:443", "[fd00::1]:443", "[64:ff9b::7f00:1]:443",
	} {
		if err := (Dialer{}).Check(address); rule(err) == "" {
			t.Errorf("check %s: %v", address, err)
		}
		if _, err := (Dialer{}).Dial(t.Context(), "tcp", address); rule(err) == "" {
			t.Errorf("dial %s: %v", address, err)
		}
	}
	for _, address := range []string{"example.com:443", "93.184.216.34:22", "[2606:4700::1111]:443"} {
		if err := (Dialer{}).Check(address); err != nil {
			t.Errorf("check %s: %v", address, err)
		}
	}
}

// TestOwnAddresses: an address of this machine is refused even where it is public, unless the
// operator named the host. Without a list of them every address is refused.
func TestOwnAddresses(t *testing.T) {
	t.Parallel()
	own := func() ([]net.Addr, error) {
		return []net.Addr{
			&net.IPNet{IP: net.ParseIP("127.0.0.1"), Mask: net.CIDRMask(8, 32)}, &net.IPNet{IP: net.ParseIP("93.184.216.34"), Mask: net.CIDRMask(24, 32)},
			&net.IPNet{IP: net.ParseIP("2606:4700::1"), Mask: net.CIDRMask(64, 128)},
		}, nil
	}
	d := Dialer{Addresses: own}
	for _, address := range []string{"93.184.216.34:22", "[::ffff:93.184.216.34]:22", "[2606:4700::1]:8080"} {
		if _, err := d.Dial(t.Context(), "tcp", address); rule(err) != RuleAddress {
			t.Errorf("dial %s: %v", address, err)
		}
	}
	for _, address := range []string{"93.184.216.35:22", "[2606:4700::2]:22"} {
		if err := d.Check(address); err != nil {
			t.Errorf("check %s: %v", address, err)
		}
	}
	unknown := Dialer{Addresses: func() ([]net.Addr, error) { return nil, errors.New("no list") }}
	if err := unknown.Check("93.184.216.35:22"); rule(err) != RuleAddress {
		t.Errorf("without a list: %v", err)
	}

	for hosts, want := range map[string]Rule{"": RuleAddress, "93.184.216.34:443": ""} {
		p := Policy{Addresses: own}
		if hosts != "" {
			p.AllowedHosts = []string{hosts}
		}
		client, err := Client(p)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // whatever is allowed is not waited for
		if want != "" {
			ctx = t.Context()
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://93.184.216.34/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = client.Do(req); rule(err) != want {
			t.Errorf("with the hosts %q: %v", hosts, err)
		}
	}
}
