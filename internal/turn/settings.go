package turn

import (
	"slices"
	"strings"
	"time"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/tool"
)

// settings are how an agent works.
type settings struct {
	persona  persona.Persona
	mode     string
	provider model.Provider
	prices   model.Prices
	model    string
	// tools are those that the agent is offered.
	tools *tool.Set

	// maxTurns bounds the model calls, maxTokens the output (0: the model's own maximum),
	// maxCostUSD the price (0: none).
	maxTurns   int
	maxTokens  int64
	maxCostUSD float64
	// stall ends the turn of a provider that sends nothing. NotesBytes caps the project's
	// notes, answerBytes an answer of the model.
	stall                   time.Duration
	notesBytes, answerBytes int64

	// asksNobody refuses each call that would have to be asked about. Unattended is how
	// long a question waits; 0 is no limit.
	asksNobody bool
	unattended time.Duration
	// Rules of calls that hold for every persona.
	allowed, denied, askBefore, outside []permit.Rule
	// toolLimits bound a tool call, admission the files that tools show to the model.
	toolLimits tool.Limits
	admission  attachment.Policy
	// approvedBy is who approved that the agent delegates.
	approvedBy string

	// warnings are what the person should know.
	warnings []event.Warning
}

// answeredBy is who answers in place of the model, or "".
func (s *settings) answeredBy() string {
	if s.provider.Name() == model.Scripted && s.model != model.Scripted {
		return model.Scripted
	}
	return ""
}

// warn adds a warning.
func (s *settings) warn(code, message string) {
	s.warnings = append(s.warnings, event.Warning{Code: code, Message: message})
}

// offer chooses the tools of an agent: those that were asked for, nil being all,
// without those that are disallowed. Names are understood in any case.
// It returns the names that no tool has.
func offer(all *tool.Set, requested, disallowed []string) (offered *tool.Set, missing []string) {
	named := func(list []string, name string) bool {
		return slices.ContainsFunc(list, func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), name) })
	}
	offered = all.Only(func(name string) bool {
		return (requested == nil || named(requested, name)) && !named(disallowed, name)
	})
	for _, r := range requested {
		if !named(all.Names(), strings.TrimSpace(r)) {
			missing = append(missing, r)
		}
	}
	slices.Sort(missing)
	return offered, slices.Compact(missing)
}
