package turn

import (
	"errors"

	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// resume takes up the work of an agent that began in another process, and closes the
// question at which it stood.
func (t *agentRun) resume(from *suspendedCall) (completion, error) {
	t.suspended = from
	done, err := t.work()
	if errors.Is(err, errSuspended) {
		return done, err
	}
	return done, errors.Join(err, t.dropQuestion(from, ""))
}

// goOn takes up an agent's part of a turn: the conversation as far as it is on
// record, then the calls that have no result.
func (t *agentRun) goOn() (completion, error) {
	t.calls.made = map[string]int{}
	for _, e := range t.suspended.entries {
		if e.Kind == session.EntryAssistant {
			for _, c := range conversation.CallsOf(e.Blocks) {
				t.calls.made[c.ID]++
			}
		}
	}
	last := t.window.Replay(t.suspended.entries)
	if t.suspended.job {
		return t.jobs.endAgain(last)
	}
	finished, err := t.finishCalls()
	if err != nil {
		return completion{}, err
	}
	if end, stuck := t.calls.refusals.end(last.Said()); stuck {
		return end, nil
	}
	if t.window.Calls() >= t.settings.maxTurns {
		return completion{reason: string(model.StopMaxTurns), text: last.Said()}, nil
	}
	t.window.Complete(finished)
	request, err := t.planner.first()
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
	var calls []*toolCall
	for i, c := range t.suspended.calls {
		name, _ := t.tools.Canonical(c.Name)
		s := &toolCall{run: t, id: c.ID, nth: nth(t.suspended.entries, c.ID), name: name, input: c.Input}
		switch {
		case i < t.suspended.asked:
			s.settle(tool.Result{Text: conversation.ResultUnknown, Failed: true})
		case i == t.suspended.asked:
			s.suspended = t.suspended
		}
		calls = append(calls, s)
	}
	err := t.calls.take(calls)
	finished, recorded := t.calls.results(calls, err)
	return finished, errors.Join(err, recorded)
}
