// Package turn is the one way in: every surface starts work through [Engine],
// and everything that then happens is an event in the session's log.
//
// [Local] runs turns in this process. The Go client implements the same
// interface over HTTP, so that a surface cannot tell where the work happens.
//
// Contract: turn API REQ-01 to REQ-13, the HTTP contract, and sections 1.3 to
// 1.8 of the compatible contract, whose order of checks is kept.
package turn

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/session"
)

// Engine is everything a surface can ask for. Errors are *fault.Error wherever
// the caller can do something about them.
type Engine interface {
	Turns
	Sessions
	Attachments
	Personas
	Rope
	KeptChanges
}

// Turns starts and stops work.
type Turns interface {
	// Start checks the request in the contract's order and, if nothing is
	// wrong, begins the turn. The returned stream is positioned before the
	// turn's first event. The turn's life is not ctx's: ctx bounds the checks
	// and, for a queued turn, the wait.
	Start(ctx context.Context, r Request) (Stream, error)
	// Interrupt asks a session's running turn to stop: that turn and no later
	// one, or, where turnID is "", whichever runs. It returns SESSION_NOT_FOUND
	// when there is none such, as the compatible contract says.
	Interrupt(ctx context.Context, sessionID, turnID string) error
	Boot(ctx context.Context, r BootRequest) (BootResult, error)
	// Events streams the session's log after a sequence. With a turn id the
	// stream ends after that turn's process:exit.
	Events(ctx context.Context, sessionID string, after int64, turnID string) (Stream, error)
}

// Sessions manages records.
type Sessions interface {
	Create(ctx context.Context, r CreateRequest) (session.Record, error)
	List(ctx context.Context, projectRoot string) ([]session.Record, error)
	// ListPage is List of a part of the sessions, also by their last use.
	ListPage(ctx context.Context, projectRoot string, o session.ListOptions) (session.Page, error)
	Get(ctx context.Context, sessionID string) (session.Record, error)
	// Find returns the sessions whose id begins with prefix, by id, 20 at most.
	Find(ctx context.Context, prefix string) ([]session.Record, error)
	Delete(ctx context.Context, sessionID string) error
	Transcript(ctx context.Context, sessionID string) ([]session.Entry, error)
	// Manifest returns the manifest of a turn, of the last one for "".
	Manifest(ctx context.Context, sessionID, turnID string) (session.Manifest, error)
	// Usage sums up the turns of every session that ended since then, by day,
	// project and model, in that order.
	Usage(ctx context.Context, since time.Time) ([]UsageRow, error)
}

// Attachments takes files in and says what would become of them.
type Attachments interface {
	Upload(ctx context.Context, u Upload) (Uploaded, error)
	Inspect(ctx context.Context, r InspectRequest) ([]Inspection, error)
	// Blob opens the bytes of an attachment of that session; the caller closes.
	Blob(ctx context.Context, sessionID, sha256 string) (io.ReadCloser, attachment.Item, error)
}

// Personas lists whom a turn can be sent to, and what it can be given.
type Personas interface {
	Personas(ctx context.Context) ([]persona.Summary, error)
	Persona(ctx context.Context, name string) (persona.Persona, error)
	// Tools are the names of the tools that turns can be given; none where a server
	// does not say.
	Tools(ctx context.Context) ([]string, error)
}

// Rope is how people hold on to a turn that acts.
type Rope interface {
	// Steer says something into a session's running turn, wherever it runs: at
	// its next tool boundary or, as a follow-up, when the model has answered. It
	// returns NO_TURN_IN_PROGRESS when no turn will take it.
	Steer(ctx context.Context, r SteerRequest) error
	// Decisions are the calls that wait for a person, of one session or, for "",
	// of all, oldest first.
	Decisions(ctx context.Context, sessionID string) ([]permit.Request, error)
	// Decide answers one of them. A question that is not open any more is
	// DECISION_CLOSED. The caller has the operator's authority.
	Decide(ctx context.Context, r DecisionRequest) (permit.Decision, error)
	// Changes are the file changes of a session's turns, of one or, for "", of
	// all, in their order, as diffs.
	Changes(ctx context.Context, sessionID, turnID string) ([]ChangeSet, error)
	// Undo takes a turn's file changes back, all of them or none. A file that is
	// not as the turn left it is CONTENT_CHANGED, a session in which a turn runs
	// TURN_IN_PROGRESS. The caller has the operator's authority.
	Undo(ctx context.Context, r UndoRequest) (UndoResult, error)
	// Fork makes a new session that begins as another one did, up to the end of
	// one of its turns. The other stays as it is.
	Fork(ctx context.Context, r ForkRequest) (session.Record, error)
}

// DecisionRequest is a person's answer. No SessionID stands for whichever session
// asked.
type DecisionRequest struct {
	SessionID  string         `json:"sessionId"`
	DecisionID string         `json:"decisionId"`
	Verdict    permit.Verdict `json:"verdict"`
	// By is who says so, Note what the model is told with it.
	By   string `json:"by,omitempty"`
	Note string `json:"note,omitempty"`
	// Only are, of the files that a command changed, those that count; folders stand
	// for all that is in them.
	Only []string `json:"only,omitempty"`
}

// Stream reads a session's log. One goroutine at a time calls Next. Close may be
// called by any goroutine at any moment, and more than once.
type Stream interface {
	// Turn is the id of the turn that Start began or replayed, or "".
	Turn() string
	// Next blocks until there are events, ctx is done, or the stream is over
	// (io.EOF, after process:exit). It returns as many as are ready.
	Next(ctx context.Context) ([]event.Event, error)
	// Close releases the reader; it never affects the turn. It ends a Next that
	// waits: that one and every later one return [session.ErrReaderClosed], or
	// io.EOF if the stream was over.
	Close() error
}

