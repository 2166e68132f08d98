package turn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
)

// OnDisconnect values of [Opts].
const (
	onDisconnectContinue  = "continue"
	onDisconnectInterrupt = "interrupt"
)

// maxTimeoutMS is a year: anyone who wants no limit leaves the option out.
const maxTimeoutMS = 365 * 24 * int64(time.Hour/time.Millisecond)

// InterruptOnDisconnect reports whether the caller wants the turn to end with
// its own connection.
func (o Opts) InterruptOnDisconnect() bool { return o.OnDisconnect == onDisconnectInterrupt }

// Validate reports every option that is out of range, in one INVALID_REQUEST.
func (o Opts) Validate() error {
	var bad []fault.Problem
	check := func(ok bool, field, rule string) {
		if !ok {
			bad = append(bad, fault.Problem{Field: "opts." + field, Message: rule})
		}
	}
	// Mode and model go on record.
	check(session.GoodName(o.Mode), "mode", session.NameRule)
	check(session.GoodName(o.Model), "model", session.NameRule)
	check(o.MaxTurns == nil || *o.MaxTurns > 0, "maxTurns", "must be a positive integer")
	check(o.MaxTokens == nil || *o.MaxTokens > 0, "maxTokens", "must be a positive integer")
	check(o.MaxCostUSD == nil || *o.MaxCostUSD > 0 && !math.IsInf(*o.MaxCostUSD, 1), "maxCostUsd", "must be a positive number")
	check(o.TimeoutMS == nil || *o.TimeoutMS > 0 && *o.TimeoutMS <= maxTimeoutMS,
		"timeoutMs", fmt.Sprintf("must be an integer from 1 to %d", maxTimeoutMS))
	check(o.OnBusy == "" || o.OnBusy == onBusyReject || o.OnBusy == onBusyQueue,
		"onBusy", `must be "reject" or "queue"`)
	check(o.OnDisconnect == "" || o.OnDisconnect == onDisconnectContinue || o.OnDisconnect == onDisconnectInterrupt,
		"onDisconnect", `must be "continue" or "interrupt"`)
	check(o.OnQuestion == "" || o.OnQuestion == OnQuestionWait || o.OnQuestion == OnQuestionRefuse,
		"onQuestion", `must be "wait" or "refuse"`)
	return fault.Invalid(bad)
}

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

// resolve applies the fallback chains: what the caller said, then the session
// or persona, then configuration.
func (l *Local) resolve(rec session.Record, r Request) (settings, error) {
	o := r.Opts
	s := settings{mode: first(o.Mode, rec.Mode), onQuestion: o.OnQuestion}
	var err error
	if s.rules, err = l.rules(rec.ProjectRoot); err != nil {
		return s, err
	}
	if s.persona, err = l.persona(rec, r); err != nil {
		return s, err
	}
	if s.backend, err = l.backendOf(&r); err != nil {
		return s, err
	}
	if s.model, err = l.modelOf(s.backend, o.Model, s.rules); err != nil {
		return s, err
	}
	s.maxTurns = s.rules.Limits.MaxTurns
	if s.persona.MaxTurns > 0 {
		s.maxTurns = s.persona.MaxTurns
	}
	if o.MaxTurns != nil {
		s.maxTurns = *o.MaxTurns
	}
	s.maxTokens = tightest(s.rules.Limits.MaxTokens, o.MaxTokens)
	if r.direct() == nil {
		s.maxCostUSD = tightest(s.rules.Limits.MaxCostUSD, o.MaxCostUSD)
	}
	if o.TimeoutMS != nil {
		s.timeoutMS = *o.TimeoutMS
	}
	if s.maxCostUSD > 0 {
		if _, ok := s.backend.Prices.Cost(s.model, model.Usage{}); !ok {
			return s, fault.New(fault.InvalidRequest, "opts.maxCostUsd: model %q has no price with the provider %s, so its cost cannot be bounded", s.model, s.backend.Provider.Name()).
				With("field", "opts.maxCostUsd").
				WithHint("set a price for the model under prices, or leave the cost budget out")
		}
	}
	missing := s.offer(l.o.Tools, l.requestedTools(s.persona, o))
	s.warn(o, missing)
	if w := modeWarning(s.mode); w != "" {
		s.add("UNKNOWN_MODE", w)
	}
	if w := modelWarning(s.backend.Provider, s.model); w != "" {
		s.add("UNKNOWN_MODEL", w)
	}
	if len(o.Unknown) > 0 {
		l.o.Logger.Warn("unknown options were ignored", "session", rec.SessionID, "options", fault.List(o.Unknown))
	}
	s.governance = l.govern(rec.SessionID, s.rules, s.persona, o)
	return s, nil
}

// answeredBy is who answers in place of the model, or "".
func (s *settings) answeredBy() string {
	if s.backend.Provider.Name() == model.Scripted && s.model != model.Scripted {
		return model.Scripted
	}
	return ""
}

// persona is who answers.
func (l *Local) persona(rec session.Record, r Request) (persona.Persona, error) {
	if a := r.Agent; a != nil {
		return persona.Inline(a.Name, a.Instructions, a.From), nil
	}
	return l.o.Root.Persona(first(r.Opts.Persona, rec.Persona))
}

// model is the model chain: opts, the setting, the front matter of the
// instruction root's AGENTS.md, the default.
func (l *Local) model(asked string, r Rules) (string, error) {
	global, err := l.o.Root.GlobalModel()
	return first(asked, l.o.GlobalModel, global, r.DefaultModel), err
}

// requestedTools is the tools chain: opts (an empty list counts), then the
// persona, then every built-in tool (nil).
func (l *Local) requestedTools(p persona.Persona, o Opts) []string {
	if o.Tools != nil {
		return *o.Tools
	}
	if p.Tools != nil {
		return *p.Tools
	}
	return nil
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

// first returns the first value that is not blank, trimmed.
func first(values ...string) string {
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			return v
		}
	}
	return ""
}

// tightest is the smaller of a configured limit (0: none) and an asked one:
// a caller may tighten, never widen.
func tightest[T int64 | float64](configured T, asked *T) T {
	if asked == nil || (configured > 0 && configured < *asked) {
		return configured
	}
	return *asked
}
