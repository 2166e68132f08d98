package agent

import (
	"fmt"
	"math"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
)

// allowance is what one model call may use.
type allowance struct {
	// tokens is the most output tokens; at 0 or below the call is not made.
	tokens int64
	// edge is the stop reason of an answer that is cut off there, and of a turn
	// that cannot go on.
	edge model.StopReason
	// why says what was used up, where nothing is left.
	why string
}

// budget is what one agent may still use of its turn.
type budget struct {
	spent    *Spending
	settings *Settings
	limits   model.Limits
	events   *Events
}

func (a *Run) budget() budget { return budget{a.Spent, &a.Settings, a.limits, a.Events} }

// allowance is the tightest of what the model gives, what its context has room
// for, and what is left of the turn's tokens and of its money once input, in tokens, is
// paid for.
func (b budget) allowance(input int64) allowance {
	least := allowance{tokens: b.limits.OutputTokens, edge: model.StopMaxTokens}
	tighten := func(tokens int64, edge model.StopReason, why string, args ...any) {
		if tokens < least.tokens {
			least = allowance{tokens: tokens, edge: edge}
			if tokens <= 0 {
				least.why = fmt.Sprintf(why, args...)
			}
		}
	}
	tighten(b.limits.ContextTokens-input, model.StopContext,
		"the conversation of this turn has filled the model's context")
	if most := b.settings.MaxTokens; most > 0 {
		edge := model.StopMaxTokens
		if most <= b.spent.Totals.OutputTokens {
			edge = model.StopBudget
		}
		tighten(most-b.spent.Totals.OutputTokens, edge,
			"the turn has used its %d output tokens (opts.maxTokens, turn.max_tokens)", most)
	}
	if most := b.settings.MaxCostUSD; most > 0 {
		tighten(b.affordable(most, input), model.StopBudget,
			"the next call would cost more than is left of $%.4f (opts.maxCostUsd, turn.max_cost_usd)", most)
	}
	return least
}

// stopReason names why an answer ended: a cut at an edge that this turn drew is
// that edge's doing, not the model's limit.
func (a allowance) stopReason(stop model.StopReason) model.StopReason {
	if stop == model.StopMaxTokens {
		return a.edge
	}
	return stop
}

// admit refuses a turn whose cost budget does not pay for its first model call, with so
// many tokens of input. Such a turn could only end without an answer.
func (b budget) admit(input int64) error {
	budget := b.settings.MaxCostUSD
	if b.affordable(budget, input) > 0 {
		return nil
	}
	// In whole millionths of a dollar, and enough for the first token of the answer.
	const millionth = 1e6
	need := (math.Ceil((b.inputCost(input)+b.cost(model.Usage{OutputTokens: 1}))*millionth) + 1) / millionth
	return fault.New(fault.BudgetExceeded, "the first model call needs about $%.6f, and the turn may cost $%.6f (opts.maxCostUsd, turn.max_cost_usd)", need, budget).
		With("budgetUsd", budget).With("neededUsd", need).With("model", b.settings.Model).
		WithHint("raise the budget, which must also pay for the answer, or choose a model that costs less")
}

// inputCost is the price of a call's input, in tokens. It is billed once, as new or as
// written to the cache, whichever the provider decides: this is the dearer.
func (b budget) inputCost(input int64) float64 {
	return max(
		b.cost(model.Usage{InputTokens: input}),
		b.cost(model.Usage{CacheWriteTokens: input}))
}

// affordable is how many output tokens the rest of a cost budget buys, 0 when
// it does not even pay for the input.
func (b budget) affordable(budget float64, input int64) int64 {
	left := budget - b.inputCost(input)
	if b.spent.Totals.CostUSD != nil {
		left -= *b.spent.Totals.CostUSD
	}
	const million = 1_000_000
	perMillion := b.cost(model.Usage{OutputTokens: million})
	switch {
	case left <= 0:
		return 0
	case left*million >= perMillion*float64(b.limits.OutputTokens):
		return b.limits.OutputTokens
	}
	return int64(left / perMillion * million)
}

// covers reports whether what is left of the turn's tokens and money is enough for another
// attempt at a call that may answer with most tokens. The attempt before failed and used so
// much; one that the provider did not bill changes nothing.
func (b budget) covers(most int64, failed model.Usage) bool {
	if failed == (model.Usage{}) {
		return true
	}
	if all := b.settings.MaxTokens; all > 0 && all-b.spent.Totals.OutputTokens < most {
		return false
	}
	input := failed.InputTokens + failed.CacheReadTokens + failed.CacheWriteTokens
	return b.settings.MaxCostUSD <= 0 || b.affordable(b.settings.MaxCostUSD, input) >= most
}

// overBudgetError is the cause of a call that is not made again as it was.
type overBudgetError struct{ failed model.Retry }

// Error implements error.
func (e *overBudgetError) Error() string { return e.failed.Cause }

// overBudget is the failure of a call of which the budget does not cover another attempt.
func overBudget(failed model.Retry) error {
	return fault.New(fault.BudgetExceeded, "the model call failed (%s), and what is left of the turn's budget does not cover another attempt", failed.Cause).
		WithHint("raise the budget of the turn, or send the message again").Because(&overBudgetError{failed})
}

// cost is the price of u; resolve made sure that the model has one wherever a
// cost budget holds.
func (b budget) cost(u model.Usage) float64 {
	usd, _ := b.settings.Prices.Cost(b.settings.Model, u)
	return usd
}

// account adds a call's usage to the turn's. A call that failed is billed as
// well, as far as the provider said what it used.
func (b budget) account(u model.Usage, complete bool) {
	if !complete && u == (model.Usage{}) {
		return
	}
	call := event.Tokens{
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens,
		CacheReadTokens: u.CacheReadTokens, CacheWriteTokens: u.CacheWriteTokens,
	}
	b.spent.Totals.InputTokens += call.InputTokens
	b.spent.Totals.OutputTokens += call.OutputTokens
	b.spent.Totals.CacheReadTokens += call.CacheReadTokens
	b.spent.Totals.CacheWriteTokens += call.CacheWriteTokens
	if cost, ok := b.settings.Prices.Cost(b.settings.Model, u); ok {
		call.CostUSD = &cost
		total := cost
		if b.spent.Totals.CostUSD != nil {
			total += *b.spent.Totals.CostUSD
		}
		b.spent.Totals.CostUSD = &total
	}
	b.spent.Called = true
	b.events.Owe(event.Draft{Type: event.Usage, Data: event.UsageReport{Tokens: call, Totals: b.spent.Totals}})
}

// Usage is what the transcript keeps of a turn's cost, nil when no call was
// accounted for.
func (s *Spending) Usage() *event.Tokens {
	if !s.Called {
		return nil
	}
	u := s.Totals
	return &u
}