// Request is one turn.
type Request struct {
	SessionID   string
	Message     string
	Attachments []string
	Opts        Opts
	// IdempotencyKey and BodyDigest identify a repeated request; both empty
	// when the caller gave no key.
	IdempotencyKey string
	BodyDigest     string
	// Allow are rules of calls that need no question in this turn, given by the
	// operator's own command line; no request from outside sets them.
	Allow []string
	// Deny are rules of calls that are refused in this turn, whatever else allows
	// them.
	Deny []string
	// Agent answers instead of a persona, Items are attachments that were accepted
	// before and lie in the project's blobs. A workflow sets both, in its process;
	// no request from outside does.
	Agent *Agent
	Items []attachment.Item
}

// Agent is whom a workflow gives a turn to.
type Agent struct {
	// Name is the agent's in its workflow. Records have it with
	// [persona.InlinePrefix] in front.
	Name string
	// Instructions are the system prompt.
	Instructions string
	// From names the file that says so, for the records of what was sent.
	From string
	// Provider is the one that answers, "" that of all turns.
	Provider string
}

// SteerRequest is what a person says into a running turn.
type SteerRequest struct {
	SessionID   string            `json:"sessionId"`
	Message     string            `json:"message"`
	Attachments []string          `json:"attachments,omitempty"`
	Mode        session.InputMode `json:"mode"`
}

// Opts are the options of a turn or boot (compatible contract, section 4, and
// http.md). Nil means: use the fallback chain.
type Opts struct {
	Persona            string          `json:"persona,omitempty"`
	Mode               string          `json:"mode,omitempty"`
	Model              string          `json:"model,omitempty"`
	Tools              *[]string       `json:"tools,omitempty"`
	MaxTurns           *int            `json:"maxTurns,omitempty"`
	MaxTokens          *int64          `json:"maxTokens,omitempty"`
	MaxCostUSD         *float64        `json:"maxCostUsd,omitempty"`
	TimeoutMS          *int64          `json:"timeoutMs,omitempty"`
	OnDisconnect       string          `json:"onDisconnect,omitempty"`
	OnBusy             string          `json:"onBusy,omitempty"`
	OnQuestion         string          `json:"onQuestion,omitempty"`
	SubagentGovernance json.RawMessage `json:"subagentGovernance,omitempty"`
	// Unknown are the keys that no option has, sorted; they cause one warning.
	Unknown []string `json:"-"`
}

// CreateRequest makes a session.
type CreateRequest struct {
	ProjectRoot string `json:"projectRoot"`
	Persona     string `json:"persona,omitempty"`
	Mode        string `json:"mode,omitempty"`
	// Title is what lists call the session; no request from outside sets it.
	Title string `json:"-"`
}

// BootRequest runs the provider's bootstrap step for a session.
type BootRequest struct {
	SessionID string `json:"sessionId"`
	Opts      Opts   `json:"opts"`
	// Probe asks a network provider for one real call.
	Probe bool `json:"probe,omitempty"`
}

// BootResult is the answer to a boot.
type BootResult struct {
	Session session.Record `json:"session"`
	Boot    Boot           `json:"boot"`
}

// Boot is what a boot recorded.
type Boot struct {
	ClaudeSessionID string       `json:"claudeSessionId"`
	BootFingerprint string       `json:"bootFingerprint"`
	BootedAt        session.Time `json:"bootedAt"`
}

// Upload is a file on its way in. Exactly one of SessionID and ProjectRoot is
// set. Name is for display only.
type Upload struct {
	SessionID   string
	ProjectRoot string
	Name        string
	Content     io.Reader
}

// Uploaded says where an upload lies; Path is what a turn takes.
type Uploaded struct {
	Path     string `json:"path"`
	SHA256   string `json:"sha256"`
	MIMEType string `json:"mimeType"`
	Bytes    int64  `json:"bytes"`
	Name     string `json:"name"`
}

// InspectRequest is a dry run of a turn's attachments: in a session, or in a new one
// of a project.
type InspectRequest struct {
	Attachments []string `json:"attachments"`
	Model       string   `json:"model,omitempty"`
	SessionID   string   `json:"sessionId,omitempty"`
	ProjectRoot string   `json:"projectRoot,omitempty"`
}

// Inspection is the verdict on one attachment.
type Inspection struct {
	Path string `json:"path"`
	// OK says whether a turn would accept it; otherwise Code and Reason say why
	// not.
	OK     bool            `json:"ok"`
	Code   attachment.Code `json:"code,omitempty"`
	Reason string          `json:"reason,omitempty"`

	SHA256      string          `json:"sha256,omitempty"`
	Kind        attachment.Kind `json:"kind,omitempty"`
	MIMEType    string          `json:"mimeType,omitempty"`
	Bytes       int64           `json:"bytes,omitempty"`
	Base64Bytes int64           `json:"base64Bytes,omitempty"`
	Tokens      int64           `json:"estimatedTokens,omitempty"`
	Width       int             `json:"width,omitempty"`
	Height      int             `json:"height,omitempty"`
	Pages       int             `json:"pages,omitempty"`
	// Used says how the model would get it, Note why it differs from the file.
	Used string `json:"used,omitempty"`
	Note string `json:"note,omitempty"`
}
