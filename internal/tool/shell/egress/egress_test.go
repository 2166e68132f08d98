package egress

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"belay/internal/netguard"
	"belay/internal/permit"
)

// TestMain leaves the half second alone that net/http gives a client to read an error.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// far stands for all other machines: what dials it gets the other end of a connection
// on remote. It is also who decides.
type far struct {
	remote chan net.Conn
	rule   func(ctx context.Context, host string) (permit.Ruling, error)
	fails  error
	// lost is why no address is found for a host; nil is none.
	lost error

	mu  sync.Mutex
	log []string
}

func (f *far) Check(address string) error { return netguard.Dialer{}.Check(address) }

func (f *far) Dial(context.Context, string, string) (net.Conn, error) {
	if f.lost != nil {
		return nil, f.lost
	}
	near, remote := net.Pipe()
	f.remote <- remote
	return near, nil
}

func (f *far) record(_ context.Context, host string, r permit.Ruling) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, string(r.Outcome)+" "+host)
	return f.fails
}

// serve serves a proxy, and returns how to connect to it and how to end it.
func serve(t *testing.T, f *far, o Options) (p *Proxy, connect func() (net.Conn, *bufio.Reader), end func()) {
	t.Helper()
	f.remote = make(chan net.Conn, 1)
	if f.rule == nil {
		f.rule = func(context.Context, string) (permit.Ruling, error) { return permit.Ruling{Outcome: permit.Allow}, nil }
	}
	o.Ask, o.Record, o.Dialer = f.rule, f.record, f
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p = New(t.Context(), o)
	served := make(chan struct{})
	go func() { defer close(served); p.Serve(l) }()
	end = sync.OnceFunc(func() { _ = l.Close(); <-served })
	t.Cleanup(end)
	return p, func() (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetDeadline(time.Now().Add(5 * time.Minute))
		return c, bufio.NewReader(c)
	}, end
}

// ask sends a request and returns the answer's status and body.
func ask(t *testing.T, connect func() (net.Conn, *bufio.Reader), request string) (status int, body string) {
	t.Helper()
	c, in := connect()
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	res, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, res.ContentLength))
	return res.StatusCode, string(text)
}

func connectTo(host string) string {
	return "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"
}

// A connection waits for an answer so long and no longer; the message says what to do.
func TestAConnectionWaitsForAnAnswer(t *testing.T) {
	t.Parallel()
	f := &far{rule: func(ctx context.Context, _ string) (permit.Ruling, error) {
		<-ctx.Done()
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return permit.Ruling{}, ctx.Err()
		}
		return permit.Ruling{Outcome: permit.Ask, Reason: "no rule"}, nil
	}}
	p, connect, _ := serve(t, f, Options{Wait: 10 * time.Millisecond})
	for range 2 {
		if status, body := ask(t, connect, connectTo("a.test:443")); status != http.StatusGatewayTimeout || !strings.Contains(body, "repeat the command") {
			t.Errorf("%d %q", status, body)
		}
	}
	if got := p.Unreached(); len(got) != 1 || !strings.Contains(got[0], "a.test was not reached: a person is asked") {
		t.Errorf("the result would say %q", got)
	}
	if len(f.log) != 1 {
		t.Errorf("on record is %q", f.log)
	}
}

// A host that is reached in the end is not among those that were not.
func TestAnAnswerThatComesLate(t *testing.T) {
	t.Parallel()
	answered := make(chan struct{})
	f := &far{rule: func(context.Context, string) (permit.Ruling, error) {
		select {
		case <-answered:
			return permit.Ruling{Outcome: permit.Allow}, nil
		default:
			return permit.Ruling{Outcome: permit.Ask}, nil
		}
	}}
	p, connect, _ := serve(t, f, Options{})
	ask(t, connect, connectTo("a.test:443"))
	before := p.Unreached()
	close(answered)
	status, _ := ask(t, connect, connectTo("a.test:443"))
	(<-f.remote).Close()
	if after := p.Unreached(); len(before) != 1 || len(after) != 0 || status != http.StatusOK {
		t.Errorf("%q, then %d and %q", before, status, after)
	}
}

func TestRequestsThatReachNothing(t *testing.T) {
	t.Parallel()
	f := &far{rule: func(_ context.Context, host string) (permit.Ruling, error) {
		switch host {
		case "denied.test":
			return permit.Ruling{Outcome: permit.Refuse, Reason: "the rule denies it"}, nil
		case "broken.test":
			return permit.Ruling{}, errors.New("no disk")
		}
		return permit.Ruling{Outcome: permit.Allow}, nil
	}}
	_, connect, _ := serve(t, f, Options{})
	for request, want := range map[string]int{
		connectTo("denied.test:443"):                                   http.StatusForbidden,
		connectTo("DENIED.test.:443"):                                  http.StatusForbidden,
		connectTo("denied.test:0443"):                                  http.StatusForbidden,
		"GET http://denied.test:080/ HTTP/1.1\r\nHost: a.test\r\n\r\n": http.StatusForbidden,
		connectTo("broken.test:443"):                                   http.StatusBadGateway,
		connectTo("169.254.169.254:443"):                               http.StatusForbidden,
		connectTo("[::1]:443"):                                         http.StatusForbidden,
		connectTo("localhost:443"):                                     http.StatusForbidden,
		connectTo("a.test:0"):                                          http.StatusBadRequest,
		connectTo("a.test:99999"):                                      http.StatusBadRequest,
		connectTo("a_%zz:443"):                                         http.StatusBadRequest,
		connectTo("<script>:443"):                                      http.StatusBadRequest,
		"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n":                       http.StatusBadRequest,
		"GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n":         http.StatusBadRequest,
		"GET ftp://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n":           http.StatusBadRequest,
		"GET http://denied.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n":     http.StatusForbidden,
		"GET / HTTP/1.1\r\nHost: a.test\r\nX: " + strings.Repeat("x", 80<<10) + "\r\n\r\n": http.StatusRequestHeaderFieldsTooLarge,
	} {
		if status, body := ask(t, connect, request); status != want {
			t.Errorf("%.60q: %d %q, want %d", request, status, body, want)
		}
	}
	if len(f.remote) != 0 {
		t.Error("something was reached")
	}
}

