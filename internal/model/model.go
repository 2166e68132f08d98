// Package model is the seam between a turn and a language model: the request
// that a turn builds, the chunks that come back, and what each model can take.
//
// A [Provider] is a network client or the embedded scripted one. It knows
// nothing of sessions, events or files: it gets a [Request] and yields [Chunk]s.
// Whatever went wrong is a *fault.Error, already redacted.
//
// Contract: turn API REQ-02, REQ-04, REQ-05; workspace 9.8 "Provider policy".
package model

import (
	"context"
	"encoding/json"
	"iter"

	"belay/internal/attachment"
)

// Provider runs one model call.
//
// Stream yields the answer's chunks in order. The last chunk of a complete
// answer is a [Stop]; a sequence that ends without one, and without an error,
// was truncated and the caller must treat it as a failure. After a non-nil error
// nothing follows. Cancelling ctx ends the sequence promptly with ctx's error.
// Stream may be called concurrently; it owns no goroutine once the loop over it
// has ended.
type Provider interface {
	// Name is the provider's configuration name, e.g. "anthropic".
	Name() string
	// Ready reports why no call can succeed: a *fault.Error such as
	// MISSING_API_KEY, or nil. It makes no network call.
	Ready() error
	// Limits returns what the named model takes. Unknown models get the
	// provider's conservative defaults.
	Limits(model string) Limits
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// Scripted is the name of the embedded provider, and of its own model. It plays the
// part of any model that is named; what it says is on record as its own.
const Scripted = "scripted"

// AnsweredBy is the provider that answers in place of the named model, or "". Another provider
// has no model of the embedded one's name, which would say that nothing leaves the machine.
func AnsweredBy(provider, name string) string {
	if (provider == Scripted) != (name == Scripted) {
		return provider
	}
	return ""
}

// Bootstrapper is implemented by providers that have a bootstrap step of their
// own (session boot).
type Bootstrapper interface {
	// Bootstrap runs the step; probe asks for a real model call.
	Bootstrap(ctx context.Context, r Request, probe bool) error
}

// Limits is what one model takes and gives.
type Limits struct {
	// ContextTokens bounds input and output together.
	ContextTokens int64
	// OutputTokens is the most that one answer can have.
	OutputTokens int64
	Attachments  attachment.Limits
	// Assumed is set when nothing is known of the model and these are the limits
	// of any other.
	Assumed bool
}

// Request is one model call.
type Request struct {
	Model string
	// System is the system prompt in order; a later block may be cached apart.
	System []string
	// History is the conversation so far, oldest first, alternating from user.
	History []Message
	// Counted is what the first messages of History count, where that is known.
	Counted Counted
	// Prompt is this turn's user content; nil when History already ends with
	// what the model is to answer (the results of its tool calls).
	Prompt Prompt
	Tools  []ToolSpec
	// MaxTokens caps the answer; 0 means the model's own maximum.
	MaxTokens int64
	// Mode is the turn's permission mode (only the scripted provider looks).
	Mode string
	// Session is the provider-side conversation id (claudeSessionId).
	Session string
	// Summary marks the request for a summary of what was left out (only the
	// scripted provider looks).
	Summary bool
	// Folded is how many of the model's answers of this turn were left out of
	// History to fit its context (only the scripted provider looks).
	Folded int
	// Sent is called whenever the connection has taken a part of the request, by any
	// goroutine, also after the answer has ended; nil where nobody wants to know.
	Sent func()
}

// Prompt is the user content of a turn: a [StringPrompt] or a [BlockPrompt]
// (turn API REQ-05). [NewPrompt] is the only place that chooses.
type Prompt interface {
	// Parts returns the content as blocks.
	Parts() []attachment.Part
	prompt()
}

// StringPrompt is the user's words alone.
type StringPrompt string

// BlockPrompt is content blocks: warning, words, files in order.
type BlockPrompt []attachment.Part

// Parts returns the words as one text block.
func (p StringPrompt) Parts() []attachment.Part {
	return []attachment.Part{attachment.TextPart{Text: string(p)}}
}

// Parts returns the blocks themselves.
func (p BlockPrompt) Parts() []attachment.Part { return p }

func (StringPrompt) prompt() {}
func (BlockPrompt) prompt()  {}

// Role is who speaks in a message.
type Role string

// The roles of a conversation.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one earlier message of the conversation.
type Message struct {
	Role    Role
	Content []Content
}

// Content is one block of a message: [Media], [Text], [Thinking], [ToolCall] or
// [ToolOutput].
type Content interface{ content() }

// Media is a planned attachment part inside a message.
type Media struct{ Part attachment.Part }

// Text is words.
type Text struct{ Text string }

// Thinking is the model's reasoning with the signature that lets the provider
// accept it again. Redacted holds opaque data instead of text.
type Thinking struct {
	Text      string
	Signature string
	Redacted  string
}

// ToolCall is the model's request to run a tool.
type ToolCall struct {
	ID    string
	Name  string
	Input json.RawMessage
	// Signature lets the provider accept the call again, like that of [Thinking]. It
	// means nothing to another provider.
	Signature string
}

// ToolOutput answers a [ToolCall].
type ToolOutput struct {
	CallID string
	Parts  []attachment.Part
	Failed bool
}

func (Media) content()      {}
func (Text) content()       {}
func (Thinking) content()   {}
func (ToolCall) content()   {}
func (ToolOutput) content() {}

// ToolSpec offers a tool to the model.
type ToolSpec struct {
	Name        string
	Description string
	// Schema is a JSON Schema of the input.
	Schema json.RawMessage
}
