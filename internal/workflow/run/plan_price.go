package run

import (
	"fmt"

	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// unpriced says that the task has a limit in dollars, and a model whose price is not
// known: the engine refuses such a turn.
func (p *planner) unpriced(t *definition.Task, o turn.Opts) []problem {
	if o.MaxCostUSD == nil || p.x.o.Priced == nil {
		return nil
	}
	name, priced, err := p.x.o.Priced(p.x.record.Project, p.x.choice(t))
	if err != nil || priced {
		return nil // the turn says what is wrong
	}
	at, path := t.At, t.Path
	if t.Rights.Budget.Cost == 0 {
		at, path = t.Agent.At, t.Agent.Path
	}
	if b := at.Field("budget"); b != nil && b.Field("max_cost") != nil {
		at = b.Field("max_cost")
	}
	return []problem{{
		File: p.x.w.name, Line: at.Line, Column: at.Column, Path: path + ".budget.max_cost",
		Message: fmt.Sprintf("the model %q has no price here, so its cost cannot be limited", name),
		Hint:    "set a price for the model under prices, or leave max_cost out",
	}}
}
