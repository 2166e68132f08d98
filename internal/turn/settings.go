package turn

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/tool"
)

// settings are a turn's options after every fallback chain (compatible
// contract, section 4).
type settings struct {
	rules      Rules
	persona    persona.Persona
	mode       string
	backend    Backend
	model      string
	tools      *tool.Set
	maxTurns   int
	maxTokens  int64
	maxCostUSD float64
	timeoutMS  int64
	onQuestion string
	governance persona.Decision
	warnings   []event.Warning
}

// answeredBy is who answers in place of the model, or "".
func (s *settings) answeredBy() string {
	if s.backend.Provider.Name() == model.Scripted && s.model != model.Scripted {
		return model.Scripted
	}
	return ""
}

// warn collects what the person should know about the options themselves.
func (s *settings) warn(o Opts, missing []string) {
	if surface := strings.ToLower(s.persona.Surface); surface != "" && surface != "both" && !strings.Contains(surface, "chat") {
		s.add("SURFACE", fmt.Sprintf("persona %s is not made for conversations: its INTERACTION_SURFACE is %s", s.persona.ID, s.persona.Surface))
	}
	for _, w := range s.persona.Warnings {
		s.add("PERSONA", w)
	}
	if len(o.Unknown) > 0 {
		s.add("UNKNOWN_OPTIONS", "these options are not known and were ignored: "+fault.List(o.Unknown))
	}
	if len(missing) > 0 {
		s.add("TOOLS_UNAVAILABLE", "these tools do not exist here: "+fault.List(missing))
	}
}

// offer chooses the tools of the turn: those that were asked for, nil being all,
// without those that the persona may not use. Names are understood in any case.
// It returns the names that no tool has.
func (s *settings) offer(all *tool.Set, requested []string) (missing []string) {
	named := func(list []string, name string) bool {
		return slices.ContainsFunc(list, func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), name) })
	}
	s.tools = all.Only(func(name string) bool {
		return (requested == nil || named(requested, name)) && !named(s.persona.DisallowedTools, name) && !named(s.rules.Withheld, name)
	})
	for _, r := range requested {
		if !named(all.Names(), strings.TrimSpace(r)) {
			missing = append(missing, r)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

func (s *settings) add(code, message string) {
	s.warnings = append(s.warnings, event.Warning{Code: code, Message: message})
}
