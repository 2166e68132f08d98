package run

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"belay/internal/attachment"
	"belay/internal/authored"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/template"
	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// job is what an agent is asked for: the same for every attempt.
type job struct {
	t       *definition.Task
	agent   *turn.Agent
	prompt  string
	schema  *definition.Schema
	items   []attachment.Item
	opts    turn.Opts
	allowed []string
	denied  []string
}

// basic asks the task's agent, again where that failed and may be tried again.
func (x *execution) basic(ctx context.Context, t *definition.Task, p place, s scope, rec *Task) error {
	j, err := x.eval.prepare(ctx, t, p, s)
	if err != nil {
		return err
	}
	rec.Model, rec.Prompt = j.opts.Model, j.prompt
	if err := x.records.announce(rec, 0); err != nil {
		return err
	}
	if j.items, rec.Attachments, err = x.attachments(ctx, t, p, s, x.eval.choice(t)); err != nil {
		return err
	}
	return x.tries(ctx, t, rec, func() (any, error) { return x.attempt(ctx, j, rec) })
}

// tries makes attempts until one succeeds, or none could any more.
func (x *execution) tries(ctx context.Context, t *definition.Task, rec *Task, attempt func() (any, error)) error {
	for n := 0; ; n++ {
		output, err := attempt()
		if err == nil {
			rec.Output = output
			return nil
		}
		if n >= t.Retries || !mayRetry(ctx, err) {
			return err
		}
		after := x.r.o.Limits.RetryDelay << min(n, 10)
		if err := x.records.journal.add(TaskRetry, rec.Key, Again{failureOf(err), after}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(after):
		}
	}
}

// take waits for a place among the tasks at work. Who waits has no files open and no
// time limit running.
func (r *Runner) take(ctx context.Context) (*seat, error) {
	select {
	case r.places <- struct{}{}:
		return &seat{places: r.places, held: true}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// mayRetry reports whether another attempt could succeed: not where the task is
// stopped, nor where its turn was refused for what it is, nor before the time that the
// provider named.
func mayRetry(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	f := fault.From(err)
	if _, named := f.Details[model.RetryAt]; named {
		return false
	}
	switch f.Type {
	case fault.InvalidRequest, fault.InvalidWorkflow, fault.BudgetExceeded, fault.MissingAPIKey, fault.StorageFailure,
		fault.WorkingRootInaccessible, fault.WorkingRootConflict, fault.AttachmentFailure:
		return false
	}
	return true
}

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
	if j.prompt += wanted(j.schema); strings.TrimSpace(j.prompt) == "" && !attaches(t, p) {
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

// attempt asks once, and once more where the answer is not of the wanted form.
func (x *execution) attempt(ctx context.Context, j *job, rec *Task) (output any, err error) {
	session, done, err := x.sessionOf(ctx, j, rec)
	if err != nil {
		return nil, err
	}
	this := rec.begin(session, x.records.now())
	defer func() {
		rec.finish(this, x.records.now(), err)
		done(err == nil)
	}()
	if !rec.many {
		if err := x.records.keep(rec); err != nil {
			return nil, err
		}
	}
	request := turn.Request{
		SessionID: session, Message: j.prompt, Opts: j.opts, Allow: j.allowed, Deny: j.denied, Agent: j.agent, Items: j.items,
	}
	text, err := x.ask(ctx, request, rec, this)
	if err != nil {
		return nil, err
	}
	if j.schema == nil {
		return map[string]any{"response": text}, nil
	}
	output, problems := read(text, j.schema)
	if problems == nil {
		return output, nil
	}
	if x.r.o.Repeats != nil && x.r.o.Repeats(cmp.Or(j.agent.Provider, x.record.Provider)) {
		return nil, fault.New(fault.MissingAPIKey, "no model is configured: the built-in provider repeats what it is asked, and the task %s wants JSON", j.t.ID).
			WithHint("choose a model with --provider anthropic or --provider openai and set its key, or write the answers down in a script (scripted.script)")
	}
	this.Repaired = true
	if rec.many { // what is asked once more goes on from what was asked
		again := *j.agent
		again.Since = this.Turns[0]
		request.Agent = &again
	}
	request.Message, request.Items = repair(problems), nil
	if text, err = x.ask(ctx, request, rec, this); err != nil {
		return nil, err
	}
	if output, problems = read(text, j.schema); problems != nil {
		return nil, fault.New(fault.AnswerInvalid, "the answer of the agent %s does not fit the output of the task %s: %s", j.agent.Name, j.t.ID, brief(problems)).
			With("problems", capped(problems)).With("sessionId", session)
	}
	return output, nil
}

// A turn that finds all places of the process taken waits for one: so often does it
// look, and for so long.
const (
	busyPoll     = 250 * time.Millisecond
	busyPatience = 10 * time.Minute
)

// startTurn starts a turn as soon as there is a place for it.
func (x *execution) startTurn(ctx context.Context, r turn.Request) (turn.Stream, error) {
	for end := time.Now().Add(busyPatience); ; {
		s, err := x.r.o.Engine.Start(ctx, r)
		if !fault.Is(err, fault.Overloaded) || time.Now().After(end) {
			return s, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(busyPoll):
		}
	}
}

// ask has one turn and returns what the agent answered.
func (x *execution) ask(ctx context.Context, r turn.Request, rec *Task, this *Attempt) (string, error) {
	s, err := x.startTurn(ctx, r)
	if err != nil {
		return "", err
	}
	l := &listener{x: x, key: rec.Key, session: r.SessionID, tokens: r.Opts.MaxTokens}
	this.Turns = append(this.Turns, s.Turn())
	err = x.records.journal.add(TaskAttempt, rec.Key, Tried{
		N: len(rec.Attempts), Session: r.SessionID, Turn: s.Turn(), Attachments: len(r.Items), Repair: this.Repaired,
	})
	if err != nil {
		return "", errors.Join(err, s.Close())
	}
	err = l.hear(ctx, s)
	x.records.account(rec, l.usage, l.calls())
	if len(r.Items) > 0 {
		x.delivered(ctx, rec, r.SessionID, s.Turn())
	}
	return l.text, errors.Join(err, s.Close())
}
