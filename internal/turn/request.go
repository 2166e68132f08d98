package turn

import (
	"bytes"
	"encoding/json"
	"io"

	"belay/internal/attachment"
	"belay/internal/attachment/block"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn/agent"
)

// DecisionRequest is a person's answer. No SessionID stands for whichever session
// asked.
type DecisionRequest struct {
	SessionID  string         `json:"sessionId"`
	DecisionID string         `json:"decisionId"`
	Verdict    permit.Verdict `json:"verdict"`
	// By is who says so, Note what the model gets with it.
	By   string `json:"by,omitempty"`
	Note string `json:"note,omitempty"`
	// Only are, of the files that a command changed, those that count; folders stand
	// for all that is in them.
	Only []string `json:"only,omitempty"`
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
	// KeepsPlace is set where a turn that waits in line stays there when ctx ends: its
	// caller has a key and may come back for it.
	KeepsPlace bool
	// Allow are rules of calls that need no question in this turn, given by the
	// operator's own command line; no request from outside sets them.
	Allow []string
	// Deny are rules of calls that are refused in this turn, whatever else allows
	// them.
	Deny []string
	// Agent answers instead of a persona, Items are attachments that were accepted
	// before and are in the project's blobs. A workflow sets both, in its process;
	// no request from outside does.
	Agent *Agent
	Items []attachment.Item
	// Links are files that came with the message. Surfaces that receive files from people
	// set them, with whole addresses; no request over HTTP does.
	Links []block.Item
	// Destination is where the turn's output goes, nil for surfaces on this machine. A
	// surface that takes it elsewhere sets it: files are then sent only as
	// [permit.Publish] allows. No request over HTTP does.
	Destination *session.Destination
}

// provider is the name of the one that a turn asks for.
func (r *Request) provider() string {
	if r.Agent == nil {
		return ""
	}
	return r.Agent.Provider
}

// direct is the call that the request makes, nil where it asks a model.
func (r *Request) direct() *agent.Direct {
	if r.Agent == nil {
		return nil
	}
	return r.Agent.Direct
}

// approvesDelegation reports whether the request says anything of the approval of delegation.
func (r *Request) approvesDelegation() bool {
	said := bytes.TrimSpace(r.Opts.SubagentGovernance)
	return len(said) > 0 && string(said) != "null"
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
	// Direct makes one tool call in place of asking a model.
	Direct *agent.Direct
	// Alone has the agent see nothing of the session's earlier turns, but for those from
	// the turn Since on: the sessions of a run hold the turns of many tasks.
	Alone bool
	Since string
}

// SteerRequest is what a person says into a running turn.
type SteerRequest struct {
	SessionID   string            `json:"sessionId"`
	Message     string            `json:"message"`
	Attachments []string          `json:"attachments,omitempty"`
	Mode        session.InputMode `json:"mode"`
	// Key identifies a repeated input: what was said into a turn of the session under
	// that key is not said again. Over HTTP it is a header. Another BodyDigest under it is a
	// conflict, unless one of the two is "".
	Key        string `json:"-"`
	BodyDigest string `json:"-"`
	// Links are as in [Request].
	Links []block.Item `json:"-"`
	// Merge is as in [session.Input].
	Merge block.Policy `json:"-"`
}

// Opts are the options of a turn or boot (compatible contract, section 4, and
// http.md). Nil means: use the fallback chain.
type Opts struct {
	Persona      string    `json:"persona,omitempty"`
	Mode         string    `json:"mode,omitempty"`
	Model        string    `json:"model,omitempty"`
	Tools        *[]string `json:"tools,omitempty"`
	MaxTurns     *int      `json:"maxTurns,omitempty"`
	MaxTokens    *int64    `json:"maxTokens,omitempty"`
	MaxCostUSD   *float64  `json:"maxCostUsd,omitempty"`
	TimeoutMS    *int64    `json:"timeoutMs,omitempty"`
	OnDisconnect string    `json:"onDisconnect,omitempty"`
	OnBusy       string    `json:"onBusy,omitempty"`
	OnQuestion   string    `json:"onQuestion,omitempty"`
	// Compact has the turn summarise the conversation so far. Later requests begin with
	// the summary in place of the turns, which stay in the transcript. The message says
	// what the summary must keep.
	Compact            bool            `json:"compact,omitempty"`
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
	// Model is asked in turns whose options name none, and Pipeline is the label of a
	// pipeline's session. No request from outside sets them.
	Model    string            `json:"-"`
	Pipeline *session.Pipeline `json:"-"`
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

// Uploaded says where an upload is; Path is what a turn takes.
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
