// Package session keeps the record of conversations in plain files: who spoke
// with which persona ([Record]), what was said ([Entry]), what happened
// (the event log), and the bytes that were attached (blobs).
//
// Files are the truth. A session is a folder that a person can read with less
// and repair with an editor; everything else (the id index, hashes, caches) is
// rebuilt from it. Records are appended, never rewritten, and a line that a
// crash cut in half is dropped at the next open, so kill -9 at any point leaves
// whole files. The transcript is the one file that is flushed when a turn ends;
// session.json is a copy of what it says, and the end of the log may be lost in
// a power cut, and readers learn of it.
//
// A process may write to a session only while it holds its [Lease], an OS lock
// that the kernel frees when the process dies. Everybody may read at any time.
//
// Layout and guarantees: architecture, "Where things live" and "The log, the
// lease, the bus". Record fields: compatible contract, section 3.
package session

import (
	"encoding/json"
	"io/fs"
	"time"

	"belay/internal/attachment"
	"belay/internal/attachment/block"
	"belay/internal/event"
)

// Record is session.json. Optional fields are absent until set.
type Record struct {
	SessionID   string `json:"sessionId"`
	ProjectRoot string `json:"projectRoot"`
	Persona     string `json:"persona"`
	Mode        string `json:"mode"`
	// Title is what lists call a session that is a part of something else: of a
	// workflow's run.
	Title     string `json:"title,omitempty"`
	CreatedAt Time   `json:"createdAt"`
	// UpdatedAt is when the session was last used. In session.json it is when the
	// record was last written; a read takes the time of the transcript's last line.
	UpdatedAt       Time   `json:"updatedAt"`
	ClaudeSessionID string `json:"claudeSessionId,omitempty"`
	BootFingerprint string `json:"bootFingerprint,omitempty"`
	BootedAt        *Time  `json:"bootedAt,omitempty"`
	// Model is the one that answered last, PreferredModel the one that is asked where a
	// turn's options name none.
	Model          string `json:"model,omitempty"`
	PreferredModel string `json:"preferredModel,omitempty"`
	// ForkedFrom says where a session's conversation comes from that did not begin
	// in it.
	ForkedFrom *Origin `json:"forkedFrom,omitempty"`
	// ReadOnly is set on reading when the folder is a copy whose original still
	// exists; it is never stored.
	ReadOnly bool `json:"readOnly,omitempty"`
	// Damaged says, in lists, why the session cannot be used; it is never stored.
	Damaged string `json:"damaged,omitempty"`
}

// Origin is the end of a turn of another session.
type Origin struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
}

// Time is a moment as the contract writes it: UTC with milliseconds and Z.
type Time struct{ time.Time }

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

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
	// EntryChanges is what a call of an ended turn changed whose process had died,
	// found out later.
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

