package session

import (
	"encoding/json"
	"slices"

	"belay/internal/attachment"
	"belay/internal/attachment/block"
	"belay/internal/event"
)

// EntryKind says what a transcript line records.
type EntryKind string

// The transcript's lines. A turn is one EntryTurn, one EntryRequest, then
// EntryAssistant lines as the model answers, each with calls followed by one
// EntryTools for every result, then one EntryEnd. What subagents said and did
// is in between, marked with the call that started them. A turn that a crash
// cut off has no end.
const (
	// EntryTurn is what the person sent, written before the turn's first event.
	EntryTurn EntryKind = "turn"
	// EntryRequest is everything the model is shown, written before it is
	// called.
	EntryRequest EntryKind = "request"
	// EntryAssistant is what the model answered, in its own blocks.
	EntryAssistant EntryKind = "assistant"
	// EntryTools holds results of the calls in the answer before it, or only what
	// an agent was not shown of them after all.
	EntryTools EntryKind = "tools"
	// EntryIntent is what a call is about to change, written before it does. It
	// counts where the call has no result: the process died in between.
	EntryIntent EntryKind = "intent"
	// EntryChanges is what a call of a turn changed that is not among its results: found out
	// after its process died, or applied later by a person.
	EntryChanges EntryKind = "changes"
	// EntryInput is what a person said into the running turn.
	EntryInput EntryKind = "input"
	// EntryReplaced is an input that no model got: a newer one replaced it ([MergeInputs]).
	EntryReplaced EntryKind = "replaced"
	// EntrySummary stands for the turns up to one of them, the running one
	// included, for models that they no longer fit.
	EntrySummary EntryKind = "summary"
	// EntryEnd says how the turn ended. The last one of a turn counts: a second
	// corrects the first when what followed that could not be made durable.
	EntryEnd EntryKind = "end"
	// EntryUndo says that the file changes of an ended turn, the entry's, were
	// taken back. It is where that happened, after any later turn.
	EntryUndo EntryKind = "undo"
)

// Entry is one line of transcript.jsonl. Fields are set by kind.
type Entry struct {
	Kind EntryKind `json:"kind"`
	Turn string    `json:"turn"`
	Time Time      `json:"time"`

	// Of a turn.
	Message     string            `json:"message,omitempty"`
	Warning     string            `json:"warning,omitempty"`
	Attachments []attachment.Item `json:"attachments,omitempty"`
	// Links are files that came with a message and that no model was given yet, without
	// what is secret of their addresses ([block.Item.Public]).
	Links []block.Item `json:"links,omitempty"`
	// Compact is set for a turn that only summarised those before it ([EntrySummary]).
	Compact bool `json:"compact,omitempty"`
	// Destination is where the turn's output goes, nil for surfaces on this machine.
	Destination *Destination `json:"destination,omitempty"`
	Idempotency *Idempotency `json:"idempotency,omitempty"`
	// Options are the turn's options as they were sent.
	Options json.RawMessage `json:"options,omitempty"`
	// After is the log's last sequence before the turn's first event, -1 for a
	// turn whose events are in the log of the session that this one was forked
	// from.
	After int64 `json:"after,omitempty"`

	// Of a request.
	Manifest *Manifest `json:"manifest,omitempty"`

	// Of an answer, and of tool results.
	Model  string  `json:"model,omitempty"`
	Blocks []Block `json:"blocks,omitempty"`
	// Partial is set when the answer was cut off by an error or interrupt.
	Partial bool `json:"partial,omitempty"`
	// Mode says when the running turn takes an input, Input is its [Input.ID].
	Mode  InputMode `json:"mode,omitempty"`
	Input string    `json:"input,omitempty"`
	// Agent is the tool call that started the subagent whose line this is, ""
	// for the turn's own.
	Agent string `json:"agent,omitempty"`
	// Changes are the file changes of the calls that the results belong to, or
	// that are intended.
	Changes []Change `json:"changes,omitempty"`
	// Seen is what these calls showed the agent of files.
	Seen []Sight `json:"seen,omitempty"`

	// Of a summary: the text, and the last turn that it covers. Of that turn it
	// covers the first Rounds answers with the results of their calls, or, where
	// that is 0, all.
	Summary string `json:"summary,omitempty"`
	Through string `json:"through,omitempty"`
	Rounds  int    `json:"rounds,omitempty"`

	// Of an end; Error is why the turn failed, a sentence. Reserved is the sequence
	// up to which events may exist.
	Reserved   int64         `json:"reserved,omitempty"`
	StopReason string        `json:"stopReason,omitempty"`
	Error      string        `json:"error,omitempty"`
	ExitCode   *int          `json:"exitCode,omitempty"`
	Usage      *event.Tokens `json:"usage,omitempty"`

	// Audit is, of an end and of an undo, how far the operator's audit log was known
	// to reach. It proves later that this part of the log is still there.
	Audit *AuditPosition `json:"audit,omitempty"`

	// Paths are, of an undo, the files that are as they were before the turn.
	Paths []string `json:"paths,omitempty"`
	// By is, of an undo, who had it done, and, of a turn, the agent of a workflow
	// that answers instead of a persona.
	By string `json:"by,omitempty"`
}

// BlockType says what a [Block] holds.
type BlockType string

// The types of blocks.
const (
	BlockText       BlockType = "text"
	BlockThinking   BlockType = "thinking"
	BlockToolCall   BlockType = "tool_call"
	BlockToolResult BlockType = "tool_result"
)

// Block is a content block of an answer, or a tool's result, as it is stored.
type Block struct {
	Type      BlockType       `json:"type"`
	Text      string          `json:"text,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Redacted  string          `json:"redacted,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Failed    bool            `json:"failed,omitempty"`
	// Items are files that a tool's result showed to the model.
	Items []attachment.Item `json:"items,omitempty"`
	// Sent are files that a tool sent to people. No model gets them.
	Sent []attachment.Item `json:"sent,omitempty"`
}

// Files are all that a line names: files of a message, of a tool's result, and those that
// were sent to people.
func (e *Entry) Files() []attachment.Item {
	all := slices.Clone(e.Attachments)
	for _, b := range e.Blocks {
		all = append(append(all, b.Items...), b.Sent...)
	}
	return all
}
