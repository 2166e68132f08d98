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
	"time"
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
	// Pipeline says which work of a pipeline the session was made for.
	Pipeline *Pipeline `json:"pipeline,omitempty"`
	// ForkedFrom says where a session's conversation comes from that did not begin
	// in it.
	ForkedFrom *Origin `json:"forkedFrom,omitempty"`
	// ReadOnly is set on reading when the folder is a copy whose original still
	// exists; it is never stored.
	ReadOnly bool `json:"readOnly,omitempty"`
	// Damaged says, in lists, why the session cannot be used; it is never stored.
	Damaged string `json:"damaged,omitempty"`
}

// Pipeline is the label of a session that a pipeline started: one of a batch of sessions
// that do the same work, each on its own target. It is enough to start the session's first
// turn, also in another process.
type Pipeline struct {
	// Batch is the id that all sessions of a start have, and Of how many these are.
	Batch string `json:"batch"`
	Of    int    `json:"of"`
	// Category and Type are those of the pipeline (workspace 14.3).
	Category string `json:"category"`
	Type     string `json:"type"`
	// ScopeMode and KnowledgeType say how the target was chosen; Target is the deliverable's
	// key PKG::ID. All are empty for work on the whole project.
	ScopeMode     string `json:"scopeMode,omitempty"`
	KnowledgeType string `json:"knowledgeType,omitempty"`
	Target        string `json:"target,omitempty"`
	// Note is what the person added to the message.
	Note string `json:"note,omitempty"`
	// Options are those of the first turn, as JSON. AtOnce is how many sessions of the batch
	// work at the same time, and Digest identifies the request.
	Options json.RawMessage `json:"options,omitempty"`
	AtOnce  int             `json:"atOnce,omitempty"`
	Digest  string          `json:"digest,omitempty"`
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

// Destination is a place outside this machine to which a surface takes a turn's output:
// what people see there has left the machine.
type Destination struct {
	// Surface is the surface's name, such as "discord"; ID is the place's id on it, such as
	// that of a channel. Settings find the place by both.
	Surface string `json:"surface"`
	ID      string `json:"id"`
	// Parent is the id of the place that this one is in and whose settings it has where it
	// has none of its own, such as the channel of a thread; "" for none.
	Parent string `json:"parent,omitempty"`
	// Name is what people call the place, such as "Discord, #general".
	Name string `json:"name"`
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
