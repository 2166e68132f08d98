// Package event defines what can happen in a turn: the event types, their names
// on the wire and the payload of each.
//
// Every surface (HTTP, terminal, page, bus) reads the same events from a
// session's log; none has a format of its own. The table in docs/events.md is
// generated from [Types].
//
// An event is immutable once it has a sequence number. Sequences are dense per
// session, start at 1 and are also the SSE id, so a reader that remembers the
// last id it saw can always say what it has missed.
//
// Contract: the HTTP contract, section "Events"; turn API REQ-03 and REQ-12.
package event

import (
	"encoding/json"
	"time"
)

// Type is an event's name on the wire, e.g. "chat:delta".
type Type string

// The events of a turn, in the order in which a turn may emit them, and those that
// stand between turns.
const (
	SessionInit     Type = "session:init"
	ChatDelta       Type = "chat:delta"
	ChatThinking    Type = "chat:thinking"
	ToolCall        Type = "tool:call"
	PermissionAsked Type = "permission:request"
	PermissionGiven Type = "permission:resolved"
	ToolOutput      Type = "tool:output"
	ToolResult      Type = "tool:result"
	AttachmentInput Type = "attachment:input"
	AttachmentAdd   Type = "attachment:add"
	SubagentStart   Type = "subagent:start"
	SubagentEnd     Type = "subagent:complete"
	TurnInput       Type = "turn:input"
	ChatComplete    Type = "chat:complete"
	Usage           Type = "usage"
	TurnWarning     Type = "turn:warning"
	TurnError       Type = "turn:error"
	SessionComplete Type = "session:complete"
	ProcessExit     Type = "process:exit"
	ChangesUndone   Type = "changes:undone"
	LogGap          Type = "log:gap"
)

// Event is one line of a session's log.
type Event struct {
	// Seq is the dense sequence within the session, from 1. A log:gap made up
	// for one reader has the sequence after which that reader continues.
	Seq int64 `json:"seq"`
	// Turn is the id of the turn that emitted the event, "" for one between turns.
	Turn string `json:"turn"`
	// Time is when the event was appended, UTC.
	Time time.Time `json:"time"`
	Type Type      `json:"type"`
	// Data is the payload: one of the structs of this package as JSON.
	Data json.RawMessage `json:"data"`
}

// Draft is an event before the log gives it a sequence and a time.
type Draft struct {
	Type Type
	// Data is marshalled when the draft is appended.
	Data any
}

// PromptMode says how the turn's prompt was sent (turn API REQ-05).
type PromptMode string

// The two prompt modes.
const (
	PromptString PromptMode = "string"
	PromptBlocks PromptMode = "blocks"
)

// Init is the payload of [SessionInit], always the first event of a turn.
type Init struct {
	ClaudeSessionID string `json:"claudeSessionId"`
	Model           string `json:"model"`
	// AnsweredBy is set where another than Model answers: the scripted provider plays
	// the part of any model that is named, and no other provider has it.
	AnsweredBy string      `json:"answeredBy,omitempty"`
	TurnID     string      `json:"turnId"`
	PromptMode PromptMode  `json:"promptMode"`
	Tools      []string    `json:"tools"`
	Warnings   []Warning   `json:"warnings"`
	Governance *Governance `json:"governance,omitempty"`
}

// Governance tells the client whether delegation is open in this turn and which
// gate decided (workspace 9.7).
type Governance struct {
	Allowed bool   `json:"allowed"`
	Gate    string `json:"gate"`
	Reason  string `json:"reason"`
}

// Text is the payload of [ChatDelta], [ChatThinking] and [ChatComplete].
type Text struct {
	Text string `json:"text"`
}

// Input is the payload of [TurnInput]: what a person said into the running turn.
type Input struct {
	Message string `json:"message"`
	// Mode is steer or followUp.
	Mode string `json:"mode"`
	// Attachments counts the files that came with it.
	Attachments int `json:"attachments,omitempty"`
}

// Tokens counts what a model call used. Cost is absent where the model has no
// price.
type Tokens struct {
	InputTokens      int64    `json:"inputTokens"`
	OutputTokens     int64    `json:"outputTokens"`
	CacheReadTokens  int64    `json:"cacheReadTokens"`
	CacheWriteTokens int64    `json:"cacheWriteTokens"`
	CostUSD          *float64 `json:"costUsd,omitempty"`
}

// UsageReport is the payload of [Usage]: one model call, and the turn so far.
type UsageReport struct {
	Tokens
	Totals Tokens `json:"totals"`
}

// Warning is the payload of [TurnWarning]: something the person should know
// that does not end the turn.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Paths are the files that it is about, relative to the project; of RUNS_ON_REQUEST
	// and RUNS_BY_ITSELF at most 200.
	Paths []string `json:"paths,omitempty"`
}

// Failure is the payload of [TurnError].
type Failure struct {
	Phase     string         `json:"phase"`
	ErrorType string         `json:"errorType"`
	Message   string         `json:"message"`
	Status    int            `json:"status"`
	Severity  string         `json:"severity"`
	Fatal     bool           `json:"fatal"`
	Details   map[string]any `json:"details,omitempty"`
}

// Complete is the payload of [SessionComplete].
type Complete struct {
	// StopReason says why the model stopped: end_turn, max_tokens, max_turns,
	// budget, refusal, stop_sequence; repeated_refusal where the turn was ended
	// because the model repeated a refused call.
	StopReason string `json:"stopReason"`
	// ContextTokens is, of a turn that summarised those before it (opts.compact), about
	// how many tokens the next request begins with, its message apart.
	ContextTokens int64 `json:"contextTokens,omitempty"`
}

// Exit is the payload of [ProcessExit], always the last event of a turn.
type Exit struct {
	// ExitCode is 0 done, 1 failed, 124 timed out, 130 interrupted.
	ExitCode     int            `json:"exitCode"`
	Interrupted  *bool          `json:"interrupted,omitempty"`
	Error        string         `json:"error,omitempty"`
	ErrorType    string         `json:"errorType,omitempty"`
	Status       int            `json:"status,omitempty"`
	Severity     string         `json:"severity,omitempty"`
	Fatal        bool           `json:"fatal,omitempty"`
	ErrorDetails map[string]any `json:"errorDetails,omitempty"`
	// Calls counts what was not permitted; absent where all was.
	Calls *Calls `json:"calls,omitempty"`
}

// Undone is the payload of [ChangesUndone]: a person took the file changes of an
// ended turn back.
type Undone struct {
	TurnID string `json:"turnId"`
	// Paths are the files that are as they were before the turn, relative to the
	// project.
	Paths []string `json:"paths"`
	// By is who had it done.
	By string `json:"by,omitempty"`
}

// Gap is the payload of [LogGap]: events between the reader's position and Next
// are not there to be read.
type Gap struct {
	// Reason is "expired" (older than what is kept), "lost" (a power cut took them)
	// or "reset" (the position is beyond the end: the log is not the one the reader
	// knew).
	Reason string `json:"reason"`
	// Next is the sequence of the next event that the reader will see.
	Next int64 `json:"next"`
}
