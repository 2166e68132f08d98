package upstream

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"sync"
	"time"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/redact"
)

// Defaults of [Options].
const (
	// DefaultMaxAnswer bounds an answer with all its framing: about four times
	// what the longest possible answer takes.
	DefaultMaxAnswer = 64 << 20
	// DefaultMaxLine bounds one line of the event stream.
	DefaultMaxLine = 4 << 20
)

// Options are those that every provider has.
type Options struct {
	// Key returns the API key of the moment, "" for none. It is called for every
	// request and by Ready. Nil means no key.
	Key func() string
	// BaseURL is where the service is. Anything but its own host must be on
	// loopback or named by AllowedHosts.
	BaseURL string
	// AllowedHosts are hosts, with a port unless it is 443, that the operator
	// allows as BaseURL.
	AllowedHosts []string
	// Proxy is an http or https proxy through which requests go, except those to
	// loopback; "" is none.
	Proxy string
	// MaxTokens caps every answer; 0 is the model's own maximum.
	MaxTokens int64
	// Effort is how hard models think, in the service's own word; "" leaves it to them.
	Effort string
	// ConnectTimeout bounds connecting, HeaderTimeout the wait for an answer to
	// begin once the request is written.
	ConnectTimeout, HeaderTimeout time.Duration
	// MaxAnswer and MaxLine cap, in bytes, what is read of one answer; 0 is
	// [DefaultMaxAnswer] and [DefaultMaxLine].
	MaxAnswer, MaxLine int64
	// Now is the clock for Retry-After dates; nil is time.Now.
	Now func() time.Time
}

// Protocol is what differs between services. It is safe for concurrent use.
type Protocol interface {
	// Limits returns what the named model takes.
	Limits(name string) model.Limits
	// Stream sends r through the service's SDK, with call as middleware, and passes the
	// answer on to call. It returns nil once the answer is whole or the caller has left.
	Stream(ctx context.Context, call *Call, r model.Request, limits model.Limits) error
	// List asks for the first of the service's models, which costs nothing, to see
	// whether it takes the key.
	List(ctx context.Context, key string) error
	// Answered maps an error that the service answered, instead of a stream or in
	// it, or returns nil: see [Failures].
	Answered(err error, clean *redact.Redactor, now time.Time) *fault.Error
}

// Provider calls a service: it is all of a [model.Provider] but the protocol. It is
// safe for concurrent use.
type Provider struct {
	o        Options
	service  Service
	endpoint Endpoint
	refused  *fault.Error // why the base URL cannot be used, or nil
	protocol Protocol
	http     *http.Client
	failures Failures
	buffers  *sync.Pool
}

var (
	_ model.Provider     = (*Provider)(nil)
	_ model.Bootstrapper = (*Provider)(nil)
)

// New returns a provider for s, with the protocol that newProtocol makes for its endpoint and
// client. It fails on options that no service could have; a base URL that the
// network policy forbids is reported by Ready, so that it becomes an answer to the client that
// sends a turn.
func New(s Service, o Options, newProtocol func(Endpoint, *http.Client) Protocol) (*Provider, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.MaxLine = cmp.Or(o.MaxLine, DefaultMaxLine)
	p := &Provider{o: o, service: s, buffers: NewBuffers(BufferSize)}
	p.endpoint, p.refused = s.Endpoint(o.BaseURL, o.AllowedHosts)
	bounds := Bounds{Connect: o.ConnectTimeout, Header: o.HeaderTimeout, Answer: cmp.Or(o.MaxAnswer, DefaultMaxAnswer)}
	if o.Proxy != "" {
		var err error
		if bounds.Proxy, err = url.Parse(o.Proxy); err != nil {
			return nil, fmt.Errorf("%s: network.proxy: %w", s.Name, err)
		}
	}
	client, err := s.Client(p.endpoint, o.AllowedHosts, bounds)
	if err != nil {
		return nil, err
	}
	p.http, p.protocol = client, newProtocol(p.endpoint, client)
	p.failures.Service, p.failures.Now, p.failures.Answered = s, o.Now, p.protocol.Answered
	return p, nil
}

// Close drops idle connections. Calls under way are not disturbed.
func (p *Provider) Close() { p.http.CloseIdleConnections() }

// Name implements [model.Provider].
func (p *Provider) Name() string { return p.service.Name }

// Limits implements [model.Provider]. Callers plan with what an answer can really
// have, so the configured cap is part of it.
func (p *Provider) Limits(name string) model.Limits {
	l := p.protocol.Limits(name)
	if p.o.MaxTokens > 0 {
		l.OutputTokens = min(l.OutputTokens, p.o.MaxTokens)
	}
	return l
}

// Ready implements [model.Provider]: MISSING_API_KEY where a key is needed and none
// is there, SDK_FAILURE for a base URL or a key that cannot be used.
func (p *Provider) Ready() error {
	_, err := p.credentials()
	return err
}

// credentials returns the key of the moment, or "" where none is needed.
func (p *Provider) credentials() (string, error) {
	if p.refused != nil {
		return "", p.refused
	}
	key, err := p.service.Key(p.o.Key)
	if p.service.Open && fault.Is(err, fault.MissingAPIKey) && (p.endpoint.Local() || p.endpoint.Named() && !p.endpoint.Own()) {
		return "", nil
	}
	return key, err
}

// Bootstrap implements [model.Bootstrapper]. The services have no step of their own,
// so nothing is called unless probe asks for one short answer.
func (p *Provider) Bootstrap(ctx context.Context, r model.Request, probe bool) error {
	if err := p.Ready(); err != nil || !probe {
		return err
	}
	r.MaxTokens, r.Tools = 16, nil
	for _, err := range p.Stream(ctx, r) {
		if err != nil {
			return err
		}
	}
	return nil
}

// Check asks the service for its models, which costs nothing. The error says why it does
// not answer, such as a key that it does not take. Servers that have no list pass.
func (p *Provider) Check(ctx context.Context) error {
	key, err := p.credentials()
	if err != nil {
		return err
	}
	if err = p.protocol.List(ctx, key); err == nil {
		return nil
	}
	err = p.failures.Of(ctx, err, key)
	switch fault.From(err).Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return nil
	}
	return err
}

// Stream implements [model.Provider].
func (p *Provider) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		key, err := p.credentials()
		if err != nil {
			yield(nil, err)
			return
		}
		// A caller that stops listening ends the call.
		calling, hangUp := context.WithCancel(ctx)
		defer hangUp()
		limits := p.Limits(r.Model)
		if p.o.MaxTokens > 0 {
			r.MaxTokens = min(r.MaxTokens, p.o.MaxTokens)
		}
		call := &Call{Key: key, yield: yield, sent: r.Sent, buffers: p.buffers, maxBody: limits.Attachments.RequestBytes, maxLine: p.o.MaxLine}
		if err := p.protocol.Stream(calling, call, r, limits); err != nil && !call.left {
			yield(nil, p.failures.Of(ctx, err, key))
		}
	}
}
