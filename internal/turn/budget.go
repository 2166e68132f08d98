package turn

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

// allowance is the tightest of what the model gives, what its context has room
// for, and what is left of the turn's tokens and of its money once input, in tokens, is
// paid for.
func (t *agentRun) allowance(input int64) allowance {
	least := allowance{tokens: t.limits.OutputTokens, edge: model.StopMaxTokens}
	tighten := func(tokens int64, edge model.StopReason, why string, args ...any) {
		if tokens < least.tokens {
			least = allowance{tokens: tokens, edge: edge}
			if tokens <= 0 {
				least.why = fmt.Sprintf(why, args...)
			}
		}
	}
	tighten(t.limits.ContextTokens-input, model.StopContext,
		"the conversation of this turn has filled the model's context")
	if most := t.settings.maxTokens; most > 0 {
		edge := model.StopMaxTokens
		if most <= t.spent.totals.OutputTokens {
			edge = model.StopBudget
		}
		tighten(most-t.spent.totals.OutputTokens, edge,
			"the turn has used its %d output tokens (opts.maxTokens, turn.max_tokens)", most)
	}
	if most := t.settings.maxCostUSD; most > 0 {
		tighten(t.affordable(most, input), model.StopBudget,
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

// affordFirst refuses a turn whose cost budget does not pay for its first model call.
// Such a turn could only end without an answer.
func (t *agentRun) affordFirst() error {
	budget := t.settings.maxCostUSD
	if budget <= 0 {
		return nil
	}
	if err := t.window.Plan(t.history()); err != nil {
		return err
	}
	input := t.window.CountedTokens()
	if t.affordable(budget, input) > 0 {
		return nil
	}
	// In whole millionths of a dollar, and enough for the first token of the answer.
	const millionth = 1e6
	need := (math.Ceil((t.inputCost(input)+t.cost(model.Usage{OutputTokens: 1}))*millionth) + 1) / millionth
	return fault.New(fault.BudgetExceeded, "the first model call needs about $%.6f, and the turn may cost $%.6f (opts.maxCostUsd, turn.max_cost_usd)", need, budget).
		With("budgetUsd", budget).With("neededUsd", need).With("model", t.settings.model).
		WithHint("raise the budget, which must also pay for the answer, or choose a model that costs less")
}

// inputCost is the price of a call's input, in tokens. It is billed once, as new or as
// written to the cache, whichever the provider decides: this is the dearer.
func (t *agentRun) inputCost(input int64) float64 {
	return max(
		t.cost(model.Usage{InputTokens: input}),
		t.cost(model.Usage{CacheWriteTokens: input}))
}

// affordable is how many output tokens the rest of a cost budget buys, 0 when
// it does not even pay for the input.
func (t *agentRun) affordable(budget float64, input int64) int64 {
	left := budget - t.inputCost(input)
	if t.spent.totals.CostUSD != nil {
		left -= *t.spent.totals.CostUSD
	}
	const million = 1_000_000
	perMillion := t.cost(model.Usage{OutputTokens: million})
	switch {
	case left <= 0:
		return 0
	case left*million >= perMillion*float64(t.limits.OutputTokens):
		return t.limits.OutputTokens
	}
	return int64(left / perMillion * million)
}

// cost is the price of u; resolve made sure that the model has one wherever a
// cost budget holds.
func (t *agentRun) cost(u model.Usage) float64 {
	usd, _ := t.settings.backend.Prices.Cost(t.settings.model, u)
	return usd
}

// account adds a call's usage to the turn's. A call that failed is billed as
// well, as far as the provider said what it used.
func (t *agentRun) account(u model.Usage, complete bool) {
	if !complete && u == (model.Usage{}) {
		return
	}
	call := event.Tokens{
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens,
		CacheReadTokens: u.CacheReadTokens, CacheWriteTokens: u.CacheWriteTokens,
	}
	t.spent.totals.InputTokens += call.InputTokens
	t.spent.totals.OutputTokens += call.OutputTokens
	t.spent.totals.CacheReadTokens += call.CacheReadTokens
	t.spent.totals.CacheWriteTokens += call.CacheWriteTokens
	if cost, ok := t.settings.backend.Prices.Cost(t.settings.model, u); ok {
		call.CostUSD = &cost
		total := cost
		if t.spent.totals.CostUSD != nil {
			total += *t.spent.totals.CostUSD
		}
		t.spent.totals.CostUSD = &total
	}
	t.spent.called = true
	t.spent.owed = append(t.spent.owed, event.Draft{Type: event.Usage, Data: event.UsageReport{Tokens: call, Totals: t.spent.totals}})
}

// settle takes the reports that are owed.
func (t *agentRun) settle() []event.Draft {
	owed := t.spent.owed
	t.spent.owed = nil
	return owed
}

// owe has events go out with the next ones.
func (t *agentRun) owe(drafts ...event.Draft) { t.spent.owed = append(t.spent.owed, drafts...) }

// usage is what the transcript keeps of a turn's cost, nil when no call was
// accounted for.
func (t *agentRun) usage() *event.Tokens {
	if !t.spent.called {
		return nil
	}
	u := t.spent.totals
	return &u
}
