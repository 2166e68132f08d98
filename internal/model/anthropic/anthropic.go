// Package anthropic is the provider for the Anthropic Messages API, through the
// official Go SDK. It is the protocol; [upstream.Provider] is what stands around it.
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
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

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
)

// Options configures a provider.
type Options struct {
	upstream.Options
	// Version is the value of the anthropic-version header.
	Version string
	// Catalog gives the limits; nil means [model.Anthropic].
	Catalog *model.Catalog
}

var service = upstream.Service{Name: Name, BaseURL: DefaultBaseURL, KeyName: "ANTHROPIC_API_KEY"}

var versionPattern = lazyregexp.New(`^[0-9A-Za-z._-]{1,64}$`)

// New returns a provider. It fails on options that no service could have; a
// base URL that the network policy forbids is reported by Ready, so that it
// becomes an answer to whoever sends a turn.
func New(o Options) (*upstream.Provider, error) {
	o.Version = cmp.Or(o.Version, DefaultVersion)
	if !versionPattern.MatchString(o.Version) {
		return nil, fmt.Errorf("anthropic: version %q is not a header value such as %s", o.Version, DefaultVersion)
	}
	// Of the URL only the origin counts.
	base := strings.TrimRight(strings.TrimSpace(o.BaseURL), "/")
	o.BaseURL = strings.TrimSuffix(base, "/v1/messages")
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, DefaultHeaderTimeout)
	return upstream.New(service, o.Options, o.speak)
}

// speak returns the protocol to speak at e.
func (o Options) speak(e upstream.Endpoint, client *http.Client) upstream.Protocol {
	p := &protocol{catalog: model.Anthropic(), tools: upstream.ToolSets{Encode: toolsJSON}}
	if o.Catalog != nil {
		p.catalog = *o.Catalog
	}
	p.client = sdk.NewClient(
		option.WithoutEnvironmentDefaults(),
		option.WithBaseURL(e.Origin()),
		option.WithHTTPClient(client),
		option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(),
		option.WithOpenTelemetryPropagation(false),
		option.WithHeader("anthropic-version", o.Version),
		option.WithHeader("Content-Type", "application/json"),
		option.WithHeader("Accept", "text/event-stream"),
	)
	return p
}

// protocol is the Messages API.
type protocol struct {
	catalog model.Catalog
	client  sdk.Client
	tools   upstream.ToolSets
}

// Limits implements [upstream.Protocol].
func (p *protocol) Limits(name string) model.Limits { return p.catalog.Limits(name) }

// Encode implements [upstream.Protocol].
func (p *protocol) Encode(r model.Request, limits model.Limits, files *upstream.Files) ([]byte, error) {
	b := builder{files: files, inline: upstream.InlineText, tools: &p.tools}
	return b.body(r, limits)
}

// Post implements [upstream.Protocol].
func (p *protocol) Post(ctx context.Context, key string, body *upstream.Body) (res *http.Response, err error) {
	err = p.client.Post(ctx, "v1/messages", nil, &res, option.WithAPIKey(key), option.WithMiddleware(body.Send))
	return res, err
}

// Answer implements [upstream.Protocol].
func (p *protocol) Answer(yield func(model.Chunk, error) bool) upstream.Answer {
	return &answer{yield: yield}
}
