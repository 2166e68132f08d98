package turn

import (
	"runtime/debug"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

// call runs one model call: chunks become events, and what was said becomes a
// line of the transcript even when the call fails half-way.
func (t *agentRun) call(r *model.Request) (*conversation.Answer, error) {
	a := &conversation.Answer{}
	err := t.consume(r, a)
	if flushed := t.flush(); flushed != nil {
		a.Unsay(t.unwritten())
		if err == nil {
			err = flushed
		}
	}
	if err == nil {
		err = t.ctx.Err()
	}
	if recorded := t.keep(a, err != nil); recorded != nil {
		return nil, recorded
	}
	t.account(a.Usage, err == nil)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// consume drains the provider's stream. A stream that ends without its end
// marker is an error, never a success, and so is a panic in the provider.
func (t *agentRun) consume(r *model.Request, a *conversation.Answer) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the provider crashed", v, debug.Stack())
		}
	}()
	w := t.watchProvider()
	defer w.stop()
	for chunk, err := range t.settings.backend.Provider.Stream(t.ctx, *r) {
		if err != nil {
			return err
		}
		if err := w.saw(chunk); err != nil {
			return err
		}
		if err := t.take(chunk, a); err != nil {
			return err
		}
		if t.ctx.Err() != nil {
			return t.ctx.Err()
		}
	}
	if a.Stop == "" {
		return fault.New(fault.SDKFailure, "the provider's answer ended without its end marker and may be incomplete").
			WithStatus(502).With("category", "STREAM_TRUNCATED").With("provider", t.settings.backend.Provider.Name())
	}
	return nil
}

func (t *agentRun) take(chunk model.Chunk, a *conversation.Answer) error {
	switch c := chunk.(type) {
	case model.TextDelta:
		if err := a.Grow(len(c.Text), t.settings.rules.Limits.AnswerBytes); err != nil {
			return err
		}
		a.Text.WriteString(c.Text)
		return t.stream(event.ChatDelta, c.Text)
	case model.ThinkingDelta:
		if err := a.Grow(len(c.Text), t.settings.rules.Limits.AnswerBytes); err != nil {
			return err
		}
		return t.stream(event.ChatThinking, c.Text)
	case model.Block:
		a.Add(c.Content)
		if call, ok := c.Content.(model.ToolCall); ok {
			return a.Grow(len(call.Input), t.settings.rules.Limits.AnswerBytes)
		}
	case model.Usage:
		a.Usage = c
	case model.Retry:
		t.account(a.Usage, false) // what failed is billed as well
		a.Usage = model.Usage{}
		return t.warn("PROVIDER_RETRY", c.Cause+"; trying again in "+c.After.Round(time.Millisecond).String())
	case model.ToolOutcome:
		return t.emit(event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{Name: c.Name, OK: c.OK, Output: c.Output}})
	case model.Stop:
		a.Stop = c.Reason
	case model.Alive:
	}
	return nil
}

// keep writes the answer to the transcript. Of an answer that was cut off, only
// the text counts: half a tool call must never be replayed.
func (t *agentRun) keep(a *conversation.Answer, partial bool) error {
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
		Kind: session.EntryAssistant, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()},
		Model: first(t.settings.answeredBy(), t.settings.model), Blocks: blocks, Partial: partial,
	}
	if !partial && a.Stop != model.StopToolUse && t.agent == "" {
		t.hold(e) // the turn's end is next, or what a person has said meanwhile
		return nil
	}
	return t.append(e)
}
