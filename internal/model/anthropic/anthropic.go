// Package anthropic is the provider for the Anthropic Messages API, through the
// official Go SDK.
//
// Three things are done here rather than in the SDK, because the SDK's defaults
// serve other programs. Files stream from their blobs into the request body
// ([upstream.Files]), so a request costs a fixed amount of memory whatever is attached.
// The answer's events are read one by one (stream.go), so a stream that ends
// early, stalls, or carries an error is never mistaken for success. And nothing
// is retried: that is [model.WithRetry]'s job.
//
// The user's words have no side effects: markers of the scripted provider are
// ordinary text here. Keys are read for every request, are never kept in
// errors, and the environment is not consulted behind the caller's back.
//
// Contract: compatible contract, section 6; the HTTP contract, "providers and
// network"; workspace 9.8 "Provider policy".
package anthropic

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/model"
	"belay/internal/model/upstream"
)

// Name is the provider's name in the configuration and in error details.
const Name = "anthropic"

// Defaults of [Options].
const (
	DefaultBaseURL       = "https://api.anthropic.com"
	DefaultVersion       = "2023-06-01"
	DefaultHeaderTimeout = 90 * time.Second
	// DefaultMaxAnswer bounds an answer with all its framing: about four times
	// what the longest possible answer takes.
	DefaultMaxAnswer = 64 << 20
	// DefaultMaxLine bounds one line of the event stream.
	DefaultMaxLine = 4 << 20
)

// Options configures a [Provider].
type Options struct {
	// Key returns the API key of the moment, "" for none. It is called for
	// every request and by Ready. Nil means no key.
	Key func() string
	// BaseURL is where the service is. Anything but [DefaultBaseURL] must be
	// on loopback or named by AllowedHosts.
	BaseURL string
	// AllowedHosts are hosts, with a port unless it is 443, that the operator
	// allows as BaseURL.
	AllowedHosts []string
	// Version is the value of the anthropic-version header.
	Version string
	// Catalog gives the limits; nil means [model.Anthropic].
	Catalog *model.Catalog
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
}

// Provider calls the service. It is safe for concurrent use.
type Provider struct {
	key       func() string
	refused   *fault.Error // why the base URL cannot be used, or nil
	client    sdk.Client
	http      *http.Client
	catalog   model.Catalog
	maxTokens int64
	maxLine   int64
	failures  upstream.Failures
	buffers   *sync.Pool
	tools     upstream.ToolSets
}

var (
	_ model.Provider     = (*Provider)(nil)
	_ model.Bootstrapper = (*Provider)(nil)
)

var service = upstream.Service{Name: Name, BaseURL: DefaultBaseURL, KeyName: "ANTHROPIC_API_KEY"}

var versionPattern = lazyregexp.New(`^[0-9A-Za-z._-]{1,64}$`)

// New returns a provider. It fails on options that no service could have; a
// base URL that the network policy forbids is reported by Ready, so that it
// becomes an answer to whoever sends a turn.
func New(o Options) (*Provider, error) {
	if o.Version == "" {
		o.Version = DefaultVersion
	}
	if !versionPattern.MatchString(o.Version) {
		return nil, fmt.Errorf("anthropic: version %q is not a header value such as %s", o.Version, DefaultVersion)
	}
	p := &Provider{
		key:       o.Key,
		maxTokens: o.MaxTokens,
		maxLine:   positive(o.MaxLine, DefaultMaxLine),
		buffers:   upstream.NewBuffers(upstream.BufferSize),
		tools:     upstream.ToolSets{Encode: toolsJSON},
	}
	if o.Catalog != nil {
		p.catalog = *o.Catalog
	} else {
		p.catalog = model.Anthropic()
	}
	p.failures.Service, p.failures.Answered, p.failures.Now = service, p.answered, o.Now
	if o.Now == nil {
		p.failures.Now = time.Now
	}
	// Of the URL only the origin counts.
	base := strings.TrimRight(strings.TrimSpace(o.BaseURL), "/")
	endpoint, refused := service.Endpoint(strings.TrimSuffix(base, "/v1/messages"), o.AllowedHosts)
	p.refused = refused
	client, err := service.Client(endpoint, o.AllowedHosts, upstream.Bounds{
		Connect: o.ConnectTimeout, Header: positive(o.HeaderTimeout, DefaultHeaderTimeout), Answer: positive(o.MaxAnswer, DefaultMaxAnswer),
	})
	if err != nil {
		return nil, err
	}
	p.http = client
	p.client = sdk.NewClient(
		option.WithoutEnvironmentDefaults(),
		option.WithBaseURL(endpoint.Origin()),
		option.WithHTTPClient(client),
		option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(),
		option.WithOpenTelemetryPropagation(false),
		option.WithHeader("anthropic-version", o.Version),
		option.WithHeader("Content-Type", "application/json"),
		option.WithHeader("Accept", "text/event-stream"),
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

// Ready implements [model.Provider]: MISSING_API_KEY without a key, SDK_FAILURE
// for a base URL or a key that cannot be used.
func (p *Provider) Ready() error {
	_, err := p.credentials()
	return err
}

// credentials returns the key of the moment.
func (p *Provider) credentials() (string, error) {
	if p.refused != nil {
		return "", p.refused
	}
	return service.Key(p.key)
}

// Bootstrap implements [model.Bootstrapper]. The service has no step of its
// own, so nothing is called unless probe asks for one short answer.
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
