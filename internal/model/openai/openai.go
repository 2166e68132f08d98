// Package openai is the provider for OpenAI and for the many servers that speak its
// chat completions (Ollama, vLLM, llama.cpp), through the official Go SDK.
//
// As with package anthropic, [upstream.Provider] has what providers share, files
// stream from their blobs into the request body ([upstream.Files]), and nothing is
// retried here. The protocol has many implementations, so a request has only fields
// that all of them take; OpenAI's own host gets a few more. An answer may bring its
// tool calls in pieces or whole, with or without ids, indexes, usage and reasoning.
// Every answer must name the reason why it ended.
//
// Contract: compatible contract, section 6; the HTTP contract, "providers and
// network"; workspace 9.8 "Provider policy".
package openai

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

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
	DefaultHeaderTimeout = time.Hour
	// DefaultContext is the context in tokens of models of which nothing is known.
	DefaultContext = 32 << 10
)

// Options configures a provider. Without a key only a server on loopback or on an
// allowed host is called. BaseURL is what chat/completions is below; without a path
// it gets /v1.
type Options struct {
	upstream.Options
	// ContextTokens is the context of models of which nothing is known, on another
	// server than OpenAI's; 0 is [DefaultContext], as an assumption. It counts for
	// OpenAI's models elsewhere too, which have names of their own in Azure.
	ContextTokens int64
	// ImageModels are models on other servers than OpenAI's that take images, keyed
	// like a [model.Catalog].
	ImageModels []string
	// Overrides corrects what is known of models.
	Overrides map[string]model.Override
	// NewID names tool calls to which the server gave no name; nil is random.
	NewID func() string
}

var service = upstream.Service{
	Name: Name, BaseURL: DefaultBaseURL, KeyName: "OPENAI_API_KEY", Open: true,
	Regions: []string{"api.openai.com", "openai.azure.com"},
}

// Own reports whether a base URL is that of OpenAI's own service, in any of its regions.
func Own(baseURL string) bool { return service.Own(trimmed(baseURL)) }

// New returns a provider. It fails on options that no service could have; a base
// URL that the network policy forbids is reported by Ready, so that it becomes an
// answer to the client that sends a turn.
func New(o Options) (*upstream.Provider, error) {
	o.BaseURL = trimmed(o.BaseURL)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, DefaultHeaderTimeout)
	return upstream.New(service, o.Options, o.newProtocol)
}

// newProtocol returns the protocol for calls to e.
func (o Options) newProtocol(e upstream.Endpoint, client *http.Client) upstream.Protocol {
	p := &protocol{own: e.Own(), catalog: model.OpenAI(), newID: o.NewID, efforts: upstream.Efforts{Word: o.Effort, ByTools: true}}
	if p.newID == nil {
		p.newID = func() string { return "call_" + rand.Text() }
	}
	switch {
	case p.own && e.Named() && o.ContextTokens > 0:
		p.catalog.Default.ContextTokens, p.catalog.Stated = o.ContextTokens, true
	case !p.own:
		p.catalog = model.OpenAICompatible(cmp.Or(o.ContextTokens, DefaultContext), o.ImageModels...)
		p.catalog.Stated = o.ContextTokens > 0
	}
	p.catalog = p.catalog.With(o.Overrides)
	options := []option.RequestOption{
		option.WithBaseURL(base(e)),
		option.WithHTTPClient(client),
		option.WithMaxRetries(0),
		option.WithHeader("Accept", "text/event-stream"),
		option.WithMiddleware(refused),
	}
	p.chat, p.models = sdk.NewChatCompletionService(options...), sdk.NewModelService(options...)
	return p
}

// protocol is chat completions.
type protocol struct {
	own     bool // OpenAI's own host is called
	catalog model.Catalog
	chat    sdk.ChatCompletionService
	models  sdk.ModelService
	newID   func() string
	efforts upstream.Efforts
	// reasonings are how servers take reasoning back.
	reasonings reasonings
}

// Limits implements [upstream.Protocol].
func (p *protocol) Limits(name string) model.Limits { return p.catalog.Limits(name) }

// List implements [upstream.Protocol].
func (p *protocol) List(ctx context.Context, key string) error {
	_, err := p.models.List(ctx, authorization(key), option.WithHeader("Accept", "application/json"))
	return err
}

// authorization sends the key, or nothing where there is none.
func authorization(key string) option.RequestOption {
	if key == "" {
		return option.WithHeaderDel("Authorization")
	}
	return option.WithAPIKey(key)
}

// maxForms bounds how often a request is sent in another form after a refusal.
const maxForms = 4

// Stream implements [upstream.Protocol]. Servers differ in what they refuse. A refusal
// that says how the request is to be is followed, once for each such rule.
func (p *protocol) Stream(ctx context.Context, call *upstream.Call, r model.Request, limits model.Limits) error {
	for form := 1; ; form++ {
		call.Files = upstream.Files{}
		b := builder{files: &call.Files, inline: upstream.InlineText, own: p.own, effort: p.effort(&r), back: p.reasonings.get(r.Model)}
		params, err := b.params(r, limits)
		if err != nil {
			return err
		}
		if !p.efforts.Tell(call, &r, b.effort) {
			return nil
		}
		err = p.send(ctx, call, params)
		if err == nil || form == maxForms || !p.learn(err, &b, &r) {
			return err
		}
	}
}

// learn reports whether a refusal says that r is taken in another form.
func (p *protocol) learn(err error, b *builder, r *model.Request) bool {
	if word, other := otherEffort(err, b.effort, b.effort == p.efforts.Word); other {
		p.efforts.Learn(r, word)
		return true
	}
	return p.reasonings.demanded(r.Model, err)
}

// afterReason is how long an answer goes on once it has said why it ended. The usage and the end
// marker follow at once, but some servers send none and keep the connection open.
const afterReason = 2 * time.Second

// send makes the call.
func (p *protocol) send(ctx context.Context, call *upstream.Call, params sdk.ChatCompletionNewParams) error {
	reading, hangUp := context.WithCancel(ctx)
	defer hangUp()
	var res *http.Response
	stream := p.chat.NewStreaming(reading, params, authorization(call.Key), option.WithMiddleware(call.Send), option.WithResponseInto(&res))
	if stream.Err() == nil {
		stream = chunks(res)
	}
	defer func() { _ = stream.Close() }() // it was only read
	a := answer{call: call, model: params.Model, newID: p.newID, reasonings: &p.reasonings}
	for a.next(stream, hangUp) {
		if err := ctx.Err(); err != nil {
			return err // events that were already received still arrive after a cancel
		}
		c := stream.Current()
		if string(c.Object) == "error" { // without a field "error"
			return &serviceError{parseError([]byte(c.RawJSON()))}
		}
		if more, err := a.take(&c); err != nil || !more {
			return err
		}
	}
	if e := (*ssestream.StreamError)(nil); errors.As(stream.Err(), &e) {
		return &serviceError{parseError(e.Event.Data)}
	}
	if err := call.Failed(stream.Err()); (err != nil || call.Left()) && (reading.Err() == nil || ctx.Err() != nil) {
		return err
	}
	return a.end()
}

// next reads the next chunk. It hangs up where none comes after the answer's end.
func (a *answer) next(stream *ssestream.Stream[sdk.ChatCompletionChunk], hangUp func()) bool {
	if a.reason != "" {
		defer time.AfterFunc(afterReason, hangUp).Stop()
	}
	return stream.Next()
}
