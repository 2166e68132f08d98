// Package config turns five layers of settings into one checked [Config].
//
// The layers, weakest first: built-in defaults, the project's belay.yaml, the
// user's config.yaml, environment variables, flags. A project file is written by
// whoever wrote the project, so it is not trusted: it may suggest the model that
// is used when nobody names one, and it may make a limit stricter, which then
// holds over every other layer; it can neither raise a limit nor name a command,
// host, folder or key.
//
// [Load] takes everything from its [Options], reads at most two files, and
// reports every problem at once with file, line and column. Every setting is one
// row of one table, from which the loader, [Config.Show], the JSON Schema and
// the reference page are all made. Nothing here reads the environment of the
// process, and nothing below the composition root imports this package: the
// other packages get plain values.
//
// API keys are not settings. They come from the environment alone and are kept
// as [Secret], which does not print.
package config

import "time"

// Config is every setting, checked. Sizes are bytes, costs are US dollars. It is
// not changed after [Load].
type Config struct {
	// Addr is where serve listens, host:port.
	Addr string
	// Provider is "scripted", "anthropic" or "openai".
	Provider string
	// Project is the project folder of commands that take one; "" means the
	// working directory.
	Project string
	// Instructions is the instruction root; "" means the embedded set.
	Instructions string
	// SessionRoot moves session folders out of the projects; "" keeps them.
	SessionRoot string
	// Model is the model of turns that name none; "" leaves it to the
	// instruction root's AGENTS.md and then to DefaultModel, the last tier,
	// which is never blank and which a project may suggest.
	Model        string
	DefaultModel string
	// Effort is how hard models think, in the word of their service; "" leaves it to
	// them.
	Effort string
	// TokenFile holds the access token, required off loopback.
	TokenFile string
	// TrustLoopback lets every user of the machine in on a loopback address.
	TrustLoopback bool

	Server      Server
	Turn        Turn
	Retry       Retry
	Scripted    Scripted
	Anthropic   Anthropic
	OpenAI      OpenAI
	Network     Network
	Attachments Attachments
	Log         Log
	Blobs       Blobs
	Bus         Bus
	Discord     Discord
	Workspace   Workspace
	Subagents   Subagents
	Permit      Permit
	Snapshot    Snapshot
	Telemetry   Telemetry
	Workflow    Workflow
	Tools       Tools
	Bash        Bash
	// Hooks are commands that have a say in tool calls, by name.
	Hooks map[string]Hook
	// MCP are servers whose tools turns are offered, by name.
	MCP map[string]MCPServer

	// Prices are per model; models that are not named have the built-in price
	// or none.
	Prices map[string]Price
	// Models overrides what is known about a model.
	Models map[string]Model

	// Paths are the folders that belay uses outside of projects.
	Paths Paths
	// Keys are the providers' API keys.
	Keys Keys
	// Warnings are sentences about settings that were accepted but had no
	// effect, for the log and for doctor.
	Warnings []string

	rows   []Row
	layers *layers
}

// Server bounds the HTTP server.
type Server struct {
	// AllowedHosts are names that the Host header may have beside loopback
	// names and the listening address.
	AllowedHosts []string
	// ProjectRoots are the folders in or below which requests may name a
	// project; empty leaves it to the address.
	ProjectRoots []string
	// MaxTurnsInFlight is how many turns run at once before OVERLOADED.
	MaxTurnsInFlight int
	// ShutdownGrace is how long running turns may take to end.
	ShutdownGrace time.Duration
}

// Telemetry is for those who run a server.
type Telemetry struct {
	// Traces sends traces to the collector that the OTEL_* variables name.
	Traces bool
	// LogFormat is "text" or "json", LogLevel the name of a level of log/slog, for the
	// lines on stderr.
	LogFormat, LogLevel string
}

