package run

import (
	"cmp"
	"context"
	"slices"
	"time"

	"belay/internal/authored"
	"belay/internal/blank"
	"belay/internal/template"
	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// prepare evaluates the instructions and the prompt of an agent.
func (x *evaluator) prepare(ctx context.Context, t *definition.Task, p place, s scope) (*job, error) {
	a, values := t.Agent, x.values(s)
	if showsAttachments(t) {
		list, err := x.effective(ctx, t, p, s)
		if err != nil {
			return nil, invalid("the attachments of the task "+t.ID+" are not valid", problemOf(x.w.name, err))
		}
		values["attachments"] = listed(list)
	}
	j := &job{t: t, schema: t.Output, denied: slices.Concat(a.Rights.Deny, t.Rights.Deny), allowed: x.record.Allow}
	if t.Action != nil {
		if t.Action.Output != nil {
			j.schema = t.Action.Output
		}
		var all []problem
		for _, line := range t.Action.Input.Check(s.with) {
			all = append(all, problem{Path: "with", Message: line})
		}
		if err := invalid("what the task "+t.ID+" is given does not fit the input of the action "+t.Action.ID, all); err != nil {
			return nil, err
		}
	}
	instructions, err := a.Instructions.Execute(values)
	if err != nil {
		return nil, invalid("the instructions of the agent "+a.ID+" cannot be evaluated",
			problemOf(x.w.name, placed(err, a.At.Field("instructions"), a.Path+".instructions")))
	}
	if j.prompt, err = promptOf(t, values); err != nil {
		return nil, invalid("the prompt of the task "+t.ID+" cannot be evaluated", problemOf(x.w.name, err))
	}
	if j.prompt += wanted(j.schema); blank.Is(j.prompt) && !attaches(t, p) {
		return nil, invalid("the agent "+a.ID+" would be asked nothing", []problem{x.problemAt(t, "prompt",
			"the prompt is blank, and the task has no attachments", "give its templates values, or write a text beside them")})
	}
	j.agent = &turn.Agent{Name: a.ID, Instructions: instructions, From: x.record.File + "#" + a.ID, Provider: x.choice(t).Provider}
	j.opts = optionsOf(t, x.record.Model, x.record.Mode)
	j.opts.OnQuestion = x.onQuestion
	return j, nil
}

// attaches reports whether a task has attachments, whatever becomes of them.
func attaches(t *definition.Task, p place) bool {
	return slices.ContainsFunc(sources(t, p), func(s inherited) bool { return len(s.entries) > 0 })
}

// promptOf is the prompt of the action, followed by that of the task.
func promptOf(t *definition.Task, values map[string]any) (string, error) {
	var text string
	if c := t.Action; c != nil {
		var err error
		if text, err = c.Prompt.Execute(values); err != nil {
			return "", placed(err, c.At.Field("prompt"), c.Path+".prompt")
		}
	}
	if t.Prompt == nil {
		return text, nil
	}
	more, err := t.Prompt.Execute(values)
	if text != "" {
		text += "\n\n"
	}
	return text + more, placed(err, t.At.Field("prompt"), t.Path+".prompt")
}

// placed is an error of a template with the place of that.
func placed(err error, at *authored.Node, path string) error {
	if err == nil {
		return nil
	}
	return &template.FieldError{Path: path, Line: at.Line, Column: at.Column, Err: err}
}

// optionsOf are the turn's options: what the task says stands before what its agent
// says, and the person's model before both. An agent has the tools that the file
// gives it, and no other.
func optionsOf(t *definition.Task, model, mode string) turn.Opts {
	mine, agents := t.Rights, t.Agent.Rights
	tools := agents.Tools
	if mine.Given {
		tools = mine.Tools
	}
	tools = append([]string{}, tools...) // nil would be those of any turn
	o := turn.Opts{Mode: mode, Model: cmp.Or(model, t.Model, t.Agent.Model), Tools: &tools}
	o.MaxTurns = limit(mine.Budget.Turns, agents.Budget.Turns)
	o.MaxTokens = limit(mine.Budget.Tokens, agents.Budget.Tokens)
	o.MaxCostUSD = limit(mine.Budget.Cost, agents.Budget.Cost)
	if d := limit(mine.Budget.Time, agents.Budget.Time); d != nil {
		ms := max(d.Milliseconds(), 1)
		o.TimeoutMS = &ms
	}
	return o
}

// choice is the model of a task, and who provides it: what the person who started the
// run named stands before what the file says.
func (x *evaluator) choice(t *definition.Task) turn.Choice {
	c := turn.Choice{Model: cmp.Or(x.record.Model, t.Model, t.Agent.Model)}
	if x.record.Provider == "" {
		c.Provider = cmp.Or(t.Provider, t.Agent.Provider)
	}
	return c
}

// limit is the first limit that is one; nil where neither is.
func limit[T int | int64 | float64 | time.Duration](limits ...T) *T {
	l := cmp.Or(limits...)
	if l == 0 {
		return nil
	}
	return &l
}
