// Package openai is the provider for OpenAI and for the many servers that speak its
// chat completions (Ollama, vLLM, llama.cpp), through the official Go SDK.
//
// It has the shape of package anthropic: files stream from their blobs into the
// request body ([upstream.Files]), the answer's events are read one by one, and
// nothing is retried. What differs is that the protocol has many implementations.
// A request has only what all of them take; OpenAI's own host gets what it alone
// wants. An answer may bring its tool calls in pieces or whole, with or without
// ids, indexes, usage and reasoning; one thing is demanded of all: it must say why
// it ended.
//
// Contract: compatible contract, section 6; the HTTP contract, "providers and
// network"; workspace 9.8 "Provider policy".
package openai

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
)

// Name is the provider's name in the configuration and in error details.
const Name = "openai"

// Defaults of [Options].
const (
	DefaultBaseURL = "https://api.openai.com/v1"
	// DefaultHeaderTimeout is long: a local server loads a model, and reads the
	// whole prompt, before it says anything.
	DefaultHeaderTimeout = 5 * time.Minute
	DefaultMaxAnswer     = 64 << 20
	DefaultMaxLine       = 4 << 20
	// DefaultContext is the context in tokens of models of which nothing is known.
	DefaultContext = 32 << 10
)

// Options configures a [Provider].
type Options struct {
	// Key returns the API key of the moment, "" for none. It is called for every
	// request and by Ready. Nil means no key, with which only a server on loopback
	// or on an allowed host is called.
	Key func() string
	// BaseURL is what chat/completions is below; without a path it gets /v1.
	// Anything but OpenAI's own host must be on loopback or named by AllowedHosts.
	BaseURL string
	// AllowedHosts are hosts, with a port unless it is 443, that the operator
	// allows as BaseURL.
	AllowedHosts []string
	// ContextTokens is the context of models of which nothing is known; 0 is
	// [DefaultContext].
	ContextTokens int64
	// ImageModels are models on other servers than OpenAI's that take images, keyed
	// like a [model.Catalog].
	ImageModels []string
	// Overrides corrects what is known of models.
	Overrides map[string]model.Override
	// MaxTokens caps answers to requests that do not say; 0 is the model's own
	// maximum.
	MaxTokens int64
	// ConnectTimeout bounds connecting, HeaderTimeout the wait for an answer to
	// begin once the request is written.
	ConnectTimeout, HeaderTimeout time.Duration
	// MaxAnswer and MaxLine cap, in bytes, what is read of one answer.
	MaxAnswer, MaxLine int64
	// Now is the clock for Retry-After dates; nil is time.Now.
	Now func() time.Time
	// NewID names tool calls to which the server gave no name; nil is random.
	NewID func() string
}

// Provider calls the service. It is safe for concurrent use.
type Provider struct {
	key      func() string
	endpoint upstream.Endpoint
	refused  *fault.Error // why the base URL cannot be used, or nil
	chat     sdk.ChatCompletionService
	http     *http.Client
	catalog  model.Catalog

	maxTokens, maxLine int64
	newID              func() string

	failures upstream.Failures
	buffers  *sync.Pool
	tools    upstream.ToolSets
	// reasonsIn is the field in which the server last sent reasoning. It gets
	// reasoning back in that field alone: others are an error to some.
	reasonsIn atomic.Pointer[string]
}

var (
	_ model.Provider     = (*Provider)(nil)
	_ model.Bootstrapper = (*Provider)(nil)
)

var service = upstream.Service{Name: Name, BaseURL: DefaultBaseURL, KeyName: "OPENAI_API_KEY"}

// New returns a provider. It fails on options that no service could have; a base
// URL that the network policy forbids is reported by Ready, so that it becomes an
// answer to whoever sends a turn.
func New(o Options) (*Provider, error) {
	p := &Provider{
		key:       o.Key,
		maxTokens: o.MaxTokens,
		maxLine:   positive(o.MaxLine, DefaultMaxLine),
		newID:     o.NewID,
		buffers:   upstream.NewBuffers(upstream.BufferSize),
		tools:     upstream.ToolSets{Encode: toolsJSON},
	}
	if p.newID == nil {
		p.newID = func() string { return "call_" + rand.Text() }
	}
	p.failures.Service, p.failures.Answered, p.failures.Now = service, p.answered, o.Now
	if o.Now == nil {
		p.failures.Now = time.Now
	}
	p.endpoint, p.refused = service.Endpoint(trimmed(o.BaseURL), o.AllowedHosts)
	p.catalog = model.OpenAI()
	if !p.endpoint.Own() {
		p.catalog = model.OpenAICompatible(positive(o.ContextTokens, DefaultContext), o.ImageModels...)
	}
	p.catalog = p.catalog.With(o.Overrides)
	client, err := service.Client(p.endpoint, o.AllowedHosts, upstream.Bounds{
		Connect: o.ConnectTimeout, Header: positive(o.HeaderTimeout, DefaultHeaderTimeout), Answer: positive(o.MaxAnswer, DefaultMaxAnswer),
	})
	if err != nil {
		return nil, err
	}
	p.http = client
	p.chat = sdk.NewChatCompletionService(
		option.WithBaseURL(base(p.endpoint)),
		option.WithHTTPClient(client),
		option.WithMaxRetries(0),
		option.WithHeader("Accept", "text/event-stream"),
		option.WithMiddleware(refused),
	)
	return p, nil
}

func positive[T int64 | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// Close drops idle connections. Calls under way are not disturbed.
func (p *Provider) Close() { p.http.CloseIdleConnections() }

// Name implements [model.Provider].
func (*Provider) Name() string { return Name }

// Limits implements [model.Provider].
func (p *Provider) Limits(name string) model.Limits { return p.catalog.Limits(name) }

// Ready implements [model.Provider]: MISSING_API_KEY where a key is needed and
// none is there, SDK_FAILURE for a base URL or a key that cannot be used.
func (p *Provider) Ready() error {
	_, err := p.credentials()
	return err
}

// credentials returns the key of the moment, or "" where none is needed.
func (p *Provider) credentials() (string, error) {
	if p.refused != nil {
		return "", p.refused
	}
	key, err := service.Key(p.key)
	if fault.Is(err, fault.MissingAPIKey) && (p.endpoint.Local() || p.endpoint.Named()) {
		return "", nil
	}
	return key, err
}

// Bootstrap implements [model.Bootstrapper]. The service has no step of its own,
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
