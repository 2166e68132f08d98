package upstream

import (
	"cmp"
	"context"
	"iter"
	"net/http"
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
	// MaxTokens caps every answer; 0 is the model's own maximum.
	MaxTokens int64
	// ConnectTimeout bounds connecting, HeaderTimeout the wait for an answer to
	// begin once the request is written.
	ConnectTimeout, HeaderTimeout time.Duration
	// MaxAnswer and MaxLine cap, in bytes, what is read of one answer; 0 is
	// [DefaultMaxAnswer] and [DefaultMaxLine].
	MaxAnswer, MaxLine int64
	// Now is the clock for Retry-After dates; nil is time.Now.
	Now func() time.Time
}

// Protocol is what a provider says to its service and what it hears. It is safe for
// concurrent use.
type Protocol interface {
	// Limits returns what the named model takes.
	Limits(name string) model.Limits
	// Encode returns the JSON of r with placeholders for the files that it adds to
	// files.
	Encode(r model.Request, limits model.Limits, files *Files) ([]byte, error)
	// Post sends body and returns the answer, a stream of events, once it has begun.
	// The key is "" where the service needs none.
	Post(ctx context.Context, key string, body *Body) (*http.Response, error)
	// Answer returns what turns the events of one answer into chunks.
	Answer(yield func(model.Chunk, error) bool) Answer
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

// New returns a provider for s, whose protocol speak makes for where it is called
// and with what. It fails on options that no service could have; a base URL that the
// network policy forbids is reported by Ready, so that it becomes an answer to whoever
// sends a turn.
func New(s Service, o Options, speak func(Endpoint, *http.Client) Protocol) (*Provider, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.MaxLine = cmp.Or(o.MaxLine, DefaultMaxLine)
	p := &Provider{o: o, service: s, buffers: NewBuffers(BufferSize)}
	p.endpoint, p.refused = s.Endpoint(o.BaseURL, o.AllowedHosts)
	client, err := s.Client(p.endpoint, o.AllowedHosts, Bounds{
		Connect: o.ConnectTimeout, Header: o.HeaderTimeout, Answer: cmp.Or(o.MaxAnswer, DefaultMaxAnswer),
	})
	if err != nil {
		return nil, err
	}
	p.http, p.protocol = client, speak(p.endpoint, client)
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
	if p.service.Open && fault.Is(err, fault.MissingAPIKey) && (p.endpoint.Local() || p.endpoint.Named()) {
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

// Stream implements [model.Provider].
func (p *Provider) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		key, err := p.credentials()
		if err != nil {
			yield(nil, err)
			return
		}
		// Whoever stops listening ends the call.
		calling, hangUp := context.WithCancel(ctx)
		defer hangUp()
		res, err := p.post(calling, key, r)
		if err != nil {
			yield(nil, p.failures.Of(ctx, err, key))
			return
		}
		defer res.Body.Close()
		whole, err := Read(ctx, res.Body, p.o.MaxLine, p.protocol.Answer(yield))
		switch {
		case err != nil:
			yield(nil, p.failures.Of(ctx, err, key))
		case whole:
			Drain(res.Body, hangUp)
		}
	}
}

// post sends the request and returns the answer once it has begun.
func (p *Provider) post(ctx context.Context, key string, r model.Request) (*http.Response, error) {
	limits := p.Limits(r.Model)
	if p.o.MaxTokens > 0 {
		r.MaxTokens = min(r.MaxTokens, p.o.MaxTokens)
	}
	var files Files
	text, err := p.protocol.Encode(r, limits, &files)
	if err != nil {
		return nil, err
	}
	body, err := files.Cut(text, limits.Attachments.RequestBytes, p.buffers)
	if err != nil {
		return nil, err
	}
	res, err := p.protocol.Post(ctx, key, body)
	if err != nil {
		return nil, err
	}
	if err := EventStream(res); err != nil {
		res.Body.Close()
		return nil, err
	}
	return res, nil
}