// Turn bounds one turn.
type Turn struct {
	// StallTimeout ends a turn whose provider sends nothing; WallLimit any turn.
	StallTimeout time.Duration
	WallLimit    time.Duration
	// MaxTurns bounds the model calls; MaxTokens the output and MaxCostUSD the
	// cost, where 0 is no limit of ours.
	MaxTurns   int
	MaxTokens  int64
	MaxCostUSD float64
	// InstructionsBytes caps the AGENTS.md of the user and of the project, each.
	InstructionsBytes int64
}

// Retry is the policy for calls that fail before any content.
type Retry struct {
	Attempts int
	Max      time.Duration
}

// Scripted is the embedded provider.
type Scripted struct {
	Pace   time.Duration
	Script string
}

// Anthropic is the Anthropic provider.
type Anthropic struct {
	BaseURL   string
	Version   string
	MaxTokens int64
}

// OpenAI is the provider for OpenAI and servers with its protocol.
type OpenAI struct {
	BaseURL string
	// Model stands in for a DefaultModel of another provider's.
	Model string
	// ContextTokens is the context of models on other servers than OpenAI's,
	// ImageModels are those of them that take images.
	ContextTokens int64
	ImageModels   []string
	MaxTokens     int64
}

// Network says which hosts a configured URL may name, and how providers are reached.
type Network struct {
	AllowedHosts []string
	// Proxy is an http or https URL, "" for none.
	Proxy string
}

// Log is the event log of a session.
type Log struct {
	SegmentBytes int64
	// Retention is the age at which gc removes log segments; 0 keeps them.
	Retention time.Duration
}

// Blobs are stored attachments.
type Blobs struct {
	// Retention is the age at which gc removes unreferenced blobs; 0 keeps them.
	Retention time.Duration
}

// BusMode says when serve runs the event bus.
type BusMode string

// The modes of the bus.
const (
	BusOff  BusMode = "off"
	BusAuto BusMode = "auto"
	BusOn   BusMode = "on"
)

// Bus is the embedded NATS server.
type Bus struct {
	// Enabled is auto unless somebody says otherwise; see [Config.RunsBus].
	Enabled BusMode
}

// RunsBus reports whether serve runs the bus. Without a reader each event would be
// written twice for nobody, so auto runs it only for one: Discord.
func (c *Config) RunsBus() bool {
	return c.Bus.Enabled == BusOn || c.Bus.Enabled == BusAuto && c.Keys.Discord.Set()
}

// Workspace bounds what is looked at of a project.
type Workspace struct {
	// OpenTransitions lets callers without a token make transitions to CHECKING and
	// ISSUED on loopback.
	OpenTransitions bool
	// RequireIfMatch refuses to write a register over HTTP without If-Match.
	RequireIfMatch bool
}

// Subagents is delegation.
type Subagents struct {
	Enabled bool
}

// Price is US dollars per million tokens; what is nil is as belay knows it.
type Price struct {
	Input      *float64 `json:"input,omitempty"`
	Output     *float64 `json:"output,omitempty"`
	CacheRead  *float64 `json:"cache_read,omitempty"`
	CacheWrite *float64 `json:"cache_write,omitempty"`
}

// Model overrides limits of a model; 0 keeps what is known.
type Model struct {
	ContextTokens int64 `json:"context_tokens,omitempty"`
	OutputTokens  int64 `json:"output_tokens,omitempty"`
}

// Paths are folders and files outside of projects, absolute.
type Paths struct {
	// ConfigFile is the user's config file that was looked for.
	ConfigFile string
	// ConfigDir is the user's own folder for it, whatever file was named; "" where
	// the system has none.
	ConfigDir string
	StateDir  string
	CacheDir  string
}

// Keys are API keys from the environment.
type Keys struct {
	Anthropic Secret
	OpenAI    Secret
	// Discord is the token of a bot.
	Discord Secret
	// All are those of every variable that can hold one, also where another is used.
	// Nothing that is written shows them.
	All []Secret
	// Certain are those of All that can be nothing else. The others may be what a setting
	// has, too: the name of a model, or the address of a proxy.
	Certain []Secret
}
