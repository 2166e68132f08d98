package agent

import (
	"errors"

	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// Resume takes up the work of an agent that began in another process, and closes the
// question at which it stood.
func (a *Run) Resume(from *SuspendedCall) (Completion, error) {
	a.suspended = from
	done, err := a.Work()
	if errors.Is(err, ErrSuspended) {
		return done, err
	}
	return done, errors.Join(err, a.dropQuestion(from, ""))
}

// goOn resumes an agent's part of a turn: the recorded conversation, then the calls that
// have no result.
func (a *Run) goOn() (Completion, error) {
	a.calls.made = map[string]int{}
	for _, e := range a.suspended.Entries {
		if e.Kind == session.EntryAssistant {
			for _, c := range conversation.CallsOf(e.Blocks) {
				a.calls.made[c.ID]++
			}
		}
	}
	last := a.window.Replay(a.suspended.Entries)
	if a.suspended.Job {
		return a.jobs.endAgain(last)
	}
	finished, err := a.finishCalls()
	if err != nil {
		return Completion{}, err
	}
	if end, stuck := a.calls.refusals.end(last.Said()); stuck {
		return end, nil
	}
	if a.window.Calls() >= a.Settings.MaxTurns {
		return Completion{Reason: string(model.StopMaxTurns), Text: last.Said()}, nil
	}
	a.window.Complete(finished)
	request, err := a.planner.first()
	if err != nil {
		return Completion{}, err
	}
	return a.loop(request, a.window.Calls())
}

// finishCalls runs the calls that have no result, from the one that waited on.
// Calls before it had begun when the process died: nobody knows how far they
// came, and they are not made twice.
func (a *Run) finishCalls() ([]conversation.Result, error) {
	if err := a.openEnvironment(); err != nil {
		return nil, err
	}
	var calls []*toolCall
	for i, c := range a.suspended.Calls {
		name, _ := a.Tools.Canonical(c.Name)
		s := &toolCall{run: a, id: c.ID, nth: Nth(a.suspended.Entries, c.ID), name: name, input: c.Input}
		switch {
		case i < a.suspended.Asked:
			s.settle(tool.Result{Text: conversation.ResultUnknown, Failed: true})
		case i == a.suspended.Asked:
			s.suspended = a.suspended
		}
		calls = append(calls, s)
	}
	err := a.calls.take(calls)
	finished, recorded := a.calls.results(calls, err)
	return finished, errors.Join(err, recorded)
}
