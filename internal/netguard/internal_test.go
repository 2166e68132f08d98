package netguard

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// attachments is the policy of what workflow files attach.
func attachments(internal ...string) Policy {
	return Policy{AllowHTTP: true, AnyPort: true, MaxRedirects: 3, Internal: internal}
}

func TestInternalHosts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		internal string
		host, to string
		ok       bool
	}{
		{"", "public.test", "93.184.216.34:8080", true},
		{"", "public.test", "[2606:2800:220:1::1]:80", true},
		{"files.test", "files.test", "10.1.2.3:8080", true},
		{"files.test", "FILES.test.", "10.1.2.3:8080", true},
		{"files.test", "files.test", "127.0.0.1:80", true},
		{"files.test", "files.test", "[fd00::1]:80", true},
		{"files.test", "files.test", "100.64.0.1:80", true},
		{"files.test", "other.test", "10.1.2.3:8080", false},
		{"files.test", "a.files.test", "10.1.2.3:8080", false},
		{"files.test", "files.test", "169.254.169.254:80", false},
		{"files.test", "files.test", "[fd00:ec2::254]:80", false},
		{"files.test", "files.test", "0.0.0.0:80", false},
		{"files.test", "files.test", "[::]:80", false},
		{"files.test:8080", "files.test", "10.1.2.3:8080", true},
		{"files.test:8080", "files.test", "10.1.2.3:8081", false},
		{"10.1.0.0/16", "any.test", "10.1.2.3:1234", true},
		{"10.1.0.0/16", "any.test", "[::ffff:10.1.2.3]:1234", true},
		{"10.1.0.0/16", "any.test", "10.2.2.3:1234", false},
		{"0.0.0.0/0", "any.test", "169.254.169.254:80", false},
		{"10.1.2.3", "any.test", "10.1.2.3:1234", true},
		{"10.1.2.3:80", "any.test", "10.1.2.3:81", false},
		{"fd00::/8", "any.test", "[fd00::1]:80", true},
		{"fd00::/8", "any.test", "[fd00:ec2::254]:80", false},
		{"::/0", "any.test", "[64:ff9b::a9fe:a9fe]:80", false},
		{"::/0", "any.test", "[2002:a9fe:a9fe::1]:80", false},
		{"localhost:80", "localhost", "127.0.0.1:80", true},
		{"localhost:80", "localhost", "10.0.0.1:80", false}, // the hosts file sends it elsewhere
		{"localhost:80", "rebound.test", "127.0.0.1:80", false},
		{"127.0.0.1:80", "localhost", "127.0.0.1:80", true},
	}
	for _, tt := range tests {
		p := attachments()
		if tt.internal != "" {
			p = attachments(tt.internal)
		}
		r, err := newRules(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.address(tt.host, netip.MustParseAddrPort(tt.to)); (err == nil) != tt.ok {
			t.Errorf("%s at %s with %q open: %v, want ok=%v", tt.host, tt.to, tt.internal, err, tt.ok)
		}
	}
}

// What is no public address is reached by no spelling of it.
func TestAttachmentsReachNothingPrivate(t *testing.T) {
	t.Parallel()
	c := client(t, attachments())
	for _, target := range []string{
		"http://127.0.0.1/", "http://127.1.2.3:8080/", "http://localhost/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
		"http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.0.1/", "http://100.64.0.1/", "http://169.254.169.254/latest/",
		"http://0.0.0.0/", "http://0.1.2.3/", "http://[::]/", "http://[fe80::1]/", "http://[fd00::1]/", "http://[64:ff9b::7f00:1]/",
		"http://[2002:7f00:1::]/", "http://192.0.2.1/", "http://198.51.100.1/", "http://203.0.113.1/", "http://198.18.0.1/",
		"http://224.0.0.1/", "http://255.255.255.255/", "http://168.63.129.16/", "http://[2001:db8::1]/", "http://user@example.com/",
	} {
		res, err := c.Get(target)
		if err == nil {
			res.Body.Close()
		}
		if got := rule(err); got != RuleAddress && got != RuleHost && got != RuleUserinfo {
			t.Errorf("GET %s: %v", target, err)
		}
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		if rule(attachments().Resolve(t.Context(), u)) == "" {
			t.Errorf("%s may be passed on", target)
		}
	}
}

func TestParseInternal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Files.Test.": "files.test", "files.test:8080": "files.test:8080", "10.1.2.3": "10.1.2.3", "[fd00::1]:9": "[fd00::1]:9",
		"fd00::1": "fd00::1", "10.1.2.3/16": "10.1.0.0/16", "fd00::/8": "fd00::/8", "localhost": "localhost", "0.0.0.0/0": "0.0.0.0/0",
		"": "", "http://files.test": "", "*.test": "", "10.0.0.0/33": "", "::ffff:10.0.0.0/104": "", "169.254.169.254": "", "169.254.1.0/24": "",
		"fe80::/16": "", "fe80::1": "", "0.0.0.0": "", "2002:7f00:1::/48": "", "files.test:0": "",
	} {
		got, err := ParseInternal(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("ParseInternal(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	if _, err := Client(attachments("a/b")); err == nil {
		t.Error("an ill-formed internal host was accepted")
	}
}

func FuzzParseInternal(f *testing.F) {
	for _, s := range []string{"a", "a:1", "[::1]:2", "::1", "10.0.0.0/8", "::/0", "1.2.3.4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, err := ParseInternal(s)
		if err != nil {
			return
		}
		if again, err := ParseInternal(once); err != nil || again != once {
			t.Errorf("%q is %q, which reads as %q, %v", s, once, again, err)
		}
	})
}

func TestRedirectsAreHeldToInternalHosts(t *testing.T) {
	t.Parallel()
	served := func(to func() string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if target := to(); target != "" {
				http.Redirect(w, r, target, http.StatusFound)
				return
			}
			fmt.Fprint(w, r.Header.Get("Referer"))
		}))
		t.Cleanup(s.Close)
		return s
	}
	secret := served(func() string { return "" })
	first := served(func() string { return secret.URL })
	host := strings.TrimPrefix(first.URL, "http://")
	if _, err := client(t, attachments(host)).Get(first.URL); rule(err) != RuleHost {
		t.Errorf("a redirect to another port of this machine: %v", err)
	}
	res, err := client(t, attachments("127.0.0.0/8")).Get(first.URL + "/?key=secret")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.ContentLength != 0 {
		t.Error("the next host is told the address that led to it")
	}
}

// A name whose address changes between two lookups reaches only what each address
// may be reached for.
func TestRebinding(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the server was reached") }))
	t.Cleanup(srv.Close)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(srv.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	var lookups atomic.Int32
	p := attachments()
	p.Resolver = nameServer(t, func() [4]byte {
		if lookups.Add(1) == 1 {
			return [4]byte{93, 184, 216, 34}
		}
		return [4]byte{127, 0, 0, 1}
	})
	u := &url.URL{Scheme: "http", Host: "rebound.test:" + port, Path: "/"}
	if err := p.Resolve(t.Context(), u); err != nil {
		t.Fatalf("the first address is public: %v", err)
	}
	if _, err := client(t, p).Get(u.String()); rule(err) != RuleAddress {
		t.Errorf("the second is not: %v", err)
	}
	if err := p.Resolve(t.Context(), u); rule(err) != RuleAddress {
		t.Errorf("nor is it passed on: %v", err)
	}
}

// nameServer is a resolver to which every name has the address that answer gives.
func nameServer(t *testing.T, answer func() [4]byte) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Header = dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}
			m.Additionals = nil
			if q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: answer()},
				}}
			}
			if out, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(out, from)
			}
		}
	}()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}
