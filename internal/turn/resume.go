package turn

import (
	"encoding/json"
	"errors"
	"runtime/debug"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// resume takes a suspended turn up in this process. The lease goes with it.
func (l *Local) resume(lease *session.Lease, p *suspendedTurn) (_ *agentRun, err error) {
	if err := l.enter(); err != nil {
		return nil, errors.Join(err, l.leaveWaiting(lease, p))
	}
	t := l.newRunning(lease, Request{SessionID: lease.Record().SessionID, Message: p.begun.Message})
	t.id, t.suspendedTurn, t.suspendedCall = p.begun.Turn, p, p.call
	began := false
	defer func() {
		if !began {
			err = errors.Join(err, l.leaveWaiting(lease, p))
			l.retire(t)
			l.leave()
		}
	}()
	if len(p.begun.Options) > 0 {
		if err := json.Unmarshal(p.begun.Options, &t.req.Opts); err != nil {
			return nil, err
		}
	}
	if err := l.register(t); err != nil {
		return nil, err
	}
	if err := l.settleOptions(t); err != nil {
		return nil, err
	}
	t.files, t.refused = p.begun.Attachments, p.begun.Warning
	if err := t.compose(lease.Record().ProjectRoot); err != nil {
		return nil, err
	}
	if p.logged.totals != nil {
		t.spent.totals, t.spent.called = *p.logged.totals, true
	}
	t.spent.calls = p.logged.calls
	began = true
	l.takenUp.Add(1)
	go func() {
		defer l.leave()
		t.run()
	}()
	return t, nil
}

// again is [running.converse] of a turn that is taken up.
func (t *agentRun) again() (done completion, err error) {
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
	return done, errors.Join(err, t.dropQuestion(t.suspendedCall, ""))
}

// goOn takes up an agent's part of a turn: the conversation as far as it is on
// record, then the calls that have no result.
func (t *agentRun) goOn() (completion, error) {
	t.made = map[string]int{}
	for _, e := range t.suspendedCall.entries {
		if e.Kind == session.EntryAssistant {
			for _, c := range conversation.CallsOf(e.Blocks) {
				t.made[c.ID]++
			}
		}
	}
	last := t.window.Replay(t.suspendedCall.entries)
	if t.suspendedCall.job {
		return t.endAgain(last)
	}
	finished, err := t.finishCalls()
	if err != nil {
		return completion{}, err
	}
	if end, stuck := t.stuck(last.Said()); stuck {
		return end, nil
	}
	if t.window.Calls() >= t.settings.maxTurns {
		return completion{reason: string(model.StopMaxTurns), text: last.Said()}, nil
	}
	t.window.Complete(finished)
	request, err := t.request()
	if err != nil {
		return completion{}, err
	}
	return t.loop(request, t.window.Calls())
}

// finishCalls runs the calls that have no result, from the one that waited on.
// Calls before it had begun when the process died: nobody knows how far they
// came, and they are not made twice.
func (t *agentRun) finishCalls() ([]conversation.Result, error) {
	if err := t.openEnvironment(); err != nil {
		return nil, err
	}
	var steps []*toolCall
	for i, c := range t.suspendedCall.calls {
		name, _ := t.tools.Canonical(c.Name)
		s := &toolCall{id: c.ID, nth: nth(t.suspendedCall.entries, c.ID), name: name, input: c.Input}
		switch {
		case i < t.suspendedCall.asked:
			s.settle(tool.Result{Text: conversation.ResultUnknown, Failed: true})
		case i == t.suspendedCall.asked:
			s.suspended = t.suspendedCall
		}
		steps = append(steps, s)
	}
	err := t.takeSteps(steps)
	finished, recorded := t.results(steps, err)
	return finished, errors.Join(err, recorded)
}

// usageOf reads the totals of a usage event.
func usageOf(e event.Event) *event.Tokens {
	var u event.UsageReport
	if json.Unmarshal(e.Data, &u) != nil {
		return nil
	}
	return &u.Totals
}
