package turn

import (
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
)

// allowance is the number of output tokens that the next call may use: the
// model's maximum, what is left of the turn's tokens, and what is left of its
// money after paying for the input. It is BUDGET_EXCEEDED when nothing is left.
func (t *running) allowance() (int64, error) {
	most := min(t.limits.OutputTokens, t.limits.ContextTokens-t.inputTokens)
	if max := t.settings.maxTokens; max > 0 {
		left := max - t.totals.OutputTokens
		if left <= 0 {
			return 0, fault.New(fault.BudgetExceeded, "the turn has used its %d output tokens (opts.maxTokens, turn.max_tokens)", max)
		}
		most = min(most, left)
	}
	if max := t.settings.maxCostUSD; max > 0 {
		left, err := t.affordable(max)
		if err != nil {
			return 0, err
		}
		most = min(most, left)
	}
	return most, nil
}

// affordable is how many output tokens the rest of a cost budget buys.
func (t *running) affordable(budget float64) (int64, error) {
	spent := 0.0
	if t.totals.CostUSD != nil {
		spent = *t.totals.CostUSD
	}
	// Input is billed once, as new or as written to the cache, whichever the
	// provider decides: the estimate takes the dearer.
	fresh, _ := t.l.o.Prices.Cost(t.settings.model, model.Usage{InputTokens: t.inputTokens})
	cached, _ := t.l.o.Prices.Cost(t.settings.model, model.Usage{CacheWriteTokens: t.inputTokens})
	input := max(fresh, cached)
	const probe = 1_000_000
	perMillion, _ := t.l.o.Prices.Cost(t.settings.model, model.Usage{OutputTokens: probe})
	left := budget - spent - input
	if left <= 0 || perMillion/probe > left {
		return 0, fault.New(fault.BudgetExceeded, "the next call would cost more than is left of $%.4f (opts.maxCostUsd, turn.max_cost_usd)", budget)
	}
	if perMillion == 0 {
		return t.limits.OutputTokens, nil
	}
	return int64(left / perMillion * probe), nil
}

// stopReason names why the answer ended: a cut at a budget's edge is the
// budget's doing, not the model's limit.
func (t *running) stopReason(stop model.StopReason, allowed int64) string {
	if stop == model.StopMaxTokens && t.settings.maxCostUSD > 0 && allowed < t.limits.OutputTokens &&
		(t.settings.maxTokens == 0 || allowed < t.settings.maxTokens) {
		return string(model.StopBudget)
	}
	return string(stop)
}

// account adds a call's usage to the turn's and reports both.
func (t *running) account(u model.Usage) error {
	call := event.Tokens{
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens,
		CacheReadTokens: u.CacheReadTokens, CacheWriteTokens: u.CacheWriteTokens,
	}
	t.totals.InputTokens += call.InputTokens
	t.totals.OutputTokens += call.OutputTokens
	t.totals.CacheReadTokens += call.CacheReadTokens
	t.totals.CacheWriteTokens += call.CacheWriteTokens
	if cost, ok := t.l.o.Prices.Cost(t.settings.model, u); ok {
		call.CostUSD = &cost
		total := cost
		if t.totals.CostUSD != nil {
			total += *t.totals.CostUSD
		}
		t.totals.CostUSD = &total
	}
	t.called = true
	return t.emit(event.Draft{Type: event.Usage, Data: event.UsageReport{Tokens: call, Totals: t.totals}})
}

// usage is what the transcript keeps of a turn's cost, nil when no call ended.
func (t *running) usage() *event.Tokens {
	if !t.called {
		return nil
	}
	u := t.totals
	return &u
}
