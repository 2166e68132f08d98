package anthropic

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go/option"

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
		a := answer{yield: yield}
		done, err := p.read(ctx, res.Body, &a)
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
	b := builder{inline: upstream.InlineText, tools: &p.tools}
	limits := p.Limits(r.Model)
	if r.MaxTokens == 0 && p.maxTokens > 0 {
		r.MaxTokens = min(p.maxTokens, limits.OutputTokens)
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
	if err := p.client.Post(ctx, "v1/messages", nil, &res, option.WithAPIKey(key), option.WithMiddleware(body.Send)); err != nil {
		return nil, err
	}
	if err := upstream.EventStream(res); err != nil {
		res.Body.Close()
		return nil, err
	}
	return res, nil
}

// serviceError is an error event inside a stream.
type serviceError struct{ kind, message string }

func (e *serviceError) Error() string { return e.kind + ": " + e.message }

// read passes the answer's events to a. It reports whether the answer is whole;
// without an error that is false only when the reader has left.
func (p *Provider) read(ctx context.Context, body io.Reader, a *answer) (whole bool, err error) {
	events := upstream.NewEvents(body, p.maxLine)
	var e event
	for events.Next() {
		// Events that were already received still arrive after a cancel.
		if err := ctx.Err(); err != nil {
			return false, err
		}
		switch string(events.Name()) {
		case "message_start", "message_delta", "message_stop",
			"content_block_start", "content_block_delta", "content_block_stop":
		case "error":
			return false, inStream(events.Data())
		default:
			// A ping, or an event newer than this code.
			if !a.emit(model.Alive{}) {
				return false, nil
			}
			continue
		}
		e = event{}
		if err := json.Unmarshal(events.Data(), &e); err != nil {
			return false, &upstream.ProtocolError{What: "an event of the answer is not JSON of the expected form", Err: err}
		}
		if e.Type == "message_stop" {
			return a.end()
		}
		if more, err := a.take(&e); err != nil || !more {
			return false, err
		}
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if err := events.Err(); err != nil {
		return false, err
	}
	return false, upstream.ErrTruncated
}

// inStream reads an error event.
func inStream(data []byte) error {
	var e struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return &upstream.ProtocolError{What: "an error event of the answer is not JSON", Err: err}
	}
	return &serviceError{e.Error.Type, e.Error.Message}
}
