package turn

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

// services are what the agents of all turns work with.
type services struct {
	logger *slog.Logger
	clock  func() time.Time
	// filePlanner plans how a model gets a file.
	filePlanner *attachment.Planner
	questions   questions
	// audit records what was refused; hooks have their say before a call. Both may be nil.
	audit *permit.Audit
	hooks *permit.Hooks
	// redact takes secrets out of what calls tell; nil leaves them.
	redact *redact.Redactor
	// links keeps the addresses of files that people sent; nil keeps none.
	links Links
	// publish lists what may be sent to a destination without a question; nil lists none.
	publish func(session.Destination) []string

	// scope says which files of a project a persona may change. Gate and journal keep
	// changes of files apart and whole; fileRecovery settles those that a dead process
	// left half done.
	scope        ScopeOf
	gate         tool.Gate
	journal      *journal.Store
	fileRecovery *changes.Files
	// projectsIn are the known projects below a folder.
	projectsIn func(folder string) []string
	// scratchDir holds a folder for each session whose tools need one.
	scratchDir string
	// searchPath and readPaths are those of [tool.Environment].
	searchPath string
	readPaths  []string
}

// ScopeOf says which project files a persona may change.
type ScopeOf func(projectRoot string, p persona.Persona) tool.Scope

// shownInput is the most bytes of a call's input that an event carries.
const shownInput = 16 << 10

// show is a call's input for readers: without secrets, and not too long.
func (s *services) show(input json.RawMessage) json.RawMessage {
	if s.redact != nil {
		if clean, ok := s.redact.Value(input).(json.RawMessage); ok {
			input = clean
		}
	}
	if len(input) <= shownInput {
		return input
	}
	return plainjson.MustMarshal(map[string]any{"omitted": "the input is too long to show here", "bytes": len(input), "begins": conversation.CutText(string(input), 1024)})
}

// clean takes secrets out of a text.
func (s *services) clean(text string) string {
	if s.redact == nil {
		return text
	}
	return s.redact.String(text)
}
