package agent

import (
	"encoding/json"
	"log/slog"
	"time"

	"belay/internal/attachment"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/plainjson"
	"belay/internal/redact"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/changes"
	"belay/internal/turn/conversation"
)

// Services are what the agents of all turns work with.
type Services struct {
	Logger *slog.Logger
	Clock  func() time.Time
	// FilePlanner plans how a model gets a file.
	FilePlanner *attachment.Planner
	Questions   Questions
	// Audit records what was refused; Hooks have their say before a call. Both may be nil.
	Audit *permit.Audit
	Hooks *permit.Hooks
	// AddedRules are allow rules that a person adds while turns run, nil for none.
	AddedRules *permit.AddedRules
	// Redact takes secrets out of what calls tell; nil leaves them.
	Redact *redact.Redactor
	// Publish lists what may be sent to a destination without a question; nil lists none.
	Publish func(session.Destination) []string

	// Scope says which files of a project a persona may change. Gate and Journal keep
	// changes of files apart and whole; FileRecovery settles those that a dead process
	// left half done.
	Scope        ScopeOf
	Gate         tool.Gate
	Journal      *journal.Store
	FileRecovery *changes.Files
	// ProjectsIn are the known projects below a folder.
	ProjectsIn func(folder string) []string
	// ScratchDir holds a folder for each session whose tools need one.
	ScratchDir string
	// OwnSkills is the person's own folder for settings, which may have skills; "" has none.
	OwnSkills string
	// SearchPath, GitConfigs and ReadPaths are those of [tool.Environment].
	SearchPath            string
	GitConfigs, ReadPaths []string
}

// ScopeOf says which project files a persona may change.
type ScopeOf func(projectRoot string, p persona.Persona) tool.Scope

// shownInput is the most bytes of a call's input that an event carries.
const shownInput = 16 << 10

// show is a call's input for readers: without secrets, and not too long.
func (s *Services) show(input json.RawMessage) json.RawMessage {
	if s.Redact != nil {
		if clean, ok := s.Redact.Value(input).(json.RawMessage); ok {
			input = clean
		}
	}
	if len(input) <= shownInput {
		return input
	}
	return plainjson.MustMarshal(map[string]any{"omitted": "the input is too long to show here", "bytes": len(input), "begins": conversation.CutText(string(input), 1024)})
}

// WithoutKeys takes the keys that belay knows out of what a person or a model wrote.
func (s *Services) WithoutKeys(text string) string { return s.Redact.Known(text) }

// Clean takes secrets out of a text.
func (s *Services) Clean(text string) string {
	if s.Redact == nil {
		return text
	}
	return s.Redact.String(text)
}