// A command learns that a name does not resolve, and nothing of the machine's name server.
func TestNamesThatDoNotResolve(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*net.DNSError{
		"there is no such name":                  {Err: "no such host", IsNotFound: true},
		"the name server did not answer in time": {Err: "read udp 10.0.0.2:4711->10.0.0.53:53: i/o timeout", IsTimeout: true},
		"the name server failed":                 {Err: "dial udp 10.0.0.53:53: connection refused"},
	} {
		e.Name, e.Server = "a.test", "10.0.0.53:53"
		_, connect, _ := serve(t, &far{lost: &net.OpError{Op: "dial", Net: "tcp", Err: e}}, Options{})
		for _, request := range []string{connectTo("a.test:443"), "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"} {
			status, body := ask(t, connect, request)
			if status != http.StatusBadGateway || strings.TrimSpace(body) != "belay: a.test was not reached: its name does not resolve ("+want+")" {
				t.Errorf("%.10q, %v: %d %q", request, e, status, body)
			}
		}
	}
}

// Nothing is reached that is not on record, and a command names only so many hosts.
func TestNothingIsReachedWithoutARecord(t *testing.T) {
	t.Parallel()
	f := &far{fails: errors.New("no disk")}
	_, connect, _ := serve(t, f, Options{})
	for i := range maxHosts + 1 {
		want := http.StatusBadGateway
		if i == maxHosts {
			want = http.StatusForbidden
		}
		if status, body := ask(t, connect, connectTo(fmt.Sprintf("h%d.test:443", i))); status != want {
			t.Fatalf("host %d: %d %q", i, status, body)
		}
	}
	if len(f.remote) != 0 || len(f.log) != maxHosts {
		t.Errorf("%d hosts were reached, %d are on record", len(f.remote), len(f.log))
	}
}

// A tunnel passes on what came with the request, both ways, and ends with the command.
func TestATunnel(t *testing.T) {
	t.Parallel()
	f := &far{}
	_, connect, end := serve(t, f, Options{})
	c, in := connect()
	if _, err := io.WriteString(c, connectTo("a.test:8443")+"early"); err != nil {
		t.Fatal(err)
	}
	remote := <-f.remote
	defer remote.Close()
	got := make([]byte, 5)
	if _, err := io.ReadFull(remote, got); err != nil || string(got) != "early" {
		t.Fatalf("%q, %v", got, err)
	}
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(remote, "back\n") }()
	if line, err := in.ReadString('\n'); err != nil || line != "back\n" {
		t.Fatalf("%q, %v", line, err)
	}
	end()
	if _, err := in.ReadByte(); err == nil {
		t.Error("the tunnel outlived the command")
	}
	if _, err := remote.Read(got); err == nil {
		t.Error("the far end outlived the command")
	}
	if strings.Join(f.log, ",") != "allow a.test:8443" {
		t.Errorf("on record is %q", f.log)
	}
}

// A tunnel without traffic is closed.
func TestAnIdleTunnel(t *testing.T) {
	t.Parallel()
	f := &far{}
	_, connect, _ := serve(t, f, Options{Idle: 20 * time.Millisecond})
	c, in := connect()
	if _, err := io.WriteString(c, connectTo("a.test:443")); err != nil {
		t.Fatal(err)
	}
	defer (<-f.remote).Close()
	if _, err := io.ReadAll(in); err != nil {
		t.Error(err)
	}
}

// A connection waits for ten seconds where nobody says otherwise.
func TestWaitByDefault(t *testing.T) {
	t.Parallel()
	asked := time.Now()
	f := &far{rule: func(ctx context.Context, _ string) (permit.Ruling, error) {
		if end, ok := ctx.Deadline(); !ok || end.Sub(asked) < 10*time.Second || end.Sub(asked) > 5*time.Minute {
			t.Errorf("it waits until %v after %v", end, asked)
		}
		return permit.Ruling{Outcome: permit.Refuse, Reason: "no"}, nil
	}}
	_, connect, _ := serve(t, f, Options{})
	if status, body := ask(t, connect, connectTo("a.test:443")); status != http.StatusForbidden {
		t.Errorf("%d %q", status, body)
	}
}
