package openai

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

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
		a := answer{yield: yield, newID: p.newID}
		done, err := p.read(ctx, res.Body, &a)
		if a.reasonsIn != "" {
			p.reasonsIn.Store(&a.reasonsIn)
		}
		switch {
		case err != nil:
			yield(nil, p.failures.Of(ctx, err, key))
		case done:
			upstream.Drain(res.Body, hangUp)
		}
	}
}

// post sends the request and returns the answer once it has begun.
func (p *Provider) post(ctx context.Context, key string, r model.Request) (*http.Response, error) {
	limits := p.Limits(r.Model)
	if r.MaxTokens == 0 && p.maxTokens > 0 {
		r.MaxTokens = min(p.maxTokens, limits.OutputTokens)
	}
	b := builder{inline: upstream.InlineText, tools: &p.tools, own: p.endpoint.Own()}
	if field := p.reasonsIn.Load(); field != nil {
		b.reasonsIn = *field
	}
	text, err := b.body(r, limits)
	if err != nil {
		return nil, err
	}
	body, err := b.files.Cut(text, limits.Attachments.RequestBytes, p.buffers)
	if err != nil {
		return nil, err
	}
	var res *http.Response
	if _, err := p.chat.New(ctx, made, option.WithResponseBodyInto(&res), authorization(key), option.WithMiddleware(body.Send)); err != nil {
		return nil, err
	}
	if err := upstream.EventStream(res); err != nil {
		res.Body.Close()
		return nil, err
	}
	return res, nil
}

// made stands for the parameters of a call whose body is there already.
var made = param.Override[sdk.ChatCompletionNewParams](json.RawMessage("{}"))

func authorization(key string) option.RequestOption {
	if key == "" {
		return option.WithHeaderDel("Authorization")
	}
	return option.WithAPIKey(key)
}

// read passes the answer's events to a. It reports whether the answer is whole;
// without an error that is false only when the reader has left.
func (p *Provider) read(ctx context.Context, body io.Reader, a *answer) (whole bool, err error) {
	events := upstream.NewEvents(body, p.maxLine)
	for events.Next() {
		// Events that were already received still arrive after a cancel.
		if err := ctx.Err(); err != nil {
			return false, err
		}
		data := events.Data()
		if isEnd(data) {
			return a.end()
		}
		c, err := decode(data)
		if err != nil {
			return false, err
		}
		if more, err := a.take(c); err != nil || !more {
			return false, err
		}
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if err := events.Err(); err != nil {
		return false, err
	}
	// Some servers send no end marker after the last chunk.
	return a.end()
}
