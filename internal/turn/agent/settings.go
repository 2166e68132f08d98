package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/nearest"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/tool"
)

// Settings are how an agent works.
type Settings struct {
	Persona  persona.Persona
	Mode     string
	Provider model.Provider
	Prices   model.Prices
	Model    string
	// Tools are those that the agent is offered.
	Tools *tool.Set

	// MaxTurns bounds the model calls, MaxTokens the output (0: the model's own maximum),
	// MaxCostUSD the price (0: none).
	MaxTurns   int
	MaxTokens  int64
	MaxCostUSD float64
	// Stall ends the turn of a provider that sends nothing. NotesBytes caps the notes of
	// the user and of the project each, AnswerBytes an answer of the model.
	Stall                   time.Duration
	NotesBytes, AnswerBytes int64
	// OwnNotes is the folder of the user's own notes, "" for none.
	OwnNotes string

	// AsksNobody refuses each call that would have to be asked about. Unattended is how
	// long a question waits; 0 is no limit.
	AsksNobody bool
	Unattended time.Duration
	// Rules of calls that hold for every persona.
	Allowed, Denied, AskBefore, Outside []permit.Rule
	// ToolLimits bound a tool call, Admission the files that tools show to the model.
	ToolLimits tool.Limits
	Admission  attachment.Policy
	// ApprovedBy is who approved that the agent delegates.
	ApprovedBy string

	// skills tells the model about skills, "" for none.
	skills string

	// Warnings are what the person should know.
	Warnings []event.Warning
}

// AnsweredBy is who answers in place of the model, or "".
func (s *Settings) AnsweredBy() string { return model.AnsweredBy(s.Provider.Name(), s.Model) }

// Warn adds a warning.
func (s *Settings) Warn(code, message string) {
	s.Warnings = append(s.Warnings, event.Warning{Code: code, Message: message})
}

// WarnOfModel adds the warning about the model, if there is one.
func (s *Settings) WarnOfModel() {
	if w := ModelWarning(s.Provider, s.Model); w != "" {
		s.Warn("UNKNOWN_MODEL", w)
	}
}

// ModelWarning says that nothing is known of a model and its limits are assumed; it is "" for a
// model that the provider knows. An unknown one is no error: it is likely newer than this
// program.
func ModelWarning(p model.Provider, name string) string {
	if !p.Limits(name).Assumed {
		return ""
	}
	return fmt.Sprintf("the model %q is not known here; its limits are assumed (models in the configuration sets them)", name)
}

// Disallow are the tools that a persona's disallowed_tools take away. An entry that cannot be
// read, matches no call, or is about no tool, is misspelt where it resembles one: it takes that
// tool away, and a warning says so. One about files takes away all that the rule could be about.
func (s *Settings) Disallow(all *tool.Set) []string {
	names := slices.Clone(s.Persona.DisallowedTools)
	for i, entry := range names {
		name, _, _ := strings.Cut(strings.TrimSpace(entry), "(")
		is := func(t string) bool { return tool.Names(name, t) }
		meant := ""
		if at := slices.IndexFunc(all.Names(), is); at < 0 {
			meant = nearest.Of(strings.ToLower(name), all.Names())
		} else if permit.CheckRule("permit.deny", entry) != nil {
			meant = all.Names()[at]
		}
		if meant == "" {
			continue
		}
		names[i] = meant
		without := "goes without the tool " + meant
		switch {
		case meant == "write":
			without = "changes no files" // a rule of write is about all tools
		case meant == "read" && strings.Contains(entry, "("):
			names, without = append(names, "read(**)"), "reads no files" // read alone would leave grep
		}
		s.Warn("DISALLOWED_TOOLS", fmt.Sprintf("disallowed_tools has %q, which cannot be followed: the agent %s", fault.Clip(entry), without))
	}
	s.Persona.DisallowedTools = names // the rules of the turn are read from it
	return names
}

// Offer chooses the tools of an agent: those that were asked for, nil being all,
// without those that are disallowed. Names are understood in any case; mcp.files.* stands
// for all tools whose names begin so. It returns the names that no tool has.
func Offer(all *tool.Set, requested, disallowed []string) (offered *tool.Set, missing []string) {
	named := func(list []string, name string) bool {
		return slices.ContainsFunc(list, func(n string) bool { return tool.Names(n, name) })
	}
	offered = all.Only(func(name string) bool {
		return (requested == nil || named(requested, name)) && !named(disallowed, name)
	})
	for _, r := range requested {
		if !slices.ContainsFunc(all.Names(), func(name string) bool { return tool.Names(r, name) }) {
			missing = append(missing, r)
		}
	}
	slices.Sort(missing)
	return offered, slices.Compact(missing)
}
