package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/respjson"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

// answer turns the events of one message into chunks. Text and reasoning go out
// as they come; a finished block goes out whole, for the transcript. From the
// first tool call on, blocks are held back until the message says why it
// stopped: a call that was cut off must never be seen, let alone run.
type answer struct {
	call *upstream.Call

	open  *block
	index int64
	held  []model.Block // buffered until the message says why it stopped
	calls int           // among those held
	said  bool          // something to a person
	usage model.Usage
	stop  model.StopReason
}

// block is the content block that is being received.
type block struct {
	kind      string
	id, name  string
	data      string // of redacted reasoning
	signature strings.Builder
	text      strings.Builder // words, reasoning or partial JSON
}

func (a *answer) emit(c model.Chunk) bool { return a.call.Emit(c) }

// grown says that content came which is not shown yet.
func (a *answer) grown() bool { return a.emit(model.Alive{Content: true}) }

// take handles one event. It reports whether the answer goes on.
func (a *answer) take(e *sdk.MessageStreamEventUnion) (more bool, err error) {
	switch e.Type {
	case "message_start":
		a.usage = model.Usage{}
		u := &e.Message.Usage
		count(u.InputTokens, u.JSON.InputTokens, &a.usage.InputTokens)
		count(u.OutputTokens, u.JSON.OutputTokens, &a.usage.OutputTokens)
		count(u.CacheReadInputTokens, u.JSON.CacheReadInputTokens, &a.usage.CacheReadTokens)
		count(u.CacheCreationInputTokens, u.JSON.CacheCreationInputTokens, &a.usage.CacheWriteTokens)
		return a.emit(a.usage), nil
	case "message_delta":
		if e.Delta.StopReason != "" {
			a.stop = stopReason(string(e.Delta.StopReason))
		}
		u := &e.Usage // cumulative
		count(u.InputTokens, u.JSON.InputTokens, &a.usage.InputTokens)
		count(u.OutputTokens, u.JSON.OutputTokens, &a.usage.OutputTokens)
		count(u.CacheReadInputTokens, u.JSON.CacheReadInputTokens, &a.usage.CacheReadTokens)
		count(u.CacheCreationInputTokens, u.JSON.CacheCreationInputTokens, &a.usage.CacheWriteTokens)
		return a.emit(a.usage), nil
	case "content_block_start":
		return a.begin(e)
	case "content_block_delta":
		return a.grow(e)
	case "content_block_stop":
		return a.finish(e)
	default:
		return a.call.Alive(), nil
	}
}

func (a *answer) begin(e *sdk.MessageStreamEventUnion) (bool, error) {
	if a.open != nil {
		return false, outOfOrder(e)
	}
	c := &e.ContentBlock
	a.open, a.index = &block{kind: c.Type, id: c.ID, name: c.Name, data: c.Data}, e.Index
	a.open.signature.WriteString(c.Signature)
	switch c.Type {
	case "text":
		if c.Text != "" {
			return a.words(c.Text), nil
		}
	case "thinking":
		if c.Thinking != "" {
			return a.reasoning(c.Thinking), nil
		}
	case "tool_use":
		// The input usually comes in pieces and is an empty object here.
		if raw := c.JSON.Input.Raw(); raw != "{}" && raw != "null" {
			a.open.text.WriteString(raw)
		}
	}
	return a.grown(), nil
}

func (a *answer) grow(e *sdk.MessageStreamEventUnion) (bool, error) {
	if a.open == nil || a.index != e.Index {
		return false, outOfOrder(e)
	}
	switch e.Delta.Type {
	case "text_delta":
		return a.words(e.Delta.Text), nil
	case "thinking_delta":
		return a.reasoning(e.Delta.Thinking), nil
	case "signature_delta":
		return a.gathers(&a.open.signature, e.Delta.Signature), nil
	case "input_json_delta":
		return a.gathers(&a.open.text, e.Delta.PartialJSON), nil
	}
	return a.grown(), nil
}

// gathers takes a piece that is not shown. An empty one is no more than a keep-alive.
func (a *answer) gathers(in *strings.Builder, s string) bool {
	in.WriteString(s)
	if s == "" {
		return a.call.Alive()
	}
	return a.grown()
}

func (a *answer) words(s string) bool {
	a.open.text.WriteString(s)
	if s == "" {
		return a.call.Alive()
	}
	a.said = true
	return a.emit(model.TextDelta{Text: s})
}

func (a *answer) reasoning(s string) bool {
	a.open.text.WriteString(s)
	if s == "" {
		return a.call.Alive()
	}
	return a.emit(model.ThinkingDelta{Text: s})
}

// finish turns the open block into a chunk.
func (a *answer) finish(e *sdk.MessageStreamEventUnion) (bool, error) {
	b := a.open
	if b == nil || a.index != e.Index {
		return false, outOfOrder(e)
	}
	a.open = nil
	var done model.Content
	switch b.kind {
	case "text":
		if b.text.Len() == 0 {
			return true, nil
		}
		done = model.Text{Text: b.text.String()}
	case "thinking":
		done = model.Thinking{Text: b.text.String(), Signature: b.signature.String()}
	case "redacted_thinking":
		done = model.Thinking{Redacted: b.data}
	case "tool_use":
		done = model.ToolCall{ID: b.id, Name: b.name, Input: json.RawMessage(b.text.String())}
	default:
		// A block of a kind that belay never asks for.
		return a.grown(), nil
	}
	if b.kind == "tool_use" {
		if a.calls++; a.calls > upstream.MaxCalls {
			return false, upstream.ErrTooManyCalls
		}
	}
	if a.calls > 0 {
		a.held = append(a.held, model.Block{Content: done})
		return a.grown(), nil
	}
	return a.emit(model.Block{Content: done}), nil
}

// end handles the end marker.
func (a *answer) end() error {
	if a.open != nil || a.stop == "" {
		return &upstream.ProtocolError{What: "the answer's end marker came before its end"}
	}
	switch {
	case a.calls > 0 && a.stop == model.StopEndTurn:
		a.stop = model.StopToolUse // some gateways say so after whole calls
	case a.calls == 0 && a.stop == model.StopToolUse && !a.said:
		return upstream.ErrNoCalls
	case a.calls == 0 && a.stop == model.StopToolUse:
		a.stop = model.StopEndTurn // the text is the answer
	}
	for _, held := range a.held {
		call, isCall := held.Content.(model.ToolCall)
		if isCall {
			if a.stop != model.StopToolUse {
				continue
			}
			if call.ID == "" || call.Name == "" {
				return &upstream.ProtocolError{What: "a tool call of the answer has no id or no name"}
			}
			call.Input = upstream.CallInput(string(call.Input))
			held.Content = call
		}
		if !a.emit(held) {
			return nil
		}
	}
	a.emit(model.Stop{Reason: a.stop})
	return nil
}

// count takes over a count that the service gave. A gateway that counts in another
// form than a whole number costs the count, not the answer.
func count(n int64, field respjson.Field, to *int64) {
	if field.Valid() && n >= 0 {
		*to = upstream.TokenCount(n)
	}
}

func outOfOrder(e *sdk.MessageStreamEventUnion) error {
	return &upstream.ProtocolError{What: fmt.Sprintf("the answer's events are out of order at block %d", e.Index)}
}

// stopReason maps the service's reasons to the session's. Reasons that are not
// known keep their name: they are not silently a success.
func stopReason(r string) model.StopReason {
	if r == "model_context_window_exceeded" {
		return model.StopContext
	}
	return upstream.StopReason(r)
}
