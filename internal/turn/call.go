package turn

import (
	"iter"
	"runtime/debug"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
)

// call runs one model call: chunks become events, and what was said becomes a
// line of the transcript even when the call fails half-way.
func (t *running) call(r *model.Request) (*answer, error) {
	a := &answer{}
	err := t.consume(r, a)
	if flushed := t.flush(); flushed != nil {
		a.unsay(t.unwritten())
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
	t.account(a.usage, err == nil)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// consume drains the provider's stream. A stream that ends without its end
// marker is an error, never a success, and so is a panic in the provider.
func (t *running) consume(r *model.Request, a *answer) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the provider crashed", v, debug.Stack())
		}
	}()
	w := t.watchProvider()
	defer w.stop()
	for chunk, err := range t.open(r) {
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
	if a.stop == "" {
		return fault.New(fault.SDKFailure, "the provider's answer ended without its end marker and may be incomplete").
			WithStatus(502).With("category", "STREAM_TRUNCATED").With("provider", t.settings.backend.Provider.Name())
	}
	return nil
}

// open passes the request on by value. consume's frame stays on the stack as long
// as the model speaks, in every running turn: it must not hold the copy.
//
//go:noinline
func (t *running) open(r *model.Request) iter.Seq2[model.Chunk, error] {
	return t.settings.backend.Provider.Stream(t.ctx, *r)
}

func (t *running) take(chunk model.Chunk, a *answer) error {
	switch c := chunk.(type) {
	case model.TextDelta:
		if err := a.weigh(len(c.Text), t.settings.rules.Limits.AnswerBytes); err != nil {
			return err
		}
		a.text.WriteString(c.Text)
		return t.stream(event.ChatDelta, c.Text)
	case model.ThinkingDelta:
		if err := a.weigh(len(c.Text), t.settings.rules.Limits.AnswerBytes); err != nil {
			return err
		}
		return t.stream(event.ChatThinking, c.Text)
	case model.Block:
		a.add(c.Content)
		if call, ok := c.Content.(model.ToolCall); ok {
			return a.weigh(len(call.Input), t.settings.rules.Limits.AnswerBytes)
		}
	case model.Usage:
		a.usage = c
	case model.Retry:
		t.account(a.usage, false) // what failed is billed as well
		a.usage = model.Usage{}
		return t.warn("PROVIDER_RETRY", c.Cause+"; trying again in "+c.After.Round(time.Millisecond).String())
	case model.ToolOutcome:
		return t.emit(event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{Name: c.Name, OK: c.OK, Output: c.Output}})
	case model.Stop:
		a.stop = c.Reason
	case model.Alive:
	}
	return nil
}

// keep writes the answer to the transcript. Of an answer that was cut off, only
// the text counts: half a tool call must never be replayed.
func (t *running) keep(a *answer, partial bool) error {
	blocks := a.blocks
	if partial {
		blocks = nil
	}
	if text := a.said(); len(blocks) == 0 && text != "" {
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
	if !partial && a.stop != model.StopToolUse && t.agent == "" {
		t.hold(e) // the turn's end is next, or what a person has said meanwhile
		return nil
	}
	return t.append(e)
}
