package model

import "time"

// Chunk is one piece of an answer: [TextDelta], [ThinkingDelta], [Block],
// [Usage], [Retry], [Notice], [Alive], [ToolOutcome] or [Stop].
type Chunk interface{ chunk() }

// TextDelta is a piece of the answer's text.
type TextDelta struct{ Text string }

// ThinkingDelta is a piece of the reasoning's text.
type ThinkingDelta struct{ Text string }

// Block is a finished content block, for the transcript: [Text], [Thinking] or
// [ToolCall]. Text blocks repeat what their deltas said.
type Block struct{ Content Content }

// Usage counts the call's tokens. A later Usage of the same call replaces an
// earlier one.
type Usage struct {
	InputTokens, OutputTokens         int64
	CacheReadTokens, CacheWriteTokens int64
}

// Retry says that the call failed before any content and is tried again.
type Retry struct {
	Attempt int
	After   time.Duration
	Cause   string
}

// Notice is a warning for the person. The call goes on, in another way than they asked.
type Notice struct{ Code, Message string }

// Alive is bytes that give nothing to show. Content is set where they are part of
// the answer, such as the input of a tool call, which is held back until it is whole.
// Else they are a keep-alive: they say that the service is there, and nothing of when
// it will answer.
type Alive struct{ Content bool }

// ToolOutcome is a tool result that the provider itself made up; only the
// scripted provider's permission markers do that (notes 2.1).
type ToolOutcome struct {
	Name   string
	OK     bool
	Output string
}

// Stop ends a complete answer.
type Stop struct{ Reason StopReason }

// StopReason says why the model stopped, in the session's own terms.
type StopReason string

// The stop reasons. Any but StopEndTurn means that the answer may be incomplete.
const (
	StopEndTurn   StopReason = "end_turn"
	StopMaxTokens StopReason = "max_tokens"
	StopMaxTurns  StopReason = "max_turns"
	StopBudget    StopReason = "budget"
	StopToolUse   StopReason = "tool_use"
	StopSequence  StopReason = "stop_sequence"
	StopRefusal   StopReason = "refusal"
	StopPause     StopReason = "pause_turn"
	StopContext   StopReason = "context_window"
	// StopRepeats is the engine's: the model repeated a call that was refused.
	StopRepeats StopReason = "repeated_refusal"
)

func (TextDelta) chunk()     {}
func (ThinkingDelta) chunk() {}
func (Block) chunk()         {}
func (Usage) chunk()         {}
func (Retry) chunk()         {}
func (Notice) chunk()        {}
func (Alive) chunk()         {}
func (ToolOutcome) chunk()   {}
func (Stop) chunk()          {}
