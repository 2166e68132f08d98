package netguard

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // net/http tells of servers that misbehave, as they do here
	goleak.VerifyTestMain(m)
}

// client returns a client for p that leaves no connection behind.
func client(t *testing.T, p Policy) *http.Client {
	t.Helper()
	c, err := Client(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

var loopback = Policy{AllowLoopback: true, AllowHTTPOnLoopback: true}

// rule returns the rule that err violated, or "".
func rule(err error) Rule {
	if v, ok := errors.AsType[*ViolationError](err); ok {
		return v.Rule
	}
	return ""
}

// Covers: workspace 9.8
func TestHostileTargetsAreRefused(t *testing.T) {
	t.Parallel()
	open := Policy{}
	one := Policy{AllowedHosts: []string{"api.example.com"}}
	tests := []struct {
		policy Policy
		url    string
		want   Rule
	}{
		{open, "http://example.com/", RuleScheme},
		{open, "ftp://example.com/", RuleScheme},
		{open, "https://user:pw@example.com/", RuleUserinfo},
		{open, "https://example.com:8443/", RulePort},
		{open, "https://127.0.0.1/", RuleHost},
		{open, "https://localhost/", RuleHost},
		{open, "https://[::1]/", RuleHost},
		{open, "https://[::ffff:127.0.0.1]/", RuleHost},
		{open, "https://10.0.0.1/", RuleAddress},
		{open, "https://192.168.1.1/", RuleAddress},
		{open, "https://169.254.169.254/latest/meta-data/", RuleAddress},
		{open, "https://0.0.0.0/", RuleAddress},
		{open, "https://[fe80::1]/", RuleAddress},
		{open, "https://[fd00::1]/", RuleAddress},
		{open, "https://[64:ff9b::7f00:1]/", RuleAddress},
		{one, "https://example.com/", RuleHost},
		{one, "https://api.example.com.evil.test/", RuleHost},
		{one, "https://api.example.com:444/", RulePort},
		{Policy{AllowLoopback: true}, "http://127.0.0.1:1/", RuleScheme},
		{loopback, "http://10.0.0.1/", RuleScheme},
		{loopback, "https://10.0.0.1/", RuleAddress},
	}
	for _, tt := range tests {
		res, err := client(t, tt.policy).Get(tt.url)
		if err == nil {
			res.Body.Close()
		}
		if got := rule(err); got != tt.want {
			t.Errorf("GET %s with %+v: rule %q (%v), want %q", tt.url, tt.policy, got, err, tt.want)
		}
	}
}

func TestDialledAddresses(t *testing.T) {
	t.Parallel()
	named := Policy{AllowedHosts: []string{"gateway.test:8443"}, AllowPrivate: true}
	tests := []struct {
		policy  Policy
		host    string
		address string
		ok      bool
	}{
		// A public name that resolves to this machine: DNS rebinding.
		{loopback, "rebound.test", "127.0.0.1:443", false},
		{loopback, "rebound.test", "[::1]:443", false},
		// localhost that the hosts file sends elsewhere.
		{loopback, "localhost", "93.184.216.34:80", false},
		{loopback, "localhost", "127.0.0.1:80", true},
		{loopback, "localhost", "[::1]:80", true},
		{Policy{}, "localhost", "127.0.0.1:443", false},
		{Policy{}, "public.test", "93.184.216.34:443", true},
		{Policy{}, "public.test", "93.184.216.34:80", false},
		{Policy{}, "public.test", "10.1.2.3:443", false},
		{named, "gateway.test", "10.1.2.3:8443", true},
		{named, "gateway.test", "[fd00::1]:8443", true},
		{named, "gateway.test", "169.254.169.254:8443", false},
		{named, "gateway.test", "127.0.0.1:8443", false},
		{Policy{AllowPrivate: true}, "any.test", "10.1.2.3:443", false}, // nobody named a host
	}
	for _, tt := range tests {
		r, err := newRules(tt.policy)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.address(tt.host, netip.MustParseAddrPort(tt.address)); (err == nil) != tt.ok {
			t.Errorf("dial %s for %s with %+v: %v, want ok=%v", tt.address, tt.host, tt.policy, err, tt.ok)
		}
	}
}

func TestProxyFromTheEnvironmentIsIgnored(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:9")
	proxy, err := client(t, loopback).Transport.(*guard).next.Proxy(httptest.NewRequest(http.MethodGet, "https://example.com/", nil))
	if proxy != nil || err != nil {
		t.Errorf("the transport has a proxy: %s, %v", proxy, err)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("X-Api-Key"), r.Header.Get("Authorization"), r.Header.Get("X-Harmless"))
	}))
	t.Cleanup(other.Close)
	var first *httptest.Server
	first = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/across":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		case "/private":
			http.Redirect(w, r, "https://10.0.0.1/", http.StatusFound)
		case "/same":
			http.Redirect(w, r, first.URL+"/end", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		default:
			fmt.Fprint(w, r.Header.Get("X-Api-Key"))
		}
	}))
	t.Cleanup(first.Close)

	following := loopback
	following.MaxRedirects = 3
	tests := []struct {
		name, path string
		policy     Policy
		body       string
		want       Rule
	}{
		{"none are followed by default", "/same", loopback, "", RuleRedirect},
		{"a key stays on its host", "/across", following, "harmless", ""},
		{"and is kept there", "/same", following, "key", ""},
		{"metadata address", "/metadata", following, "", RuleScheme},
		{"private address", "/private", following, "", RuleAddress},
		{"a loop ends", "/loop", following, "", RuleRedirect},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req, err := http.NewRequestWithContext(t.Context(), "GET", first.URL+tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = http.Header{"X-Api-Key": {"key"}, "Authorization": {"Bearer x"}, "X-Harmless": {"harmless"}}
			res, err := client(t, tt.policy).Do(req)
			if got := rule(err); got != tt.want {
				t.Fatalf("rule %q (%v), want %q", got, err, tt.want)
			}
			if err != nil {
				return
			}
			defer res.Body.Close()
			if body, _ := io.ReadAll(res.Body); string(body) != tt.body {
				t.Errorf("body %q, want %q", body, tt.body)
			}
		})
	}
}

