// Package anthropic is the provider for the Anthropic Messages API, through the
// official Go SDK: its parameters, its streaming and its decoding. [upstream.Provider]
// has what providers share.
//
// Three things differ from the SDK's defaults. Files stream from their blobs into the
// request body ([upstream.Files]), so a request costs a fixed amount of memory for any
// attachment. An answer is whole only after its end marker, so a stream that ends
// early is never mistaken for success. And nothing is retried here:
// [model.WithRetry] does that.
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
	"encoding/json"
	"errors"
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
	DefaultHeaderTimeout = 60 * time.Second
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
// becomes an answer to the client that sends a turn.
func New(o Options) (*upstream.Provider, error) {
	o.Version = cmp.Or(o.Version, DefaultVersion)
	if !versionPattern.MatchString(o.Version) {
		return nil, fmt.Errorf("anthropic: version %q is not a header value such as %s", o.Version, DefaultVersion)
	}
	o.BaseURL = trimmed(o.BaseURL)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, DefaultHeaderTimeout)
	return upstream.New(service, o.Options, o.newProtocol)
}

// trimmed is a base URL without what people copy along with it: the SDK adds it.
func trimmed(raw string) string {
	raw = strings.TrimRight(strings.TrimSpace(raw), "/")
	return strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(raw, "/messages"), "/v1"), "/")
}

// newProtocol returns the protocol for calls to e.
func (o Options) newProtocol(e upstream.Endpoint, client *http.Client) upstream.Protocol {
	p := &protocol{catalog: model.Anthropic(), efforts: upstream.Efforts{Word: o.Effort}}
	if o.Catalog != nil {
		p.catalog = *o.Catalog
	}
	p.client = sdk.NewClient(
		option.WithoutEnvironmentDefaults(),
		option.WithBaseURL(e.Origin()+e.Path()+"/"),
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
	efforts upstream.Efforts
}

// Limits implements [upstream.Protocol].
func (p *protocol) Limits(name string) model.Limits { return p.catalog.Limits(name) }

// List implements [upstream.Protocol].
func (p *protocol) List(ctx context.Context, key string) error {
	_, err := p.client.Models.List(ctx, sdk.ModelListParams{Limit: sdk.Int(1)}, option.WithAPIKey(key), option.WithHeader("Accept", "application/json"))
	return err
}

// Stream implements [upstream.Protocol].
func (p *protocol) Stream(ctx context.Context, call *upstream.Call, r model.Request, limits model.Limits) error {
	b := builder{files: &call.Files, inline: upstream.InlineText, effort: p.effort(&r)}
	params, err := b.params(r, limits)
	if err != nil {
		return err
	}
	if !p.efforts.Tell(call, &r, b.effort) {
		return nil
	}
	err = p.send(ctx, call, params)
	if b.effort == "" || !refusesEffort(err) {
		return err
	}
	p.efforts.Learn(&r, "")
	if !p.efforts.Tell(call, &r, "") {
		return nil
	}
	params.OutputConfig.Effort = ""
	return p.send(ctx, call, params)
}

// send makes the call.
func (p *protocol) send(ctx context.Context, call *upstream.Call, params sdk.MessageNewParams) error {
	stream := p.client.Messages.NewStreaming(ctx, params, option.WithAPIKey(call.Key), option.WithMiddleware(call.Send))
	defer func() { _ = stream.Close() }() // it was only read
	a := answer{call: call}
	for stream.Next() {
		if err := ctx.Err(); err != nil {
			return err // events that were already received still arrive after a cancel
		}
		e := stream.Current()
		if e.Type == "message_stop" {
			return a.end()
		}
		if more, err := a.take(&e); err != nil || !more {
			return err
		}
	}
	if e := (*sdk.Error)(nil); errors.As(stream.Err(), &e) && (e.StatusCode >= 400 || json.Valid([]byte(e.RawJSON()))) {
		return e
	}
	if err := call.Failed(stream.Err()); err != nil || call.Left() {
		return err
	}
	return upstream.ErrTruncated
}
