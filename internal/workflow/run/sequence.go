package run

import (
	"context"
	"strconv"

	"belay/internal/fault"
	"belay/internal/workflow/definition"
)

// sequence does the steps of a composite task one after the other. Each sees the results
// of those before it. The first failure is the task's.
func (x *execution) sequence(ctx context.Context, t *definition.Task, p place, s scope, rec *Task) (any, error) {
	members, err := x.eval.membersOf(t, p, s)
	if err == nil {
		err = reserve(ctx, x, t, p, members)
	}
	if err != nil {
		return nil, err
	}
	rec.Of = len(members)
	if err := x.records.announce(rec, rec.Of); err != nil {
		return nil, err
	}
	done := make([]*Task, len(members))
	for i, m := range members {
		m.s, m.p.order = s, x.records.nextOrder(m.p.key)
		step, children, err := x.member(ctx, m)
		if err != nil {
			return childrenOf(t, members, done), err
		}
		if done[i] = step; step.Status != Success {
			return childrenOf(t, members, done), step.Error.of(step.Key)
		}
		s = s.after(step, children)
	}
	rec.Output = outputsOf(t, done)
	return childrenOf(t, members, done), nil
}

// round is the member of a repeat task in one of its rounds.
func (p place) round(t *definition.Task, s scope, i int, last any) member {
	s.in, s.index, s.rounds, s.last = true, i, true, last
	return member{t.Each, p.below(t, strconv.Itoa(i), t.Each.ID), s}
}

// repeat does the task of a repeat task again and again, until its condition holds. Where
// it does not hold after the last round the task has failed, with the output of that round.
func (x *execution) repeat(ctx context.Context, t *definition.Task, p place, s scope, rec *Task) (any, error) {
	if err := reserve(ctx, x, t, p, []member{p.round(t, s, 0, nil)}); err != nil {
		return nil, err
	}
	if err := x.records.announce(rec, 0); err != nil {
		return nil, err
	}
	var done []*Task
	var last any
	for i := range t.Max {
		m := p.round(t, s, i, last)
		m.p.order = x.records.nextOrder(m.p.key)
		step, _, err := x.member(ctx, m)
		if err != nil {
			return childrenOf(t, nil, done), err
		}
		done, rec.Of = append(done, step), i+1
		if step.Status != Success {
			return childrenOf(t, nil, done), step.Error.of(step.Key)
		}
		last = step.Output
		rec.Output = map[string]any{"rounds": i + 1, "output": last}
		over, err := x.eval.until(t, m.s, last)
		if err != nil {
			return childrenOf(t, nil, done), err
		}
		if over {
			return childrenOf(t, nil, done), nil
		}
	}
	return childrenOf(t, nil, done), fault.New(fault.TaskFailed, "the task %s has done its %s, and until does not hold: %s", t.ID, rounds(t.Max), t.Until.Text()).
		WithHint("raise max, or say with on_error what follows; the output of the last round is in .tasks.%s.output", t.ID)
}

func rounds(n int) string {
	if n == 1 {
		return "one round"
	}
	return strconv.Itoa(n) + " rounds"
}

// until evaluates the condition that ends a repeat task.
func (x *evaluator) until(t *definition.Task, s scope, output any) (bool, error) {
	values := x.values(s)
	values["output"] = output
	over, err := t.Until.Holds(values)
	if err != nil {
		return false, fault.New(fault.TaskFailed, "the task %s: %v", t.ID, err)
	}
	return over, nil
}