// Destination is a place outside this machine to which a surface takes a turn's output:
// what people see there has left the machine.
type Destination struct {
	// Surface is the surface's name, such as "discord"; ID is the place's id on it, such as
	// that of a channel. Settings find the place by both.
	Surface string `json:"surface"`
	ID      string `json:"id"`
	// Name is what people call the place, such as "Discord, #general".
	Name string `json:"name"`
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

// Change is one file that a tool changed, or a folder that a command made and left
// empty, which only AfterMode shows. Contents are in the project's blob
// store by their hash, so that a change can be shown and taken back.
type Change struct {
	// Call is the tool call that made it.
	Call string `json:"call,omitempty"`
	// Path is relative to the project, with slashes.
	Path string `json:"path"`
	// Before and After are the hashes of the contents, "" where there was no
	// file. Mode bits go with them; those of a folder say that there was one.
	Before     string      `json:"before,omitempty"`
	After      string      `json:"after,omitempty"`
	BeforeMode fs.FileMode `json:"beforeMode,omitempty"`
	AfterMode  fs.FileMode `json:"afterMode,omitempty"`
	// BeforeBytes and AfterBytes are the sizes.
	BeforeBytes int64 `json:"beforeBytes,omitempty"`
	AfterBytes  int64 `json:"afterBytes,omitempty"`
	// Pack is a blob that has both contents, from these bytes on, among those of other
	// small files; "" where each content that is kept is a blob of its own.
	Pack     string `json:"pack,omitempty"`
	BeforeAt int64  `json:"beforeAt,omitempty"`
	AfterAt  int64  `json:"afterAt,omitempty"`
	// Folders is how many of the folders of Path, counted from the file, were made
	// for it: undo removes them with it.
	Folders int `json:"folders,omitempty"`
	// Lost says why the content before was not kept (too large, not a regular
	// file): such a change is shown and cannot be taken back.
	Lost string `json:"lost,omitempty"`
	// Restored is set for a protected file that a command changed, which was not
	// applied: the file is as before, and After is what the command had made of it.
	Restored bool `json:"restored,omitempty"`
}

// Removes reports whether the file is gone after the change.
func (c *Change) Removes() bool {
	// What is there and could not be kept has no After either.
	return c.After == "" && c.AfterMode == 0 && c.AfterBytes == 0 && !c.Restored
}

// Touched are the paths of the files that changes left different, in their order,
// and those of them that are gone.
func Touched(changes []Change) (changed, removed []string) {
	for i := range changes {
		c := &changes[i]
		if c.Restored {
			continue // it is what it was
		}
		changed = append(changed, c.Path)
		if c.Removes() {
			removed = append(removed, c.Path)
		}
	}
	return changed, removed
}

// Sight is what an agent was shown of a file: all of a content, or some of its
// lines. It must have read what it replaces, also in another process.
type Sight struct {
	// Path is relative to the project, or absolute in the scratch folder.
	Path string `json:"path"`
	// SHA256 is the hash of the content, "" where what went before does not count:
	// the model got less of it.
	SHA256 string `json:"sha256,omitempty"`
	Whole  bool   `json:"whole,omitempty"`
	// First and Last are lines of Total, where it is not the whole.
	First int `json:"first,omitempty"`
	Last  int `json:"last,omitempty"`
	Total int `json:"total,omitempty"`
}

// AuditPosition is a line of an audit log.
type AuditPosition struct {
	// Log identifies the log: other users and other machines have their own.
	Log  string `json:"log"`
	Line int    `json:"line"`
	Hash string `json:"hash"`
}

// Idempotency remembers the key under which a turn was accepted and the digest
// of its body.
type Idempotency struct {
	Key    string `json:"key"`
	Digest string `json:"digest"`
}

// Manifest lists every input that the model saw in a turn (http.md,
// "/manifest"): proof that can be checked against the files.
type Manifest struct {
	Turn       string           `json:"turn"`
	Time       Time             `json:"time"`
	Persona    string           `json:"persona"`
	Mode       string           `json:"mode"`
	Provider   string           `json:"provider"`
	Model      string           `json:"model"`
	PromptMode event.PromptMode `json:"promptMode"`
	Tools      []string         `json:"tools"`
	// Instructions are the files that made the system prompt, in its order.
	Instructions []Source `json:"instructions"`
	// SystemSHA256 is the digest of the system prompt as it was sent.
	SystemSHA256 string `json:"systemSha256"`
	// Attachments are this turn's files; History those of earlier turns that
	// were sent again.
	Attachments []Delivered `json:"attachments"`
	History     History     `json:"history"`
	// Shown are files that tools showed to the model in the course of the turn.
	// It is gathered from the transcript, not stored.
	Shown []attachment.Item `json:"shown,omitempty"`
}

// Source is one file that went into a prompt.
type Source struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	// Cut is set when only the first bytes of the file were used.
	Cut bool `json:"cut,omitempty"`
}

// Delivered is an attachment and how the model got it.
type Delivered struct {
	attachment.Item
	Used string `json:"used"`
	// Note says what the model did not get of it: that it was cut, or made smaller.
	Note string `json:"note,omitempty"`
}

// History says which earlier turns were part of the request.
type History struct {
	Turns       int         `json:"turns"`
	Elided      int         `json:"elided"`
	Attachments []Delivered `json:"attachments,omitempty"`
}
