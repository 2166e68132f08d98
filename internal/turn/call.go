package turn

import (
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
)

// answer is what one model call gave.
type answer struct {
	text   strings.Builder
	blocks []session.Block
	calls  []model.ToolCall
	stop   model.StopReason
	usage  model.Usage
	bytes  int64
}

// call runs one model call: chunks become events, and what was said becomes a
// line of the transcript even when the call fails half-way.
func (t *running) call(r request) (*answer, error) {
	a := &answer{}
	err := t.consume(r, a)
	if flushed := t.flush(); err == nil {
		err = flushed
	}
	complete := err == nil && t.ctx.Err() == nil
	if recorded := t.keep(a, !complete); recorded != nil {
		return nil, recorded
	}
	if err == nil && t.ctx.Err() != nil {
		err = t.ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return a, t.account(a.usage)
}

// consume drains the provider's stream. A stream that ends without its end
// marker is an error, never a success.
func (t *running) consume(r request, a *answer) error {
	stall := time.AfterFunc(t.settings.rules.Limits.Stall, func() { t.stop(errStalled) })
	defer stall.Stop()
	for chunk, err := range t.l.o.Provider.Stream(t.ctx, r.Request) {
		if err != nil {
			return err
		}
		if !stall.Reset(t.settings.rules.Limits.Stall) {
			return errStalled
		}
		if err := t.take(chunk, a); err != nil {
			return err
		}
		if t.ctx.Err() != nil {
			return t.ctx.Err()
		}
	}
	if a.stop == "" {
		return fault.New(fault.SDKFailure, "the provider's answer ended without its end marker and may be incomplete").
			WithStatus(502).With("category", "STREAM_TRUNCATED").With("provider", t.l.o.Provider.Name())
	}
	return nil
}

func (t *running) take(chunk model.Chunk, a *answer) error {
	switch c := chunk.(type) {
	case model.TextDelta:
		a.text.WriteString(c.Text)
		return t.delta(event.ChatDelta, c.Text, a)
	case model.ThinkingDelta:
		return t.delta(event.ChatThinking, c.Text, a)
	case model.Block:
		a.add(c.Content)
	case model.Usage:
		a.usage = c
	case model.Retry:
		return t.warn("PROVIDER_RETRY", c.Cause+"; trying again in "+c.After.Round(time.Millisecond).String())
	case model.ToolOutcome:
		return t.emit(event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{Name: c.Name, OK: c.OK, Output: c.Output}})
	case model.Stop:
		a.stop = c.Reason
	case model.Alive:
	}
	return nil
}

// delta passes text on, within the cap on one answer.
func (t *running) delta(kind event.Type, text string, a *answer) error {
	if a.bytes += int64(len(text)); a.bytes > t.settings.rules.Limits.AnswerBytes {
		return fault.New(fault.SDKFailure, "the answer is longer than %d bytes (turn.answer_bytes)", t.settings.rules.Limits.AnswerBytes).
			WithStatus(502).With("category", "ANSWER_TOO_LARGE")
	}
	return t.stream(kind, text)
}

func (a *answer) add(c model.Content) {
	switch c := c.(type) {
	case model.Text:
		// A provider may give a short text whole, without deltas.
		if a.text.Len() == 0 {
			a.text.WriteString(c.Text)
		}
		a.blocks = append(a.blocks, session.Block{Type: session.BlockText, Text: c.Text})
	case model.Thinking:
		a.blocks = append(a.blocks, session.Block{
			Type: session.BlockThinking, Text: c.Text, Signature: c.Signature, Redacted: c.Redacted,
		})
	case model.ToolCall:
		a.calls = append(a.calls, c)
		a.blocks = append(a.blocks, session.Block{Type: session.BlockToolCall, ID: c.ID, Name: c.Name, Input: c.Input})
	}
}

// keep writes the answer to the transcript. Of an answer that was cut off, only
// the text counts: half a tool call must never be replayed.
func (t *running) keep(a *answer, partial bool) error {
	blocks := a.blocks
	if partial {
		blocks = nil
		if a.text.Len() > 0 {
			blocks = []session.Block{{Type: session.BlockText, Text: a.text.String()}}
		}
	}
	if len(blocks) == 0 && partial {
		return nil
	}
	if len(blocks) == 0 && a.text.Len() > 0 {
		blocks = []session.Block{{Type: session.BlockText, Text: a.text.String()}}
	}
	return t.lease.Append(session.Entry{
		Kind: session.EntryAssistant, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()},
		Model: t.settings.model, Blocks: blocks, Partial: partial,
	})
}

// runTools answers every call of the model. No tool exists yet, so each is told
// so, which lets the model go on without it.
func (t *running) runTools(a *answer) ([]model.Content, error) {
	e := session.Entry{Kind: session.EntryTools, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()}}
	var results []model.Content
	for _, c := range a.calls {
		said := "there is no tool named " + c.Name
		if err := t.emit(event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: c.ID, Name: c.Name, Output: said}}); err != nil {
			return nil, err
		}
		e.Blocks = append(e.Blocks, session.Block{Type: session.BlockToolResult, ID: c.ID, Name: c.Name, Text: said, Failed: true})
		results = append(results, toolOutput(e.Blocks[len(e.Blocks)-1]))
	}
	if len(results) == 0 {
		return nil, fault.New(fault.SDKFailure, "the model stopped for tools without calling one").
			WithStatus(502).With("category", "API_RESPONSE_ERROR")
	}
	return results, t.lease.Append(e)
}
