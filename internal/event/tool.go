package event

import (
	"encoding/json"
	"time"
)

// ToolUse is the payload of [ToolCall]: the model asks for a tool. The call has
// not run, and may be refused.
type ToolUse struct {
	ToolCallID string `json:"toolCallId"`
	Name       string `json:"name"`
	// Input is redacted, and capped: where it would be too long, it is an object
	// that says so.
	Input json.RawMessage `json:"input"`
	// ParentToolCallID is the call that started the subagent whose call this is.
	ParentToolCallID string `json:"parentToolCallId,omitempty"`
}

// LiveOutput is the payload of [ToolOutput]: what a command writes while it runs.
type LiveOutput struct {
	ToolCallID string `json:"toolCallId"`
	// Offset is where the text begins in the output, in bytes. Keys count as they are
	// shown, and control sequences for terminals do not count.
	Offset int64 `json:"offset"`
	// Text is redacted, and at most 4 KiB.
	Text string `json:"text"`
	// Tail is set for the end of an output of which something before it is not shown: it
	// takes the place of what was shown.
	Tail             bool   `json:"tail,omitempty"`
	ParentToolCallID string `json:"parentToolCallId,omitempty"`
}

// ToolOutcome is the payload of [ToolResult].
type ToolOutcome struct {
	ToolCallID       string `json:"toolCallId,omitempty"`
	Name             string `json:"name"`
	OK               bool   `json:"ok"`
	Output           string `json:"output,omitempty"`
	Truncated        bool   `json:"truncated,omitempty"`
	DurationMS       int64  `json:"durationMs,omitempty"`
	ParentToolCallID string `json:"parentToolCallId,omitempty"`
	// Changed are the files that the call changed, relative to the project, Removed
	// those of them that are gone.
	Changed []string `json:"changed,omitempty"`
	Removed []string `json:"removed,omitempty"`
	// Outcome says of a call that was not permitted what became of it: refused,
	// expired (nobody answered in time) or left_out (it changed LeftOut files that it
	// may not change, and these were not applied).
	Outcome Outcome `json:"outcome,omitempty"`
	LeftOut int     `json:"leftOut,omitempty"`
}

// Permission is the payload of [PermissionAsked]: a call waits for a person.
type Permission struct {
	DecisionID string          `json:"decisionId"`
	ToolCallID string          `json:"toolCallId"`
	Name       string          `json:"name"`
	Input      json.RawMessage `json:"input"`
	Reason     string          `json:"reason"`
	// ExpiresAt is when the question counts as not answered; absent where it waits
	// without a limit.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	// Effect says what the call would do, in the form of package permit.
	Effect any `json:"effect,omitempty"`
	// Session is set where the answer may hold for the whole session.
	Session bool `json:"session,omitempty"`
	// Persona is who asks.
	Persona string `json:"persona,omitempty"`
}

// Verdict is the payload of [PermissionGiven].
type Verdict struct {
	DecisionID string `json:"decisionId"`
	ToolCallID string `json:"toolCallId,omitempty"`
	// Verdict is allow, allow_session or deny.
	Verdict string `json:"verdict"`
	// By is who decided: a person's name, "timeout", "interrupt".
	By   string `json:"by,omitempty"`
	Note string `json:"note,omitempty"`
}

// Attachment is the payload of [AttachmentInput]: a tool gave a file to the model.
type Attachment struct {
	SHA256     string `json:"sha256"`
	Filename   string `json:"filename"`
	MIMEType   string `json:"mimeType"`
	Bytes      int64  `json:"bytes"`
	Index      int    `json:"index"`
	ToolCallID string `json:"toolCallId"`
}

// SentFile is the payload of [AttachmentAdd]: the agent sends people a file. The files of
// a call come one after the other, in the order of the call.
type SentFile struct {
	SHA256   string `json:"sha256"`
	Filename string `json:"filename"`
	MIMEType string `json:"mimeType"`
	Bytes    int64  `json:"bytes"`
	// Index counts the files of the call from 0, Of is how many there are. Index and
	// ToolCallID tell a file from its repetition.
	Index      int    `json:"index"`
	Of         int    `json:"of"`
	ToolCallID string `json:"toolCallId"`
	// Path is where the file lies: relative to the project, or absolute in the
	// session's scratch folder.
	Path string `json:"path,omitempty"`
}

// Subagent is the payload of [SubagentStart] and, with OK, of [SubagentEnd].
type Subagent struct {
	Persona          string `json:"persona"`
	ApprovalRef      string `json:"approvalRef"`
	ParentToolCallID string `json:"parentToolCallId"`
	OK               *bool  `json:"ok,omitempty"`
}
