package cli

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"rsc.io/qr"

	"belay/internal/app"
)

// The address for a phone is one that leads to the server from elsewhere, or there is a next step.
func TestPhoneBase(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		addr, at string
		own      []string
		want     string
		others   []string
		fails    string
	}{
		{addr: "127.0.0.1:23529", fails: "from this machine only"},
		{addr: "[::1]:23529", fails: "from this machine only"},
		{addr: "[::ffff:127.0.0.1]:23529", fails: "from this machine only"},
		{addr: "", fails: "from this machine only"}, // of an older program
		{addr: "192.168.1.20:23529", want: "http://192.168.1.20:23529"},
		{addr: "0.0.0.0:23529", fails: "no address on a network"},
		{addr: "0.0.0.0:23529", own: []string{"192.168.1.20"}, want: "http://192.168.1.20:23529"},
		{addr: "[::]:23529", own: []string{"10.0.0.7", "fd00::7"}, want: "http://10.0.0.7:23529", others: []string{"[fd00::7]:23529"}},
		{addr: "[::]:23529", own: []string{"fd00::7"}, want: "http://[fd00::7]:23529"},
		{addr: "0.0.0.0:23529", at: "laptop.local", want: "http://laptop.local:23529"},
		{addr: "0.0.0.0:23529", at: "fd00::7", want: "http://[fd00::7]:23529"},
		{addr: "127.0.0.1:23529", at: "https://belay.example.com/", want: "https://belay.example.com"},
		{addr: "127.0.0.1:23529", at: "https://belay.example.com:8443", want: "https://belay.example.com:8443"},
		{addr: "127.0.0.1:23529", at: "https://belay.example.com/path", fails: "no address of a page"},
		{addr: "127.0.0.1:23529", at: "https://me@belay.example.com", fails: "no address of a page"},
		{addr: "127.0.0.1:23529", at: "ftp://belay.example.com", fails: "no address of a page"},
		{addr: "127.0.0.1:23529", at: "evil.example/#x", fails: "no host"},
		{addr: "127.0.0.1:23529", at: "laptop:80", fails: "no host"},
	} {
		var own []netip.Addr
		for _, ip := range tt.own {
			own = append(own, netip.MustParseAddr(ip))
		}
		base, others, err := phoneBase(app.Server{URL: "http://127.0.0.1:23529", Addr: tt.addr}, tt.at, own)
		if tt.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s at %q: %s, %v", tt.addr, tt.at, base, err)
			}
			continue
		}
		if err != nil || base != tt.want || !slices.Equal(others, tt.others) {
			t.Errorf("%s at %q: %s, %q, %v", tt.addr, tt.at, base, others, err)
		}
	}
}

func TestOwnAddresses(t *testing.T) {
	t.Parallel()
	var all []net.Addr
	for _, s := range []string{"127.0.0.1/8", "::1/128", "fe80::1/64", "2001:db8::7/64", "fd00::7/64", "203.0.113.9/24", "169.254.1.1/16", "10.8.0.2/24", "192.168.1.20/24"} {
		ip, network, err := net.ParseCIDR(s)
		if err != nil {
			t.Fatal(err)
		}
		network.IP = ip
		all = append(all, network)
	}
	var got []string
	for _, ip := range ownAddresses(all) {
		got = append(got, ip.String())
	}
	if want := "10.8.0.2 192.168.1.20 203.0.113.9 fd00::7 2001:db8::7"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %s", got, want)
	}
}

// Every module of the code is drawn, and the quiet zone around it.
func TestQRLines(t *testing.T) {
	t.Parallel()
	const text = "http://192.168.1.20:23529/#code=ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := qrLines(text, false)
	if err != nil {
		t.Fatal(err)
	}
	if n := code.Size + 2*quietZone; utf8.RuneCountInString(lines[0]) != n || len(lines) != (n+1)/2 || n > 79 {
		t.Fatalf("%d lines of %d columns for %d modules", len(lines), utf8.RuneCountInString(lines[0]), code.Size)
	}
	for i, l := range lines {
		for x, r := range []rune(l) {
			upper, lower := r == '█' || r == '▀', r == '█' || r == '▄'
			for y, light := range map[int]bool{2 * i: upper, 2*i + 1: lower} {
				if light == code.Black(x-quietZone, y-quietZone) {
					t.Fatalf("the module %d,%d is drawn wrong", x, y)
				}
			}
		}
	}
	coloured, err := qrLines(text, true)
	if err != nil || !strings.HasPrefix(coloured[0], "\x1b[38;5;231;48;5;16m█") || !strings.HasSuffix(coloured[0], "\x1b[0m") {
		t.Errorf("in colour: %q, %v", coloured[:1], err)
	}
}
