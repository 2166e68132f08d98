package turn

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/agent"
)

// resolver settles the options of a turn: who answers, with which model and tools,
// within which limits.
type resolver struct {
	projects *projects
	models   *models
	root     *persona.Root
	tools    *tool.Set
	more     ToolSource
	logger   *slog.Logger
	ownNotes string
}

func newResolver(o *Options) *resolver {
	return &resolver{newProjects(o), newModels(o), o.Root, o.Tools, o.MoreTools, o.Logger, o.OwnNotes}
}

// resolved are a turn's options after every fallback chain (compatible contract,
// section 4).
type resolved struct {
	agent.Settings
	rules      Rules
	governance persona.Decision
	// timeout is the time that the turn may work, 0 where the caller does not say.
	timeout time.Duration
}

// resolve applies the fallback chains: what the caller said, then the session
// or persona, then configuration.
func (c *resolver) resolve(ctx context.Context, rec session.Record, r Request) (s resolved, err error) {
	o := r.Opts
	if s.rules, err = c.projects.rulesOf(rec.ProjectRoot); err != nil {
		return s, err
	}
	s.Settings = settingsOf(s.rules, o.OnQuestion)
	s.OwnNotes = c.ownNotes
	s.Mode = first(o.Mode, rec.Mode)
	if s.Persona, err = c.persona(rec, r); err != nil {
		return s, err
	}
	b, err := c.models.backendOf(&r)
	if err != nil {
		return s, err
	}
	s.Provider, s.Prices = b.Provider, b.Prices
	if s.Model, err = c.models.choose(b, preferred(rec, r), s.rules); err != nil {
		return s, err
	}
	if err := s.limit(r); err != nil {
		return s, err
	}
	s.warnOf(o, c.offer(ctx, &s, requestedTools(s.Persona, o)))
	if ctx.Err() != nil { // tools were waited for, and nobody waits any more
		return s, context.Cause(ctx)
	}
	if len(o.Unknown) > 0 {
		c.logger.Warn("unknown options were ignored", "session", rec.SessionID, "options", fault.List(o.Unknown))
	}
	s.governance = c.govern(rec.SessionID, s.rules, s.Persona, o)
	s.ApprovedBy = s.governance.ApprovedBy
	return s, nil
}

// offer chooses the turn's tools and returns the names that no tool has.
func (c *resolver) offer(ctx context.Context, s *resolved, requested []string) (missing []string) {
	all := c.tools
	if c.more != nil {
		var problems []string
		all, problems = c.more.With(ctx, all, requested)
		for _, p := range problems {
			s.Warn("MCP", p)
		}
	}
	s.Tools, missing = agent.Offer(all, requested, append(s.Disallow(all), s.rules.Withheld...))
	return missing
}

// preferred is the model that a turn's options name, or its session. An agent of a
// workflow and one that names another provider have models of their own.
func preferred(rec session.Record, r Request) string {
	if r.Opts.Model == "" && r.Agent == nil && r.provider() == "" {
		return rec.PreferredModel
	}
	return r.Opts.Model
}

// settingsOf are the settings that follow from a project's rules and from how the turn is
// attended.
func settingsOf(r Rules, onQuestion string) agent.Settings {
	s := agent.Settings{
		Stall: r.Limits.Stall, NotesBytes: r.Limits.NotesBytes, AnswerBytes: r.Limits.AnswerBytes,
		AsksNobody: onQuestion == OnQuestionRefuse, Unattended: r.Limits.Unattended,
		Allowed: r.Allowed, Denied: r.Denied, AskBefore: r.AskBefore, Outside: r.Outside,
		ToolLimits: r.Tools, Admission: r.Policy,
	}
	if onQuestion == OnQuestionWait {
		s.Unattended = 0
	}
	return s
}

// limit settles how much the turn may use.
func (s *resolved) limit(r Request) error {
	o := r.Opts
	s.MaxTurns = s.rules.Limits.MaxTurns
	if s.Persona.MaxTurns > 0 {
		s.MaxTurns = s.Persona.MaxTurns
	}
	if o.MaxTurns != nil {
		s.MaxTurns = *o.MaxTurns
	}
	s.MaxTokens = tightest(s.rules.Limits.MaxTokens, o.MaxTokens)
	if r.direct() == nil {
		s.MaxCostUSD = tightest(s.rules.Limits.MaxCostUSD, o.MaxCostUSD)
	}
	if o.TimeoutMS != nil {
		s.timeout = time.Duration(*o.TimeoutMS) * time.Millisecond
	}
	if s.MaxCostUSD <= 0 {
		return nil
	}
	if s.Prices.Bounds(s.Provider.Name(), s.Model) {
		return nil
	}
	if o.MaxCostUSD != nil && *o.MaxCostUSD == s.MaxCostUSD {
		return fault.New(fault.InvalidRequest, "opts.maxCostUsd: model %q has no price with the provider %s, so its cost cannot be bounded", s.Model, s.Provider.Name()).
			With("field", "opts.maxCostUsd").
			WithHint("set input and output of the model under prices, or leave the cost budget out")
	}
	return fault.New(fault.InvalidRequest, "turn.max_cost_usd: model %q has no price with the provider %s, so its cost cannot be bounded to $%g", s.Model, s.Provider.Name(), s.MaxCostUSD).
		With("setting", "turn.max_cost_usd").
		WithHint("set input and output of the model under prices, or choose another model; belay config show says where the limit comes from")
}

// warnOf collects what the person should know about the options themselves.
func (s *resolved) warnOf(o Opts, missing []string) {
	if !s.Persona.Converses() {
		s.Warn("SURFACE", fmt.Sprintf("persona %s is not made for conversations: its INTERACTION_SURFACE is %s", s.Persona.ID, s.Persona.Surface))
	}
	for _, w := range s.Persona.Warnings {
		s.Warn("PERSONA", w)
	}
	if len(o.Unknown) > 0 {
		s.Warn("UNKNOWN_OPTIONS", "these options are not known and were ignored: "+fault.List(o.Unknown))
	}
	if len(missing) > 0 {
		s.Warn("TOOLS_UNAVAILABLE", "these tools do not exist here: "+fault.List(missing))
	}
	if w := modeWarning(s.Mode); w != "" {
		s.Warn("UNKNOWN_MODE", w)
	}
	s.WarnOfModel()
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
