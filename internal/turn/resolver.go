package turn

import (
	"log/slog"
	"strings"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
)

// resolver settles the options of a turn: who answers, with which model and tools,
// within which limits.
type resolver struct {
	projects *projects
	models   *models
	root     *persona.Root
	tools    *tool.Set
	logger   *slog.Logger
}

func newResolver(o *Options) *resolver {
	return &resolver{newProjects(o), newModels(o), o.Root, o.Tools, o.Logger}
}

// resolve applies the fallback chains: what the caller said, then the session
// or persona, then configuration.
func (c *resolver) resolve(rec session.Record, r Request) (settings, error) {
	o := r.Opts
	s := settings{mode: first(o.Mode, rec.Mode), onQuestion: o.OnQuestion}
	var err error
	if s.rules, err = c.projects.rulesOf(rec.ProjectRoot); err != nil {
		return s, err
	}
	if s.persona, err = c.persona(rec, r); err != nil {
		return s, err
	}
	if s.backend, err = c.models.backendOf(&r); err != nil {
		return s, err
	}
	if s.model, err = c.models.choose(s.backend, o.Model, s.rules); err != nil {
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
	missing := s.offer(c.tools, requestedTools(s.persona, o))
	s.warn(o, missing)
	if w := modeWarning(s.mode); w != "" {
		s.add("UNKNOWN_MODE", w)
	}
	if w := modelWarning(s.backend.Provider, s.model); w != "" {
		s.add("UNKNOWN_MODEL", w)
	}
	if len(o.Unknown) > 0 {
		c.logger.Warn("unknown options were ignored", "session", rec.SessionID, "options", fault.List(o.Unknown))
	}
	s.governance = c.govern(rec.SessionID, s.rules, s.persona, o)
	return s, nil
}

// persona is who answers.
func (c *resolver) persona(rec session.Record, r Request) (persona.Persona, error) {
	if a := r.Agent; a != nil {
		return persona.Inline(a.Name, a.Instructions, a.From), nil
	}
	return c.root.Persona(first(r.Opts.Persona, rec.Persona))
}

// requestedTools is the tools chain: opts (an empty list counts), then the
// persona, then every built-in tool (nil).
func requestedTools(p persona.Persona, o Opts) []string {
	if o.Tools != nil {
		return *o.Tools
	}
	if p.Tools != nil {
		return *p.Tools
	}
	return nil
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
