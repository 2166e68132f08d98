package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// unasked says that a tool or wait task certainly fails because nobody is asked: its call
// needs a decision, or it waits for a person as long as that takes. Message is what a wait
// task asks, by what is known now.
func (p *planner) unasked(t *definition.Task, at place, message string) []problem {
	x := p.x
	if x.onQuestion != turn.OnQuestionRefuse {
		return nil
	}
	found := problem{File: x.w.name}
	node := t.At
	switch {
	case asksLong(t):
		if p.answered != nil && p.answered(at.key, message) {
			return nil
		}
		found.Path, found.unattended = t.Path, true
		found.Message, found.Hint = unattended, hintWait
	case x.asks(t):
		if n := t.At.Field("tool"); n != nil {
			node = n
		}
		found.Path = t.Path + ".tool"
		found.Message = fmt.Sprintf("the tool %s changes project files, and nobody is asked whether it may", t.Tool)
		found.Hint = fmt.Sprintf("permit it with --allow %s or --mode acceptEdits", t.Tool)
		if permit.ModeOf(x.record.Mode) == permit.Direct {
			found.Hint += ", or let the run wait for an answer with --wait"
		}
	default:
		return nil
	}
	found.Line, found.Column = node.Line, node.Column
	return []problem{found}
}

// asksLong reports whether a task waits for a person as long as that takes.
func asksLong(t *definition.Task) bool {
	return t.Kind == definition.Wait && t.Message != nil && t.For == 0
}

// asks reports whether a tool task certainly needs a person's decision.
func (x *evaluator) asks(t *definition.Task) bool {
	return t.Kind == definition.Tool && x.o.Asks != nil && x.o.Asks(x.record.Project, x.record.Mode, x.record.Allow, t.Tool)
}

// attendedElsewhere are the problems of a member of a race without its wait for a person:
// another member may win.
func attendedElsewhere(found []problem) []problem {
	return slices.DeleteFunc(found, func(p problem) bool { return p.unattended })
}

// unattendedIn are the waits of a task for which nobody attends the run. They keep a run from
// beginning also where a failure of the task has a next task: where nobody was asked, there is
// no answer.
func unattendedIn(d PlannedTask) (all []problem) {
	for _, found := range d.found {
		if found.unattended {
			all = append(all, found)
		}
	}
	return all
}

// isUnattended reports whether a task failed because nobody attends the run. Such a failure
// ends the run, which asks when it is taken up.
func isUnattended(err error) bool {
	if several, ok := err.(interface{ Unwrap() []error }); ok { // of members
		return slices.ContainsFunc(several.Unwrap(), isUnattended)
	}
	f := (*fault.Error)(nil)
	return errors.As(err, &f) && f.Details["category"] == causeUnattended
}

// Unattended reports whether a run or a task failed because nobody attends the run.
func (f *Failure) Unattended() bool { return f != nil && f.Details["category"] == causeUnattended }

// attended refuses to take a run up that is certain to wait for a person next, where nobody
// attends it: the question stays.
func (x *execution) attended(ctx context.Context) error {
	if x.eval.onQuestion != turn.OnQuestionRefuse {
		return nil
	}
	s, t := x.reached()
	p := x.planner()
	p.closed = true
	var problems []problem
	for seen := map[*definition.Task]bool{}; t != nil && !seen[t]; {
		seen[t] = true
		d, err := p.task(ctx, t, place{key: t.ID}, s, p.handedBy(t))
		if err != nil {
			return err
		}
		problems = append(problems, unattendedIn(d)...)
		t = x.w.Task(certainNext(t, d.Route))
	}
	if len(problems) == 0 {
		return nil
	}
	return fault.New(fault.InvalidRequest, "nobody attends the run %s, and %s would wait for a person", x.id, problems[0].Path).
		With("runId", x.id).With("field", "onQuestion").With("problems", problems).
		WithHint("take it up with belay run --resume %s --wait, or with \"onQuestion\": \"wait\" over HTTP", x.id)
}

// reached is the first task of a run that has not ended, nil for none, and what it sees.
func (x *execution) reached() (s scope, t *definition.Task) {
	s, t = x.eval.start(), x.w.Tasks[0]
	var handed map[string]any
	for done := map[string]bool{}; t != nil && !done[t.ID]; {
		done[t.ID] = true
		rec := x.records.before[t.ID]
		if rec == nil || !rec.ended() {
			return s, t
		}
		s = s.after(rec, x.reuse().children(t, place{key: t.ID}, s, handed, rec))
		var err error
		if t, handed, err = x.eval.follow(t, rec, s, handed); err != nil {
			return s, nil // the run says what is wrong
		}
	}
	return s, t
}

// answered reports whether a wait task of before that asks the same has its end or an answer.
func (x *execution) answered(key, message string) bool {
	w := Waiting{RunID: x.id, Task: key, DecisionID: decisionOf(x.id, key, message)}
	if rec := x.records.before[key]; rec != nil {
		if d := rec.Decided; rec.ended() && rec.Prompt == message || d != nil && d.DecisionID == w.DecisionID {
			return true
		}
	}
	a, err := x.r.state.answerTo(w)
	return err == nil && a != nil
}

// Why a wait task fails where nobody attends the run.
const (
	causeUnattended = "UNATTENDED"

	unattended = "nobody attends the run, and it would wait for a person"
	hintWait   = "let the run wait for an answer with --wait"
)
