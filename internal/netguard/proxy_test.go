package netguard

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// tunnel is a proxy that leads every CONNECT to one server.
type tunnel struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newTunnel(t *testing.T, to string) *tunnel {
	t.Helper()
	p := &tunnel{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, r.Method+" "+r.Host)
		p.mu.Unlock()
		if r.Method != http.MethodConnect {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		out, err := net.Dial("tcp", to)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		in, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(in, "HTTP/1.1 200 OK\r\n\r\n")
		carry(in, buffered.Reader, out)
	}))
	t.Cleanup(p.Close)
	return p
}

// carry copies in both directions until both have ended.
func carry(in net.Conn, read *bufio.Reader, out net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(out, read)
		_ = out.Close()
	}()
	_, _ = io.Copy(in, out)
	_ = in.Close()
	<-done
}

func (p *tunnel) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// A proxy that the policy names leads to the hosts that it names, whose address nobody
// knows here. Loopback is reached without it.
func TestProxy(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "from "+r.Host) }))
	t.Cleanup(server.Close)
	p := newTunnel(t, server.Listener.Addr().String())
	at, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	own := server.Listener.Addr().String()
	policy := Policy{AllowedHosts: []string{"example.com", own}, AllowLoopback: true, Proxy: at}
	c := client(t, policy)
	c.Transport.(*guard).next.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs} //nolint:gosec // of a test
	get := func(address string) string {
		t.Helper()
		res, err := c.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if got := get("https://example.com/"); got != "from example.com" {
		t.Errorf("through the proxy came %q", got)
	}
	if got := get("https://" + own + "/"); got != "from "+own {
		t.Errorf("of this machine came %q", got)
	}
	if got := strings.Join(p.seen(), ", "); got != "CONNECT example.com:443" {
		t.Errorf("the proxy was asked for %q", got)
	}
	// What the policy does not name never reaches the proxy.
	for address, want := range map[string]Rule{"https://other.example/": RuleHost, "http://example.com/": RuleScheme, "https://example.com:8443/": RulePort} {
		res, err := c.Get(address)
		if err == nil {
			_ = res.Body.Close()
		}
		if rule(err) != want {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
	if got := len(p.seen()); got != 1 {
		t.Errorf("the proxy was asked %d times", got)
	}
}

// A proxy is no way to the addresses that nothing reaches, and no policy leaves all hosts to it.
func TestProxyIsBounded(t *testing.T) {
	t.Parallel()
	at := &url.URL{Scheme: "http", Host: "169.254.169.254"}
	res, err := client(t, Policy{AllowedHosts: []string{"example.com"}, Proxy: at}).Get("https://example.com/")
	if err == nil {
		_ = res.Body.Close()
	}
	if rule(err) != RuleAddress {
		t.Errorf("a proxy at the metadata of a cloud: %v", err)
	}
	if _, err := Client(Policy{Proxy: at}); err == nil {
		t.Error("a policy for all hosts may have a proxy")
	}
}
