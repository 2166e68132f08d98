package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"belay/internal/event"
	"belay/internal/fault"
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
	t.spent.calls = p.told.calls
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
	if errors.Is(err, ErrLeft) {
		return done, err
	}
	return done, errors.Join(err, t.dropQuestion(t.halt, ""))
}

// goOn takes up an agent's part of a turn: the conversation as far as it is on
// record, then the calls that have no result.
func (t *running) goOn() (completion, error) {
	t.made = map[string]int{}
	var last *answer
	for _, e := range t.halt.entries {
		if a := t.relive(e); a != nil {
			last = a
		}
	}
	finished, err := t.finishCalls()
	if err != nil {
		return completion{}, err
	}
	if end, stuck := t.stuck(last.said()); stuck {
		return end, nil
	}
	if len(t.rounds) >= t.settings.maxTurns {
		return completion{reason: string(model.StopMaxTurns), text: last.said()}, nil
	}
	r := t.rounds[len(t.rounds)-1]
	r.results = append(r.results, finished...)
	for _, r := range t.rounds {
		r.inOrder()
	}
	request, err := t.request()
	if err != nil {
		return completion{}, err
	}
	return t.loop(request, len(t.rounds))
}

// relive takes a line of the agent's record for what it was, and returns it where
// it is an answer.
func (t *running) relive(e session.Entry) *answer {
	if e.Kind == session.EntryAssistant {
		a := &answer{blocks: e.Blocks, calls: callsOf(e.Blocks)}
		for _, c := range a.calls {
			t.made[c.ID]++
		}
		t.rounds = append(t.rounds, newRound(a))
		return a
	}
	if e.Kind == session.EntrySummary {
		t.fresh = summary{e.Through, e.Rounds, e.Summary}
	}
	if len(t.rounds) == 0 {
		return nil
	}
	r := t.rounds[len(t.rounds)-1]
	switch e.Kind {
	case session.EntryTools:
		for _, b := range e.Blocks {
			r.results = append(r.results, result{Block: b})
		}
	case session.EntryInput:
		r.heard = append(r.heard, session.Input{Message: e.Message, Mode: e.Mode, Items: e.Attachments, Warning: e.Warning, Time: e.Time})
	}
	return nil
}

// inOrder gives the round one result for each call of its answer, in the calls'
// order: providers take nothing else.
func (r *round) inOrder() {
	byID := map[string]result{}
	for _, b := range r.results {
		byID[b.ID] = b
	}
	r.results = nil
	for _, c := range r.answer.Content {
		call, ok := c.(model.ToolCall)
		if !ok {
			continue
		}
		b, ok := byID[call.ID]
		if !ok {
			b = result{Block: session.Block{Type: session.BlockToolResult, ID: call.ID, Name: call.Name, Text: resultUnknown, Failed: true}}
		}
		r.results = append(r.results, b)
	}
}

// finishCalls runs the calls that have no result, from the one that waited on.
// Calls before it had begun when the process died: nobody knows how far they
// came, and they are not made twice.
func (t *running) finishCalls() ([]result, error) {
	if err := t.openPlace(); err != nil {
		return nil, err
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
	finished, recorded := t.results(steps, err)
	return finished, errors.Join(err, recorded)
}

// Stay says that this process is there for longer than one turn: from now on it
// takes up every turn that it comes across whose process died while a call waited
// for a person, and does not end it.
func (l *Local) Stay() { l.stays.Store(true) }

// Resume takes up the turns of these sessions, as [Local.Stay] says, and puts the
// end of others whose process died on record. A session that is not there, as on a
// disk that is not mounted, is left alone. The errors of all are joined.
func (l *Local) Resume(ctx context.Context, sessionIDs ...string) error {
	l.Stay()
	var errs []error
	for _, id := range sessionIDs {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(errs, err)...)
		}
		if _, err := l.heal(ctx, id); err != nil && !fault.Is(err, fault.SessionNotFound) {
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
