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
			Hint:    "set input and output of the model under prices, or choose another model; belay config show says where the limit comes from"}}
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
		Message: message, Hint: "set input and output of the model under prices, or leave max_cost out",
	}
}

// tooLongFor finds that instructions and prompt of an agent leave no room for an answer: the
// engine refuses such a turn. Attachments are cut to what is left.
func (p *planner) tooLongFor(t *definition.Task, o turn.Opts, j *job) []problem {
	if p.x.o.Takes == nil {
		return nil
	}
	c := p.x.choice(t)
	takes, known := p.takes[c]
	if !known {
		var err error
		if takes, err = p.x.o.Takes(p.x.record.Project, c); err != nil {
			return nil // the turn says what is wrong
		}
		if p.takes == nil {
			p.takes = map[turn.Choice]turn.Capacity{}
		}
		p.takes[c] = takes
	}
	need, free := textTokens(j.prompt)+int64(len(j.agent.Instructions))/3, takes.Room(o.MaxTokens)
	if need <= free {
		return nil
	}
	return []problem{p.x.problemAt(t, "prompt", fmt.Sprintf("instructions and prompt are too long for the model: about %d tokens, and at most %d are free", need, free),
		"attach long text as a file, or choose a model with a larger context")}
}
