package shell

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"belay/internal/netguard"
	"belay/internal/permit"
	"belay/internal/tool/shell/confine"
)

// web stands for the network: one server for TLS and one without, whatever the name.
type web struct{ secure, plain string }

func (w web) Check(address string) error { return netguard.Dialer{}.Check(address) }

func (w web) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	to := w.plain
	if strings.HasSuffix(address, ":443") {
		to = w.secure
	}
	return (&net.Dialer{}).DialContext(ctx, network, to)
}

// decider rules by policy; what would be asked about stays unanswered.
type decider struct {
	policy permit.Policy
	mu     sync.Mutex
	log    []string
}

func (d *decider) Ask(_ context.Context, e permit.Effect) (permit.Ruling, error) {
	return d.policy.Judge(e), nil
}

func (d *decider) Local(e permit.Effect) permit.Ruling {
	if r := d.policy.Judge(e); r.Outcome != permit.Ask {
		return r
	}
	return permit.Ruling{Outcome: permit.Allow}
}

func (d *decider) Record(_ context.Context, e permit.Effect, r permit.Ruling) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.log = append(d.log, fmt.Sprintf("%s %s", r.Outcome, strings.Join(append(e.Hosts, e.Summary)[:1], "")))
	return nil
}

// A command reaches the hosts that a rule allows, and no other, by TLS and without; the
// result and the record say which.
func TestACommandReachesAllowedHosts(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Fatal(err)
	}
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %s %s %s\n", r.Proto, r.Host, r.URL, body, r.Header.Get("X-Forwarded-For"))
	})
	secure, plain := httptest.NewTLSServer(answer), httptest.NewServer(answer)
	t.Cleanup(secure.Close)
	t.Cleanup(plain.Close)
	base := tempDir(t)
	s := newShell(t, base, Options{Network: confine.NetworkAsk, Dialer: web{secure.Listener.Addr().String(), plain.Listener.Addr().String()}})
	report, err := s.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !report.Namespaces {
		t.Skip("skipped: this machine has no namespaces")
	}
	allowed, err := permit.ParseRules([]string{"network(*.allowed.test)", "network(other.test:8443)"})
	if err != nil {
		t.Fatal(err)
	}
	d := &decider{policy: permit.Policy{Mode: permit.Direct, Allowed: allowed}}
	w := newPlace(t, base)
	w.Network = d
	r, err := callShell(t, s, w, input{Command: `c() { ` + curl + ` -sS -k -m 20 "$@" 2>&1; echo "= $?"; }
c https://a.allowed.test/secure -d data
c "http://A.allowed.test/plain?x=1;y"
c http://a.allowed.test/again
c http://other.test:8443/port
c https://unknown.test/
c http://unknown.test/
c http://169.254.169.254/latest/meta-data/
c http://localhost.allowed.test.:80/dot
c http://10.0.0.1:8080/
c --noproxy '*' http://` + plain.Listener.Addr().String() + `/around
getent hosts a.allowed.test || echo no names`})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"HTTP/1.1 a.allowed.test /secure data", "HTTP/1.1 A.allowed.test /plain?x=1;y", "HTTP/1.1 a.allowed.test /again",
		"HTTP/1.1 other.test:8443 /port",
		"CONNECT tunnel failed, response 504", "belay: unknown.test was not reached: a person is asked and has not answered yet; repeat the command",
		"belay: 169.254.169.254 was not reached: network policy", "belay: 10.0.0.1:8080 was not reached: network policy",
		"no names", "\nunknown.test was not reached: a person is asked",
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the result lacks %q", want)
		}
	}
	if strings.Contains(r.Text, "/around") || strings.Contains(r.Text, "127.0.0.1\n") {
		t.Error("the proxy was avoided, or named the machine")
	}
	const log = "allow a.allowed.test; allow other.test:8443; ask unknown.test; refuse 169.254.169.254; allow localhost.allowed.test; refuse 10.0.0.1:8080"
	if got := strings.Join(d.log, "; "); got != log {
		t.Errorf("on record is %s\nwant %s", got, log)
	}
	if t.Failed() {
		t.Log(r.Text)
	}
}

// Where nobody decides there is no proxy.
func TestNoProxyWithoutDecisions(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	r, err := callShell(t, newShell(t, base, Options{Network: confine.NetworkAsk}), newPlace(t, base), input{Command: `echo "proxy: $HTTPS_PROXY"`})
	if err != nil || !strings.Contains(r.Text, "proxy: \n") {
		t.Errorf("%q, %v", r.Text, err)
	}
}
