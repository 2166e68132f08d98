package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/tool"
)

// resume takes a paused turn up in this process. The lease goes with it.
func (l *Local) resume(ctx context.Context, lease *session.Lease, p *pause) (err error) {
	if err := l.enter(); err != nil {
		return err
	}
	t := l.newRunning(lease, Request{SessionID: lease.Record().SessionID, Message: p.begun.Message})
	t.id, t.pause, t.halt = p.begun.Turn, p, p.halt
	began := false
	defer func() {
		if !began {
			l.retire(t)
			l.leave()
		}
	}()
	if len(p.begun.Options) > 0 {
		if err := json.Unmarshal(p.begun.Options, &t.req.Opts); err != nil {
			return err
		}
	}
	if err := l.register(t); err != nil {
		return err
	}
	if err := l.settleOptions(t); err != nil {
		return err
	}
	t.files, t.refused = p.begun.Attachments, p.begun.Warning
	if err := t.frame(lease.Record().ProjectRoot); err != nil {
		return err
	}
	if p.told.totals != nil {
		t.spent.totals, t.spent.called = *p.told.totals, true
	}
	began = true
	go func() {
		defer l.leave()
		t.run()
	}()
	return nil
}

// again is [running.converse] of a turn that is taken up.
func (t *running) again() (done completion, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the turn crashed", v, debug.Stack())
		}
	}()
	if err := t.warn("RESUMED", "the process that ran this turn ended while a call waited for a decision; the turn goes on"); err != nil {
		return completion{}, err
	}
	done, err = t.goOn()
	return done, errors.Join(err, t.dropQuestion(t.halt, ""))
}

// goOn takes up an agent's part of a turn: the conversation as far as it is on
// record, then the calls that have no result.
func (t *running) goOn() (completion, error) {
	r, err := t.request()
	if err != nil {
		return completion{}, err
	}
	t.made = map[string]int{}
	var last *answer
	rounds := 0
	results := &output{}
	for _, e := range t.halt.entries {
		switch e.Kind {
		case session.EntryAssistant:
			if r, err = t.replay(r, last, results); err != nil {
				return completion{}, err
			}
			rounds++
			last, results = &answer{blocks: e.Blocks, calls: callsOf(e.Blocks)}, &output{}
			for _, c := range last.calls {
				t.made[c.ID]++
			}
		case session.EntryTools:
			for _, b := range e.Blocks {
				if err := t.addResult(results, b); err != nil {
					return completion{}, err
				}
			}
		case session.EntryInput:
			results.content = append(results.content, media(model.NewPrompt(e.Warning, spoken(e.Message), nil).Parts())...)
		}
	}
	if err := t.finishCalls(results); err != nil {
		return completion{}, err
	}
	if rounds >= t.settings.maxTurns {
		return completion{reason: string(model.StopMaxTurns), text: last.said()}, nil
	}
	// Inputs may stand between results; providers want the results first.
	results.content = resultsFirst(last.calls, results.content)
	if r, err = t.replay(r, last, results); err != nil {
		return completion{}, err
	}
	return t.loop(r, rounds)
}

// replay adds an answer and what followed it to the request.
func (t *running) replay(r *request, a *answer, results *output) (*request, error) {
	if a == nil {
		return r, nil
	}
	t.inputTokens += a.tokens() + results.load.tokens
	return r.next(a.message(), results.content), nil
}

func (t *running) addResult(out *output, b session.Block) error {
	o, weight, err := t.toolOutput(b, t.planned.many)
	out.content, out.load = append(out.content, o), out.load.plus(weight)
	return err
}

// finishCalls runs the calls that have no result, from the one that waited on.
// Calls before it had begun when the process died: nobody knows how far they
// came, and they are not made twice.
func (t *running) finishCalls(out *output) error {
	if err := t.openPlace(); err != nil {
		return err
	}
	var steps []*step
	for i, c := range t.halt.calls {
		name, _ := t.tools.Canonical(c.Name)
		s := &step{id: c.ID, nth: nth(t.halt.entries, c.ID), name: name, input: c.Input}
		switch {
		case i < t.halt.asked:
			s.settle(tool.Result{Text: resultUnknown, Failed: true})
		case i == t.halt.asked:
			s.halt = t.halt
		}
		steps = append(steps, s)
	}
	err := t.takeSteps(steps)
	got, recorded := t.results(steps, err)
	if err = errors.Join(err, recorded); err != nil {
		return err
	}
	out.content, out.load = append(out.content, got.content...), out.load.plus(got.load)
	return nil
}

// resultsFirst puts the results of the calls before everything else, in the
// calls' order.
func resultsFirst(calls []model.ToolCall, content []model.Content) []model.Content {
	var ids []string
	for _, c := range calls {
		ids = append(ids, c.ID)
	}
	first := results(ids, content)
	for _, c := range content {
		if _, result := c.(model.ToolOutput); !result {
			first = append(first, c)
		}
	}
	return first
}

// Stay says that this process is there for longer than one turn: from now on it
// takes up every turn that it comes across whose process died while a call waited
// for a person, and does not end it.
func (l *Local) Stay() { l.stays.Store(true) }

// Resume takes up the turns of these sessions, as [Local.Stay] says, and puts the
// end of others whose process died on record. The errors of all are joined.
func (l *Local) Resume(ctx context.Context, sessionIDs ...string) error {
	l.Stay()
	var errs []error
	for _, id := range sessionIDs {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(errs, err)...)
		}
		if _, err := l.heal(ctx, id); err != nil {
			errs = append(errs, fmt.Errorf("session %s: %w", id, err))
		}
	}
	return errors.Join(errs...)
}

// usageOf reads the totals of a usage event.
func usageOf(e event.Event) *event.Tokens {
	var u event.UsageReport
	if json.Unmarshal(e.Data, &u) != nil {
		return nil
	}
	return &u.Totals
}