func TestBodyCap(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, strings.Repeat("x", 100))
	}))
	t.Cleanup(srv.Close)
	for _, tt := range []struct {
		most  int64
		fails bool
	}{{99, true}, {100, false}, {0, false}} {
		p := loopback
		p.MaxBody = tt.most
		res, err := client(t, p).Get(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		var large *BodyTooLargeError
		if errors.As(err, &large) != tt.fails {
			t.Errorf("cap %d: %v", tt.most, err)
		}
		if want := 100; tt.fails && len(body) != int(tt.most) || !tt.fails && len(body) != want {
			t.Errorf("cap %d: read %d bytes", tt.most, len(body))
		}
	}
}

func TestHeaderTimeout(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(release) })
	p := loopback
	p.HeaderTimeout = 20 * time.Millisecond
	_, err := client(t, p).Get(srv.URL)
	var u *url.Error
	if !errors.As(err, &u) || !u.Timeout() {
		t.Errorf("got %v, want a timeout", err)
	}
}

func TestParseHost(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, host, port string }{
		{"Example.COM", "example.com", "443"},
		{"example.com.", "example.com", "443"},
		{"example.com:8443", "example.com", "8443"},
		{"[fd00::1]:9", "fd00::1", "9"},
		{"fd00::1", "fd00::1", "443"},
		{"", "", ""},
		{"example.com:", "", ""},
		{"example.com:0", "", ""},
		{"example.com:70000", "", ""},
		{"https://example.com", "", ""},
		{"exa mple", "", ""},
		{"*.example.com", "", ""},
	}
	for _, tt := range tests {
		host, port, err := ParseHost(tt.in)
		if host != tt.host || port != tt.port || (err == nil) != (tt.host != "") {
			t.Errorf("ParseHost(%q) = %q, %q, %v; want %q, %q", tt.in, host, port, err, tt.host, tt.port)
		}
	}
	if _, err := Client(Policy{AllowedHosts: []string{"http://x"}}); err == nil {
		t.Error("an ill-formed allowed host was accepted")
	}
}

func FuzzParseHost(f *testing.F) {
	for _, s := range []string{"a", "a:1", "[::1]:2", "::1", "A.b.", "a:b:c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, port, err := ParseHost(s)
		if err != nil {
			return
		}
		// What was accepted means the same when it is written out.
		again, samePort, err := ParseHost(joined(host, port))
		if err != nil || again != host || samePort != port {
			t.Errorf("%q is %q %q, which reads as %q %q %v", s, host, port, again, samePort, err)
		}
	})
}

func joined(host, port string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]:" + port
	}
	return host + ":" + port
}
