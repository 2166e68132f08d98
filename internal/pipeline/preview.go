package pipeline

import (
	"context"

	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/turn"
	"belay/internal/turn/conversation"
	"belay/internal/workspace/scan"
)

// Preview is what a start would do.
type Preview struct {
	Category string `json:"category"`
	Type     string `json:"type"`
	Persona  string `json:"persona"`
	Mode     string `json:"mode"`
	Model    string `json:"model"`
	// AtOnce is how many of the sessions work at the same time.
	AtOnce   int              `json:"atOnce"`
	Sessions []PreviewSession `json:"sessions"`
	// Tokens estimates what the first requests of all sessions have, without tools and the
	// project's notes. What follows depends on the work.
	Tokens int64 `json:"estimatedTokens"`
	// CostUSD is the price of these tokens, absent where the model has no known price.
	CostUSD *float64 `json:"costUsd,omitempty"`
	// LimitUSD is what all sessions may cost at most, absent where nothing limits it.
	LimitUSD *float64 `json:"limitUsd,omitempty"`
	// Delegation says whether the turns may delegate, and the gate that decided.
	Delegation persona.Decision `json:"delegation"`
}

// PreviewSession is a session that would be made.
type PreviewSession struct {
	Target  string `json:"target,omitempty"`
	Title   string `json:"title"`
	Message string `json:"message"`
	Tokens  int64  `json:"estimatedTokens"`
}

// Preview says what a start would send and may cost. It makes nothing. A request that could
// not be started is the same error as of [Service.Start].
func (s *Service) Preview(ctx context.Context, r Request) (Preview, error) {
	p, err := s.check(ctx, r)
	if err != nil {
		return Preview{}, err
	}
	quote, err := s.afford(p)
	if err != nil {
		return Preview{}, err
	}
	who, err := s.o.Engine.Persona(ctx, p.kind.persona)
	if err != nil {
		return Preview{}, err
	}
	v := Preview{
		Category: p.category.id, Type: p.kind.id, Persona: p.kind.persona, Mode: p.mode(), Model: quote.Model, AtOnce: min(p.AtOnce, len(p.targets)),
	}
	for _, d := range p.targets {
		one := PreviewSession{Target: targetOf(d), Title: p.title(d), Message: p.message(d)}
		one.Tokens = conversation.Tokens(len(who.Body)) + conversation.Tokens(len(one.Message))
		v.Tokens += one.Tokens
		v.Sessions = append(v.Sessions, one)
	}
	if quote.Price != nil {
		cost, _ := model.Prices{quote.Model: *quote.Price}.Cost(quote.Model, model.Usage{InputTokens: v.Tokens})
		v.CostUSD = &cost
	}
	if limit := tightest(quote.LimitUSD, p.Opts.MaxCostUSD); limit > 0 {
		limit *= float64(len(p.targets))
		v.LimitUSD = &limit
	}
	v.Delegation, err = s.o.Govern(r.ProjectRoot, who, r.Opts.SubagentGovernance)
	return v, err
}

// afford refuses a limit in dollars for a model without a price: the engine would.
func (s *Service) afford(p *plan) (Quote, error) {
	q, err := s.o.Quote(p.ProjectRoot, p.Opts.Model)
	if err != nil || q.Price != nil || q.Bounded {
		return q, err
	}
	var bad problems
	switch {
	case p.Opts.MaxCostUSD != nil:
		bad.add("opts.maxCostUsd", "cannot be held: the model %q has no price here", clip(q.Model))
	case q.LimitUSD > 0:
		bad.add("opts.model", "%q has no price here, so its cost cannot be limited to the $%g of turn.max_cost_usd", clip(q.Model), q.LimitUSD)
	}
	return q, bad.Err()
}

// tightest is the lower one of two limits, 0 where there is none.
func tightest(limit float64, asked *float64) float64 {
	if asked != nil && (limit == 0 || *asked < limit) {
		return *asked
	}
	return limit
}

// mode is the permission mode of the sessions.
func (p *plan) mode() string {
	if p.Opts.Mode == "" {
		return turn.DefaultMode
	}
	return p.Opts.Mode
}

// modes are those that a start can ask for: an unknown one must not count as another.
func modes() []string {
	return []string{string(permit.Direct), string(permit.AcceptEdits), string(permit.DontAsk), string(permit.Plan)}
}

func targetOf(d *scan.ListedDeliverable) string {
	if d == nil {
		return ""
	}
	return keyOf(d)
}
