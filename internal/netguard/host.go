package netguard

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// ParseHost splits an AllowedHosts entry into a host and a port, each in its one spelling: a name
// in lower case and in ASCII, an address in its short form, a port without zeros before it. The
// port is 443 where none is given.
func ParseHost(entry string) (host, port string, err error) {
	host, port = entry, "443"
	if strings.HasPrefix(entry, "[") || strings.Count(entry, ":") == 1 {
		h, p, err := net.SplitHostPort(entry)
		if err != nil {
			return "", "", fmt.Errorf("host %q: %w", entry, err)
		}
		host, port = h, p
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", "", fmt.Errorf("host %q: the port is not a number from 1 to 65535", entry)
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		if host, err = idna.Lookup.ToASCII(host); err != nil { // as an HTTP client does
			return "", "", fmt.Errorf("host %q is not a host name or address", entry)
		}
	}
	host, port = strings.ToLower(strings.TrimSuffix(host, ".")), strconv.FormatUint(n, 10)
	addr, err := netip.ParseAddr(host)
	switch {
	case err == nil && addr.Zone() == "":
		return addr.Unmap().String(), port, nil
	case !validName(host):
		return "", "", fmt.Errorf("host %q is not a host name or address", entry)
	}
	return host, port, nil
}

// validName reports whether s is made of the characters of a DNS name.
func validName(s string) bool {
	if s == "" || len(s) > 253 || slices.Contains(strings.Split(s, "."), "") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_')
	})
}

// IsLoopback reports whether host, without port, names this machine: localhost
// or a literal loopback address.
func IsLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
