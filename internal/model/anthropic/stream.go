package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"belay/internal/model"
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
			yield(nil, p.failure(ctx, err, key))
			return
		}
		defer res.Body.Close()
		a := answer{yield: yield}
		done, err := p.read(ctx, res, &a)
		switch {
		case err != nil:
			yield(nil, p.failure(ctx, err, key))
		case done:
			// The end of the body lets the connection be used again. It
			// follows at once or is not worth waiting for.
			t := time.AfterFunc(drainTime, hangUp)
			defer t.Stop()
			_, _ = io.CopyN(io.Discard, res.Body, drainBytes)
		}
	}
}

// The bounds on what is read after the answer's last event.
const (
	drainTime  = 100 * time.Millisecond
	drainBytes = 16 << 10
)

// post sends the request and returns the answer once it has begun.
func (p *Provider) post(ctx context.Context, key string, r model.Request) (*http.Response, error) {
	b := builder{slots: newSlots(), inline: inlineText, tools: &p.tools}
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
			if err := p.stuff(req, b.slots, limits.Attachments.RequestBytes); err != nil {
				return nil, err
			}
			res, err := next(req)
			if err == nil {
				res.Body = p.bounded(res)
			}
			return res, err
		}))
	if err != nil {
		return nil, err
	}
	if kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err != nil || kind != "text/event-stream" {
		res.Body.Close()
		return nil, &protocolError{fmt.Sprintf("the answer is %q instead of an event stream", kind), err}
	}
	return res, nil
}

// stuff puts the files into the request's body.
func (p *Provider) stuff(req *http.Request, s *slots, limit int64) error {
	body, err := req.GetBody()
	if err != nil {
		return err
	}
	data := make([]byte, req.ContentLength)
	if _, err := io.ReadFull(body, data); err != nil {
		return err
	}
	load, err := s.cut(data, p.buffers)
	if err != nil {
		return err
	}
	if limit > 0 && load.size > limit {
		return &requestSizeError{load.size, limit}
	}
	load.attach(req)
	return nil
}

// protocolError is an answer that is not what the protocol says.
type protocolError struct {
	what string
	err  error
}

func (e *protocolError) Error() string { return e.what }
func (e *protocolError) Unwrap() error { return e.err }

// requestSizeError is a request over what the service takes.
type requestSizeError struct{ size, limit int64 }

func (e *requestSizeError) Error() string {
	return fmt.Sprintf("the request has %d bytes, more than the %d that the provider takes", e.size, e.limit)
}

// errTruncated is a stream that ended without its last event.
var errTruncated = errors.New("the answer ended without its end marker")

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
			return false, &protocolError{"an event of the answer is not JSON of the expected form", err}
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
	return false, errTruncated
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
		return &protocolError{"an error event of the answer is not JSON", err}
	}
	return &serviceError{e.Error.Type, e.Error.Message}
}

// maxErrorBody is what is read of an error answer.
const maxErrorBody = 64 << 10

// bounded returns the answer's body with a cap on what one line, or the body of
// an error, may have. The cap on the whole is the network guard's.
func (p *Provider) bounded(res *http.Response) io.ReadCloser {
	if res.StatusCode >= 400 {
		return &limitedBody{res.Body, io.LimitReader(res.Body, maxErrorBody)}
	}
	return &linedBody{ReadCloser: res.Body, most: p.maxLine}
}

type limitedBody struct {
	io.Closer
	io.Reader
}

// lineError is a line of the stream over its cap.
type lineError struct{ most int64 }

func (e *lineError) Error() string {
	return fmt.Sprintf("a line of the answer has more than %d bytes", e.most)
}

// linedBody fails when a line is longer than most bytes.
type linedBody struct {
	io.ReadCloser
	most, line int64
}

// Read implements [io.Reader].
func (b *linedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for rest := p[:n]; ; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			b.line += int64(len(rest))
			break
		}
		if b.line+int64(i) > b.most {
			return 0, &lineError{b.most}
		}
		b.line, rest = 0, rest[i+1:]
	}
	if b.line > b.most {
		return 0, &lineError{b.most}
	}
	return n, err
}
