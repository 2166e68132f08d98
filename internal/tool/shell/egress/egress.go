// Package egress is the HTTP proxy of one command. It is the only way from a command to
// other machines.
//
// The proxy knows two kinds of request: CONNECT, of which it relays the bytes, and
// plain http with the whole URL. Of each it asks first whether the host is allowed, and
// puts the answer on record. Only then is the name looked up, by belay, so that a name
// carries nothing out. The dialer refuses every address that is not public.
//
// A decision covers a host. An allowed host can carry data out: the proxy does not look
// into what it relays.
package egress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"belay/internal/permit"
)

// Options are what a proxy asks and how it connects.
type Options struct {
	// Ask decides whether a host may be reached, and waits for a person until its
	// context ends. A ruling with the outcome [permit.Ask] says that nobody has answered.
	Ask func(ctx context.Context, host string) (permit.Ruling, error)
	// Record puts on the audit log that a host is reached, or why not: once for a
	// command, host and outcome. A host whose record fails is not reached.
	Record func(ctx context.Context, host string, r permit.Ruling) error
	Dialer Dialer
	// Wait is how long a connection waits for an answer, 10 seconds when zero. Idle is
	// how long one without traffic is kept, 5 minutes when zero.
	Wait, Idle time.Duration
}

// Dialer connects to hosts that are allowed.
type Dialer interface {
	// Check refuses an address that is never reached, without looking a name up.
	Check(address string) error
	Dial(ctx context.Context, network, address string) (net.Conn, error)
}

const (
	defaultWait = 10 * time.Second
	defaultIdle = 5 * time.Minute
	// maxConnections is how many connections a command has at once; more wait.
	maxConnections = 128
	// maxHosts is how many hosts a command may name.
	maxHosts       = 200
	headerTime     = 10 * time.Second
	maxHeaderBytes = 64 << 10
)

// Proxy serves one command.
type Proxy struct {
	o       Options
	ctx     context.Context
	cancel  context.CancelFunc
	forward *httputil.ReverseProxy
	// tunnels are the relays that run.
	tunnels sync.WaitGroup

	mu sync.Mutex
	// hosts are those that the command named, each with the outcome that is on record.
	hosts map[string]permit.Outcome
	// unreached are sentences for the model, in the order of the refusals.
	unreached []string
}

// New returns a proxy, which ends with ctx. Its questions and records get that context.
func New(ctx context.Context, o Options) *Proxy {
	o.Wait = cmp.Or(o.Wait, defaultWait)
	o.Idle = cmp.Or(o.Idle, defaultIdle)
	p := &Proxy{o: o, hosts: map[string]permit.Outcome{}}
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.forward = &httputil.ReverseProxy{
		Transport: &http.Transport{
			DialContext: o.Dialer.Dial, DisableCompression: true, MaxResponseHeaderBytes: 4 * maxHeaderBytes,
			IdleConnTimeout: o.Idle, ResponseHeaderTimeout: o.Idle,
		},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.RawQuery = r.In.URL.RawQuery // as it was written
		},
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0), // the command gets the error
		ErrorHandler:  func(w http.ResponseWriter, r *http.Request, err error) { p.failed(w, r, targetOf(r), err) },
	}
	return p
}

// Serve takes connections until the listener is closed, and ends all of them then.
func (p *Proxy) Serve(l net.Listener) {
	server := &http.Server{
		Handler: p, ReadHeaderTimeout: headerTime, IdleTimeout: p.o.Idle, MaxHeaderBytes: maxHeaderBytes,
		BaseContext: func(net.Listener) context.Context { return p.ctx }, ErrorLog: log.New(io.Discard, "", 0),
	}
	_ = server.Serve(netutil.LimitListener(l, maxConnections)) // the listener is closed
	p.cancel()
	_ = server.Close() // they are cut off in any case
	p.tunnels.Wait()
	if t, ok := p.forward.Transport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

// Close ends the proxy, also where it was never served.
func (p *Proxy) Close() { p.cancel() }

// Unreached says which hosts the command did not reach, and what to do about it.
func (p *Proxy) Unreached() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.unreached)
}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.tunnels.Add(1)
	defer p.tunnels.Done()
	if r.Method != http.MethodConnect && (r.URL.Scheme != "http" || r.URL.Host == "") {
		http.Error(w, "this is belay's proxy: it takes CONNECT, and http with the whole URL", http.StatusBadRequest)
		return
	}
	to := targetOf(r)
	if err := p.admit(r.Context(), to); err != nil {
		p.failed(w, r, to, err)
		return
	}
	if r.Method == http.MethodConnect {
		p.connect(w, r, to)
		return
	}
	p.forward.ServeHTTP(w, r)
}

// failed reports to the command why a host was not reached.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, to target, err error) {
	status := http.StatusBadGateway
	var no *refusedError
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		err = unresolved(name)
	case errors.As(err, &no):
		status = no.status
	case p.violates(r.Context(), to, err):
		status = http.StatusForbidden
	}
	http.Error(w, fmt.Sprintf("belay: %s was not reached: %v", to.name(), err), status)
}

// unresolved is an error of a name's lookup without the address of the server that was asked,
// which is the machine's affair.
func unresolved(e *net.DNSError) error {
	why := "the name server failed"
	switch {
	case e.IsNotFound:
		why = "there is no such name"
	case e.IsTimeout:
		why = "the name server did not answer in time"
	}
	return fmt.Errorf("its name does not resolve (%s)", why)
}

// connect relays the bytes of a connection.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request, to target) {
	out, err := p.o.Dialer.Dial(r.Context(), "tcp", to.address())
	if err != nil {
		p.failed(w, r, to, err)
		return
	}
	defer func() { _ = out.Close() }() // the relay reports what matters
	in, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		p.failed(w, r, to, err)
		return
	}
	defer func() { _ = in.Close() }()
	defer context.AfterFunc(p.ctx, func() { _, _ = in.Close(), out.Close() })()
	if _, err := io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	relay(in, buffered.Reader, out, p.o.Idle)
}
