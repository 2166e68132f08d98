package turn

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"

	"belay/internal/attachment"
	"belay/internal/journal"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/redact"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/agent"
)

// Options are the parts that a [Local] stands on and the limits it keeps.
// Every pointer is required unless it says otherwise.
type Options struct {
	Store    *session.Store
	Root     *persona.Root
	Provider model.Provider
	Planner  *attachment.Planner
	Prices   model.Prices
	// Others gives further providers by their names, to agents that name one; nil is
	// none.
	Others func(name string) (Backend, error)
	Logger *slog.Logger
	// Tracer begins the traces of turns that belong to no other; nil traces nothing.
	Tracer trace.Tracer
	// Clock gives the time of records; NewID makes turn ids.
	Clock func() time.Time
	NewID func() string

	// Rules hold for every turn; RulesFor, when set, gives those of a project,
	// which may have tightened them. It is asked at the start of each turn.
	Rules    Rules
	RulesFor func(projectRoot string) (Rules, error)
	// ScratchDir holds the files of a dry run while it lasts, and a folder for
	// each session whose tools need one.
	ScratchDir string
	// OwnSkills is the person's own folder for settings, in whose folder skills their skills
	// lie; "" has none.
	OwnSkills string
	// SearchPath is the PATH of the person ([tool.Environment.Path]), and GitConfigs are the
	// files with their configuration of git.
	SearchPath string
	GitConfigs []string
	// ReadPaths are toolchains that commands may read ([tool.Environment.ReadPaths]).
	ReadPaths []string

	// Tools are what turns can offer; nil is none. Scope says which files of a
	// project a persona may change, and is required with Tools.
	Tools *tool.Set
	Scope agent.ScopeOf
	// MoreTools are tools of programs outside, which come and go; nil is none.
	MoreTools ToolSource
	// Private are belay's own folders, in which no project may be.
	Private []string
	// Requests takes the questions about calls that a person must allow; nil refuses
	// such calls. Audit records what was refused; Hooks have their say before a
	// call. Both may be nil.
	Requests PermissionRequests
	Audit    *permit.Audit
	Hooks    *permit.Hooks
	// Gate keeps what file tools and undo change apart from what commands change in
	// the same project; nil is an open one. Journal keeps these changes from being
	// half done.
	Gate    tool.Gate
	Journal *journal.Store
	// Links keeps the addresses of files that people sent; nil keeps none.
	Links Links
	// AddedRules are allow rules that a person adds while turns run, nil for none.
	AddedRules *permit.AddedRules
	// Publish lists patterns of files that may be sent to a destination without a question
	// ([permit.Policy.Publish]); nil lists none.
	Publish func(session.Destination) []string
	// Redact takes secrets out of what calls tell, readers and the model alike; nil
	// leaves them.
	Redact *redact.Redactor

	// GlobalModel is the model tier between opts and AGENTS.md.
	GlobalModel string
	// OwnNotes is the folder with the user's own AGENTS.md, which every agent reads
	// before that of the project; "" is none.
	OwnNotes string
}

// ToolSource has tools that come and go, such as those of MCP servers.
type ToolSource interface {
	// With returns a set with the source's tools after its own, within some seconds: those
	// that requested may name, or all where it is nil. Problems are sentences about tools
	// that are missing.
	With(ctx context.Context, base *tool.Set, requested []string) (set *tool.Set, problems []string)
	// Await waits, for a minute or so at most, until it is known whether the source has the
	// tool of a name.
	Await(ctx context.Context, name string)
	// Names are patterns of the names that there may be, such as mcp.files.*.
	Names() []string
}

// Rules are what a project may make stricter.
type Rules struct {
	// Policy admits a turn's attachments. With ConfineAttachments its roots are
	// the session's project; otherwise Policy.Roots stands.
	Policy             attachment.Policy
	ConfineAttachments bool
	// UploadBytes caps one upload.
	UploadBytes int64
	// DefaultModel is the last tier of the model chain.
	DefaultModel string
	// SubagentsEnabled is the environment gate's raw value (workspace 9.7).
	SubagentsEnabled string
	Limits           Limits
	// Tools bound a tool call. Allowed and Denied are the rules that hold for
	// every persona; a project can only add to Denied.
	Tools           tool.Limits
	Allowed, Denied []permit.Rule
	// AskBefore are rules of commands that are asked about before they run.
	AskBefore []permit.Rule
	// Outside are rules of commands that may run outside the sandbox.
	Outside []permit.Rule
	// Withheld are tools that no turn is offered.
	Withheld []string
}

// Limits bound a turn. Each is a configuration key of the same meaning; zero
// means no limit only where it says so.
type Limits struct {
	// Stall ends a turn whose provider sends no bytes; Wall ends any turn, and does
	// not count the time in which a question waits.
	Stall, Wall time.Duration
	// MaxTurns is how many model calls a turn may make for which neither its
	// options nor its persona say it: a default, which both may exceed. MaxTokens
	// bounds its output (0: the model's own maximum), MaxCostUSD its price (0:
	// none).
	MaxTurns   int
	MaxTokens  int64
	MaxCostUSD float64
	// MessageBytes caps the user's words, NotesBytes an AGENTS.md,
	// AnswerBytes what one model call may send.
	MessageBytes, NotesBytes, AnswerBytes int64
	// QueueLength and QueueWait bound the line behind a busy session.
	QueueLength int
	QueueWait   time.Duration
	// Unattended is how long a question waits in a turn that does not say that
	// somebody attends it ([OnQuestionWait]); 0 is no limit.
	Unattended time.Duration
	// IdempotencyTTL is how long a key is remembered.
	IdempotencyTTL time.Duration
	// InFlight bounds the turns that run at once in this process; those that
	// wait in line or for a person do not count.
	InFlight int
	// DeltaInterval and DeltaBytes bound how often text becomes an event.
	DeltaInterval time.Duration
	DeltaBytes    int
}

// withDefaults fills in what may be left out.
func (o Options) withDefaults() Options {
	if o.Tools == nil {
		o.Tools = tool.NoTools()
	}
	if o.Gate == nil {
		o.Gate = tool.Open{}
	}
	return o
}
