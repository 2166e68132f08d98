package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/tool"
)

// pause is a turn whose process died while a call of it waited for a person.
type pause struct {
	begun session.Entry
	// entries are the turn's own lines after begun.
	entries []session.Entry
	// calls have no result yet, in their order; the first of them that was asked
	// about and not answered is calls[asked].
	calls []model.ToolCall
	asked int
	told  *trace
}

// paused finds the turn of the session that can be taken up again, nil if there
// is none: its last answer has a call whose question is still open, or was
// answered after the process had died. The caller holds the lease.
func (l *Local) paused(ctx context.Context, lease *session.Lease) (*pause, error) {
	if !l.stays.Load() || l.o.Desk == nil || len(lease.Tampered()) > 0 {
		return nil, nil
	}
	id, open := lease.DanglingTurn()
	entries := lease.Entries()
	last := lastEntry(entries)
	if !open || last.Turn != id || last.Kind == session.EntryEnd {
		return nil, nil
	}
	begun, known := findTurn(entries, id)
	if !known {
		return nil, nil
	}
	p := &pause{begun: begun}
	for _, e := range entries {
		if e.Turn == id && e.Agent == "" && e.Kind != session.EntryTurn {
			p.entries = append(p.entries, e)
		}
	}
	if p.calls = openCalls(p.entries); len(p.calls) == 0 {
		return nil, nil
	}
	var err error
	if p.told, err = l.retrace(ctx, lease, begun); err != nil {
		return nil, err
	}
	p.asked = slices.IndexFunc(p.calls, func(c model.ToolCall) bool {
		return !p.told.resolved[c.ID] && l.questioned(decisionID(lease.Record().SessionID, id, "", c.ID, nth(p.entries, c.ID)))
	})
	if p.asked < 0 {
		return nil, nil
	}
	return p, nil
}

// questioned reports whether there is a question of that id, or an answer to it.
func (l *Local) questioned(id string) bool {
	if _, answered, err := l.o.Desk.Verdict(id); err == nil && answered {
		return true
	}
	_, open, err := l.o.Desk.Reopen(id)
	return err == nil && open
}

// openCalls are the calls of the last answer that have no result.
func openCalls(entries []session.Entry) []model.ToolCall {
	var calls []model.ToolCall
	for _, e := range entries {
		switch e.Kind {
		case session.EntryAssistant:
			if calls = nil; !e.Partial {
				calls = callsOf(e.Blocks)
			}
		case session.EntryTools:
			for _, b := range e.Blocks {
				calls = slices.DeleteFunc(calls, func(c model.ToolCall) bool { return c.ID == b.ID })
			}
		}
	}
	return calls
}

// nth is how often the answers of a turn call something by that id.
func nth(entries []session.Entry, call string) (n int) {
	for _, e := range entries {
		if e.Kind != session.EntryAssistant || e.Agent != "" {
			continue
		}
		for _, c := range callsOf(e.Blocks) {
			if c.ID == call {
				n++
			}
		}
	}
	return n
}

func callsOf(blocks []session.Block) (calls []model.ToolCall) {
	for _, b := range blocks {
		if b.Type == session.BlockToolCall {
			calls = append(calls, toolCall(b))
		}
	}
	return calls
}

// resume takes a paused turn up in this process. The lease goes with it.
func (l *Local) resume(ctx context.Context, lease *session.Lease, p *pause) (err error) {
	if err := l.enter(); err != nil {
		return err
	}
	t := l.newRunning(lease, Request{SessionID: lease.Record().SessionID, Message: p.begun.Message})
	t.id, t.pause = p.begun.Turn, p
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

// again is [running.converse] of a turn that is taken up: the conversation as far
// as it is on record, then the calls that have no result.
func (t *running) again() (done completion, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the turn crashed", v, debug.Stack())
		}
	}()
	if err := t.warn("RESUMED", "the process that ran this turn ended while a call waited for a decision; the turn goes on"); err != nil {
		return completion{}, err
	}
	r, err := t.request()
	if err != nil {
		return completion{}, err
	}
	t.made = map[string]int{}
	var last *answer
	results := &output{}
	for _, e := range t.pause.entries {
		switch e.Kind {
		case session.EntryAssistant:
			if r, err = t.replay(r, last, results); err != nil {
				return completion{}, err
			}
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
	// Inputs may stand between results; providers want the results first.
	results.content = resultsFirst(last.calls, results.content)
	if r, err = t.replay(r, last, results); err != nil {
		return completion{}, err
	}
	return t.loop(r)
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
	for i, c := range t.pause.calls {
		name, _ := t.tools.Canonical(c.Name)
		s := &step{id: c.ID, nth: nth(t.pause.entries, c.ID), name: name, input: c.Input}
		if i < t.pause.asked {
			s.settle(tool.Result{Text: resultUnknown, Failed: true})
		}
		steps = append(steps, s)
	}
	err := t.takeSteps(steps)
	got, recorded := t.results(steps, err)
	if err != nil {
		return err
	}
	out.content, out.load = append(out.content, got.content...), out.load.plus(got.load)
	return recorded
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

// withdrawQuestions closes the questions of a turn that is over.
func (l *Local) withdrawQuestions(lease *session.Lease, turnID string) {
	if l.o.Desk == nil {
		return
	}
	var own []session.Entry
	for _, e := range lease.Entries() {
		if e.Turn == turnID && e.Kind != session.EntryTurn {
			own = append(own, e)
		}
	}
	for _, c := range openCalls(own) {
		pending, open, err := l.o.Desk.Reopen(decisionID(lease.Record().SessionID, turnID, "", c.ID, nth(own, c.ID)))
		if err != nil {
			l.o.Logger.Error("withdraw a question", "session", lease.Record().SessionID, "error", err)
		}
		if open {
			l.withdraw(pending, processDied)
		}
	}
}

// Resume takes up the turns of these sessions whose process died while a call
// waited for a person, and puts the end of other such turns on record. From now
// on every such turn that is come across is taken up: only a process that stays
// should call this. The errors of all are joined.
func (l *Local) Resume(ctx context.Context, sessionIDs ...string) error {
	l.stays.Store(true)
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
