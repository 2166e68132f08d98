package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"rsc.io/qr"

	"belay/internal/app"
)

// phoneBase is the address of a server's page for another device on the same network. At is what
// the person says: a host, or an address of the page behind a proxy. Others are further addresses
// of this machine.
func phoneBase(s app.Server, at string, own []netip.Addr) (base string, others []string, err error) {
	_, port, _ := net.SplitHostPort(s.Addr)
	if at != "" {
		if base, err = phoneAt(at, port); err != nil {
			return "", nil, failed(ExitUsage, "give a host name, an IP address, or an address such as https://belay.example.com", err)
		}
		return base, nil, nil
	}
	bound, err := netip.ParseAddrPort(s.Addr)
	switch {
	case err != nil, bound.Addr().Unmap().IsLoopback():
		return "", nil, failed(ExitFailed,
			"start it with belay serve --addr 0.0.0.0:23529 --token-file FILE, or name the address of a proxy or tunnel with --at",
			fmt.Errorf("the server at %s can be reached from this machine only", s.URL))
	case !bound.Addr().IsUnspecified():
		return "http://" + s.Addr, nil, nil
	}
	for _, ip := range own {
		others = append(others, net.JoinHostPort(ip.String(), port))
	}
	if len(others) == 0 {
		return "", nil, failed(ExitFailed, "connect it to the network of the phone, or name an address with --at", errors.New("this machine has no address on a network"))
	}
	return "http://" + others[0], others[1:], nil
}

// phoneAt is the address that a person names.
func phoneAt(at, port string) (string, error) {
	if strings.Contains(at, "://") {
		u, err := url.Parse(at)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" || u.User != nil {
			return "", fmt.Errorf("--at %q is no address of a page", at)
		}
		return u.Scheme + "://" + u.Host, nil
	}
	host := strings.Trim(at, "[]")
	if host == "" || strings.ContainsAny(host, "/?#@ \t") || strings.Contains(host, ":") && !isIP(host) {
		return "", fmt.Errorf("--at %q is no host", at)
	}
	return "http://" + net.JoinHostPort(host, port), nil
}

// answersFor asks the server whether it answers requests that are addressed to the host of
// base. Only the server knows: its allowed hosts may come from the environment of its own.
func answersFor(ctx context.Context, server, base string) (bool, error) {
	u, err := url.Parse(base)
	if err != nil {
		return false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"/healthz", nil)
	if err != nil {
		return false, err
	}
	req.Host = u.Host
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, fmt.Errorf("ask the server at %s: %w", server, err)
	}
	_ = resp.Body.Close() // the status says it all
	return resp.StatusCode != http.StatusForbidden, nil
}

func isIP(s string) bool { _, err := netip.ParseAddr(s); return err == nil }

// ownAddresses are this machine's addresses on networks, those first that a phone at home or in an
// office most likely reaches.
func ownAddresses(all []net.Addr) []netip.Addr {
	var found []netip.Addr
	for _, a := range all {
		prefix, err := netip.ParsePrefix(a.String())
		if err != nil {
			continue
		}
		if ip := prefix.Addr().Unmap(); ip.IsGlobalUnicast() {
			found = append(found, ip)
		}
	}
	rank := func(ip netip.Addr) int {
		switch {
		case ip.Is4() && ip.IsPrivate():
			return 0
		case ip.Is4():
			return 1
		case ip.IsPrivate():
			return 2
		}
		return 3
	}
	slices.SortStableFunc(found, func(a, b netip.Addr) int { return rank(a) - rank(b) })
	return slices.Compact(found)
}

// quietZone is how many modules around a QR code are light.
const quietZone = 4

// qrLines are the lines of a QR code of a text, two rows of modules in each. With colour it is
// black on white; without, the light modules are drawn, which is right on a dark terminal, and
// which most cameras also read on a light one.
func qrLines(text string, colour bool) ([]string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil, fmt.Errorf("draw the QR code: %w", err)
	}
	light := func(x, y int) bool { return !code.Black(x-quietZone, y-quietZone) } // beyond its edge as well
	size := code.Size + 2*quietZone
	var lines []string
	for y := 0; y < size; y += 2 {
		var b strings.Builder
		if colour {
			b.WriteString("\x1b[38;5;231;48;5;16m")
		}
		for x := range size {
			b.WriteString(blocks[light(x, y)][light(x, y+1)])
		}
		if colour {
			b.WriteString("\x1b[0m")
		}
		lines = append(lines, b.String())
	}
	return lines, nil
}

// blocks are the characters for two modules, by whether the upper and the lower one are light.
var blocks = map[bool]map[bool]string{
	true:  {true: "█", false: "▀"},
	false: {true: "▄", false: " "},
}
