package netguard

import (
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
