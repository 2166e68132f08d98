package agent

import (
	"cmp"
	"context"
	"runtime/debug"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/telemetry"
	"belay/internal/turn/conversation"
	"belay/internal/turn/ending"
)

// modelCall is one call of an agent's model.
type modelCall struct{ run *Run }

// do makes the call: chunks become events, and what was said becomes a
// line of the transcript even when the call fails half-way.
func (m modelCall) do(r *model.Request) (*conversation.Answer, error) {
	a := &conversation.Answer{}
	ctx, span := m.run.span("chat", attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", m.run.Settings.Provider.Name()),
		attribute.String("gen_ai.request.model", conversation.CutText(r.Model, shownModel)))
	err := m.consume(ctx, r, a)
	span.SetAttributes(attribute.Int64("gen_ai.usage.input_tokens", a.Usage.InputTokens), attribute.Int64("gen_ai.usage.output_tokens", a.Usage.OutputTokens),
		attribute.Int("belay.tool_calls", len(a.Calls)))
	telemetry.End(span, err)
	if flushed := m.run.Events.flush(); flushed != nil {
		if m.run.agent == "" {
			a.Unsay(m.run.Events.unwritten())
		}
		if err == nil {
			err = flushed
		}
	}
	if err == nil {
		err = m.run.Context.Err()
	}
	if recorded := m.keep(a, err != nil); recorded != nil {
		return nil, recorded
	}
	m.run.budget().account(a.Usage, err == nil)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// shownModel is how much of a model's name a span has, in bytes.
const shownModel = 100

// consume drains the provider's stream. A stream that ends without its end
// marker is an error, never a success, and so is a panic in the provider.
func (m modelCall) consume(ctx context.Context, r *model.Request, a *conversation.Answer) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = ending.Panicked("the provider crashed", v, debug.Stack())
		}
	}()
	w := watchProvider(m.run.Settings.Stall, m.run.Stop)
	defer w.stop()
	sent := *r
	sent.Sent = w.sent
	for chunk, err := range redacted(m.run.Settings.Provider.Stream(ctx, sent), m.run.Redact) {
		if err != nil {
			return err
		}
		if err := w.saw(chunk); err != nil {
			return err
		}
		if again, ok := chunk.(model.Retry); ok {
			trace.SpanFromContext(ctx).AddEvent("retry", trace.WithAttributes(attribute.Int("belay.attempt", again.Attempt)))
			failed := a.Usage
			m.run.budget().account(failed, false) // what failed is billed as well
			a.Usage = model.Usage{}
			if !m.run.budget().covers(r.MaxTokens, failed) {
				return overBudget(again)
			}
			if err := m.retries(again); err != nil {
				return err
			}
			continue
		}
		if err := m.take(chunk, a); err != nil {
			return err
		}
		if m.run.Context.Err() != nil {
			return m.run.Context.Err()
		}
	}
	if a.Stop == "" {
		return fault.New(fault.SDKFailure, "the provider's answer ended without its end marker and may be incomplete").
			WithStatus(502).With("category", "STREAM_TRUNCATED").With("provider", m.run.Settings.Provider.Name())
	}
	return nil
}

func (m modelCall) take(chunk model.Chunk, a *conversation.Answer) error {
	switch c := chunk.(type) {
	case model.TextDelta:
		if err := a.Grow(len(c.Text), m.run.Settings.AnswerBytes); err != nil {
			return err
		}
		a.Text.WriteString(c.Text)
		return m.show(event.ChatDelta, c.Text)
	case model.ThinkingDelta:
		if err := a.Grow(len(c.Text), m.run.Settings.AnswerBytes); err != nil {
			return err
		}
		return m.show(event.ChatThinking, c.Text)
	case model.Block:
		a.Add(c.Content)
		if call, ok := c.Content.(model.ToolCall); ok {
			return a.Grow(len(call.Input), m.run.Settings.AnswerBytes)
		}
	case model.Usage:
		a.Usage = c
	case model.ToolOutcome:
		return m.run.Events.Emit(event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{Name: c.Name, OK: c.OK, Output: c.Output}})
	case model.Stop:
		a.Stop = c.Reason
	case model.Notice:
		return m.run.Events.warnOnce(c.Code, c.Message)
	case model.Alive, model.Retry:
	}
	return nil
}

// retries warns that the call is made again.
func (m modelCall) retries(c model.Retry) error {
	return m.run.Events.Warn("PROVIDER_RETRY", c.Cause+"; trying again in "+c.After.Round(time.Millisecond).String())
}

// show sends the readers what the turn's own agent says: what a delegated one says is
// the result of a call.
func (m modelCall) show(kind event.Type, text string) error {
	if m.run.agent != "" {
		return nil
	}
	return m.run.Events.text(kind, text)
}

// keep writes the answer to the transcript. Of an answer that was cut off, only
// the text counts: half a tool call must never be replayed.
func (m modelCall) keep(a *conversation.Answer, partial bool) error {
	blocks := a.Blocks
	if partial {
		blocks = nil
	}
	if text := a.Said(); len(blocks) == 0 && text != "" {
		// A copy: the session keeps it, and need not keep the builder's spare room.
		blocks = []session.Block{{Type: session.BlockText, Text: strings.Clone(text)}}
	}
	if len(blocks) == 0 && partial {
		return nil
	}
	e := session.Entry{
		Kind: session.EntryAssistant, Turn: m.run.ID, Time: session.Time{Time: m.run.Clock()},
		Model: cmp.Or(m.run.Settings.AnsweredBy(), m.run.Settings.Model), Blocks: blocks, Partial: partial,
	}
	if !partial && a.Stop != model.StopToolUse && m.run.agent == "" {
		m.run.Transcript.buffer(e) // the turn's end is next, or what a person has said meanwhile
		return nil
	}
	return m.run.append(e)
}
