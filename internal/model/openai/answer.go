package openai

import (
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

// answer turns the chunks of one completion into ours. Text and reasoning go out
// as they come; finished blocks go out whole, for the transcript. Tool calls are
// held back until the model says why it stopped: a call that was cut off must
// never be seen, let alone run.
type answer struct {
	call  *upstream.Call
	model string
	newID func() string

	open    strings.Builder // of what is being said
	kind    speech
	said    bool // something to a person
	calls   calls
	usage   *model.Usage
	reason  string
	refused bool
	// reasonings keep the field in which reasoning comes, which is thinksIn.
	reasonings *reasonings
	thinksIn   string
}

// speech is what is being said.
type speech int

const (
	nothing speech = iota
	words
	thoughts
)

func (a *answer) emit(c model.Chunk) bool { return a.call.Emit(c) }

// take handles one chunk. It reports whether the answer goes on.
func (a *answer) take(c *sdk.ChatCompletionChunk) (more bool, err error) {
	if c.JSON.Usage.Valid() && !a.count(&c.Usage) {
		return false, nil
	}
	shown, grown := false, false
	for i := range c.Choices {
		choice := &c.Choices[i]
		if choice.Index != 0 {
			continue // more than one is never asked for
		}
		if choice.FinishReason != "" {
			a.reason = choice.FinishReason
		}
		d := &choice.Delta
		thought, field := reasoning(d)
		if thought != "" && field != a.thinksIn {
			a.thinksIn = field
			a.reasonings.came(a.model, field)
		}
		a.refused = a.refused || d.Refusal != ""
		if !a.say(thoughts, thought) || !a.say(words, d.Content) || !a.say(words, d.Refusal) {
			return false, nil
		}
		for i := range d.ToolCalls {
			f := fragmentOf(&d.ToolCalls[i])
			if err := a.calls.add(f); err != nil {
				return false, err
			}
			grown = grown || f.name != "" || f.arguments != "" // and buffered
		}
		shown = shown || thought != "" || d.Content != "" || d.Refusal != ""
	}
	return shown || a.emit(model.Alive{Content: grown}), nil
}

// count takes over what the service counted. Of the prompt, what a cache held or
// took in is counted apart.
func (a *answer) count(u *sdk.CompletionUsage) bool {
	prompt := upstream.TokenCount(u.PromptTokens)
	cached := min(upstream.TokenCount(u.PromptTokensDetails.CachedTokens), prompt)
	written := min(upstream.TokenCount(u.PromptTokensDetails.CacheWriteTokens), prompt-cached)
	a.usage = &model.Usage{
		InputTokens: prompt - cached - written, OutputTokens: upstream.TokenCount(u.CompletionTokens),
		CacheReadTokens: cached, CacheWriteTokens: written,
	}
	return a.emit(*a.usage)
}

// say passes a piece of text on.
func (a *answer) say(kind speech, s string) bool {
	if s == "" {
		return true
	}
	if kind != a.kind && !a.pause() {
		return false
	}
	a.kind, a.said = kind, a.said || kind == words
	a.open.WriteString(s)
	if kind == thoughts {
		return a.emit(model.ThinkingDelta{Text: s})
	}
	return a.emit(model.TextDelta{Text: s})
}

// pause ends the block that is being said.
func (a *answer) pause() bool {
	said := a.open.String()
	a.open.Reset()
	kind := a.kind
	a.kind = nothing
	switch kind {
	case words:
		return a.emit(model.Block{Content: model.Text{Text: said}})
	case thoughts:
		return a.emit(model.Block{Content: model.Thinking{Text: said}})
	}
	return true
}

// end handles the end of the stream: some servers send no end marker after the last
// chunk, so only the reason shows that the answer is whole.
func (a *answer) end() error {
	if a.reason == "" {
		return upstream.ErrTruncated
	}
	stop := a.stopReason()
	if len(a.calls.all) == 0 && !a.said && a.forCalls() {
		return upstream.ErrNoCalls
	}
	var done []model.ToolCall
	if stop == model.StopToolUse {
		var err error
		if done, err = a.calls.finish(a.model, a.newID); err != nil {
			return err
		}
		a.reasonings.cameWithCalls(a.model, a.thinksIn)
	}
	if !a.pause() {
		return nil
	}
	for _, call := range done {
		if !a.emit(model.Block{Content: call}) {
			return nil
		}
	}
	a.emit(model.Stop{Reason: stop})
	return nil
}

// forCalls reports whether the service says that it ended for tool calls. Some say so after a
// text, which is the answer then.
func (a *answer) forCalls() bool {
	return a.reason == "tool_calls" || a.reason == "function_call" || a.reason == string(model.StopToolUse)
}

// stopReason maps the service's reasons to the session's. Reasons that are not
// known keep their name: they are not silently a success.
func (a *answer) stopReason() model.StopReason {
	switch a.reason {
	case "stop", "tool_calls", "function_call", string(model.StopEndTurn), string(model.StopToolUse): // the last two are Anthropic's
		switch {
		case len(a.calls.all) > 0:
			return model.StopToolUse // some servers say "stop" after calls
		case a.refused:
			return model.StopRefusal
		}
		return model.StopEndTurn
	case "length":
		return model.StopMaxTokens
	case "content_filter":
		return model.StopRefusal
	}
	return upstream.StopReason(a.reason)
}
