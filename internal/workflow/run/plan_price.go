package run

import (
	"fmt"

	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// Price is what is known of the price of a task's model before it is asked.
type Price struct {
	// Model is the one that answers, as the engine chooses it, and Known whether its price is.
	Model string
	Known bool
	// Limit is what the settings let a turn cost, in US dollars; 0 is no limit.
	Limit float64
}

// unpriced says that the task has a limit in dollars, from its file or from the settings,
// and a model whose price is not known: the engine refuses such a turn.
func (p *planner) unpriced(t *definition.Task, o turn.Opts) []problem {
	if p.x.o.Priced == nil {
		return nil
	}
	price, err := p.x.o.Priced(p.x.record.Project, p.x.choice(t))
	if err != nil || price.Known {
		return nil // the turn says what is wrong
	}
	message := fmt.Sprintf("the model %q has no price here, so its cost cannot be limited", price.Model)
	switch {
	case o.MaxCostUSD != nil:
		return []problem{p.inBudget(t, message)}
	case price.Limit > 0:
		return []problem{{File: p.x.w.name, Line: t.At.Line, Column: t.At.Column, Path: t.Path,
			Message: fmt.Sprintf("%s to the $%g of turn.max_cost_usd", message, price.Limit),
			Hint:    "set a price for the model under prices, or choose another model; belay config show says where the limit comes from"}}
	}
	return nil
}

// inBudget is the problem with the max_cost of a task, or of its agent.
func (p *planner) inBudget(t *definition.Task, message string) problem {
	at, path := t.At, t.Path
	if t.Rights.Budget.Cost == 0 {
		at, path = t.Agent.At, t.Agent.Path
	}
	if b := at.Field("budget"); b != nil && b.Field("max_cost") != nil {
		at = b.Field("max_cost")
	}
	return problem{
		File: p.x.w.name, Line: at.Line, Column: at.Column, Path: path + ".budget.max_cost",
		Message: message, Hint: "set a price for the model under prices, or leave max_cost out",
	}
}
