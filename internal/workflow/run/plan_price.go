package run

import (
	"fmt"

	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// sparse is more bytes than a token of a prompt has on the average.
const sparse = 10

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
	return []problem{p.inBudget(t, "max_cost", t.Rights.Budget.Cost > 0,
		fmt.Sprintf("the model %q has no price here, so its cost cannot be limited", name),
		"set a price for the model under prices, or leave max_cost out")}
}

// tooFew says that the limit of tokens is below what the instructions and the prompt
// alone certainly have: the answer would be paid for, and not be whole.
func (p *planner) tooFew(t *definition.Task, o turn.Opts, bytes int) []problem {
	if o.MaxTokens == nil || int64(bytes/sparse) < *o.MaxTokens {
		return nil
	}
	return []problem{p.inBudget(t, "max_tokens", t.Rights.Budget.Tokens > 0,
		fmt.Sprintf("the limit is %d tokens, and the prompt alone has more", *o.MaxTokens),
		"raise the limit, or shorten the prompt")}
}

// inBudget is a problem with a limit: that of the task where it has one, else of its
// agent.
func (p *planner) inBudget(t *definition.Task, name string, own bool, message, hint string) problem {
	at, path := t.At, t.Path
	if !own {
		at, path = t.Agent.At, t.Agent.Path
	}
	if b := at.Field("budget"); b != nil && b.Field(name) != nil {
		at = b.Field(name)
	}
	return problem{File: p.x.w.name, Line: at.Line, Column: at.Column, Path: path + ".budget." + name, Message: message, Hint: hint}
}
