package run

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
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
	rec.earlier = rec.Usage
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
		if err := pausesOf(ctx).rest(ctx, after); err != nil {
			return err
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
// provider named. A person who refused a call is not asked for it again.
func mayRetry(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	f := fault.From(err)
	if _, named := f.Details[model.RetryAt]; named {
		return false
	}
	switch f.Type {
	case fault.SDKFailure:
		return !wrongRequest(f.Status)
	case fault.TaskFailed:
		switch f.Details["category"] {
		case string(event.OutcomeRefused), string(event.OutcomeExpired), string(event.OutcomeLeftOut), categoryKept:
			return false
		}
		return f.Details["stopReason"] != string(model.StopRepeats)
	case fault.InvalidRequest, fault.InvalidWorkflow, fault.BudgetExceeded, fault.MissingAPIKey, fault.StorageFailure,
		fault.WorkingRootInaccessible, fault.WorkingRootConflict, fault.AttachmentFailure, fault.RequestTooLarge:
		return false
	}
	return true
}

// wrongRequest reports whether a provider answered that the request is wrong, and not that
// it may be taken later.
func wrongRequest(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500
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
	if err := rec.left(&r.Opts); err != nil {
		return "", err
	}
	s, err := x.startTurn(ctx, r)
	if err != nil {
		return "", err
	}
	l := &listener{x: x, key: rec.Key, session: r.SessionID}
	this.Turns = append(this.Turns, s.Turn())
	err = x.records.journal.add(TaskAttempt, rec.Key, Tried{
		N: len(rec.Attempts), Session: r.SessionID, Turn: s.Turn(), Attachments: len(r.Items), Repair: this.Repaired,
	})
	if err != nil {
		return "", errors.Join(err, l.interrupt(context.WithoutCancel(ctx), s), s.Close())
	}
	err = l.hear(ctx, s)
	x.records.account(rec, l.usage, l.calls())
	if len(r.Items) > 0 {
		x.delivered(ctx, rec, r.SessionID, s.Turn())
	}
	return l.text, errors.Join(err, s.Close())
}
