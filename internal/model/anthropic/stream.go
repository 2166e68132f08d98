package anthropic

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

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
		done, err := p.read(ctx, res, &a)
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
	b := builder{files: upstream.NewFiles(), inline: upstream.InlineText, tools: &p.tools}
	limits := p.Limits(r.Model)
	if r.MaxTokens == 0 && p.maxTokens > 0 {
		r.MaxTokens = min(p.maxTokens, limits.OutputTokens)
	}
	params, err := b.params(r, limits)
	if err != nil {
		return nil, err
	}
	var res *http.Response
	err = p.client.Post(ctx, "v1/messages", params, &res,
		option.WithAPIKey(key),
		option.WithJSONSet("stream", true),
		option.WithHeader("Accept", "text/event-stream"),
		option.WithMiddleware(func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			if err := upstream.Stuff(req, b.files, limits.Attachments.RequestBytes, p.buffers); err != nil {
				return nil, err
			}
			res, err := next(req)
			if err == nil {
				res.Body = upstream.Bounded(res, p.maxLine)
			}
			return res, err
		}))
	if err != nil {
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
func (p *Provider) read(ctx context.Context, res *http.Response, a *answer) (whole bool, err error) {
	events := ssestream.NewDecoder(res)
	for events.Next() {
		// Events that were already received still arrive after a cancel.
		if err := ctx.Err(); err != nil {
			return false, err
		}
		event := events.Event()
		switch event.Type {
		case "message_start", "message_delta", "message_stop",
			"content_block_start", "content_block_delta", "content_block_stop":
		case "error":
			return false, inStream(event.Data)
		default:
			// A ping, or an event newer than this code.
			if !a.emit(model.Alive{}) {
				return false, nil
			}
			continue
		}
		e, err := decode(event)
		if err != nil {
			return false, &upstream.ProtocolError{What: "an event of the answer is not JSON of the expected form", Err: err}
		}
		if e.Type == "message_stop" {
			return a.end()
		}
		if more, err := a.take(e); err != nil || !more {
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

// decode reads one event. Almost all of them are pieces of text, for which the
// SDK's own decoder does twenty times the work: it keeps the JSON of each field.
func decode(event ssestream.Event) (*sdk.MessageStreamEventUnion, error) {
	var e sdk.MessageStreamEventUnion
	if event.Type != "content_block_delta" {
		return &e, json.Unmarshal(event.Data, &e)
	}
	var piece struct {
		Type  string `json:"type"`
		Index int64  `json:"index"`
		Delta struct {
			Type        string `json:"type"`
			Text        string `json:"text"`
			Thinking    string `json:"thinking"`
			Signature   string `json:"signature"`
			PartialJSON string `json:"partial_json"`
		} `json:"delta"`
	}
	err := json.Unmarshal(event.Data, &piece)
	e.Type, e.Index = piece.Type, piece.Index
	e.Delta.Type, e.Delta.Text = piece.Delta.Type, piece.Delta.Text
	e.Delta.Thinking, e.Delta.Signature = piece.Delta.Thinking, piece.Delta.Signature
	e.Delta.PartialJSON = piece.Delta.PartialJSON
	return &e, err
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
