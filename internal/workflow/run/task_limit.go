package run

import (
	"context"
	"fmt"
	"slices"

	"belay/internal/workflow/definition"
)

const hintTooMany = "give the run fewer items, divide it, or raise workflow.max_tasks"

// afford checks that a run has no more tasks with the members of the task t at p, and
// with what is known of what those hold, than it may have.
func (x *evaluator) afford(ctx context.Context, t *definition.Task, p place, members []member) error {
	_, _, err := x.sizes(ctx, t, p, members, func(string) int { return 0 })
	return err
}

// sizes are how many tasks each of the members of the task t at p is, with what is known of
// what it holds, and all of them are, each as often as t does it. Least is what a member of a
// key is at least. More than a run may have is an error.
func (x *evaluator) sizes(ctx context.Context, t *definition.Task, p place, members []member, least func(key string) int) (each []int, all int, err error) {
	most := x.o.Limits.Tasks
	for _, m := range members {
		size := max(x.size(ctx, m, most-all), least(m.p.key))
		if ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		if all += times(t) * size; all > most {
			return nil, 0, x.tooMany(t, p)
		}
		each = append(each, size)
	}
	return each, all, nil
}

// times is how often a task does each of its members at most.
func times(t *definition.Task) int {
	if t.Kind == definition.Repeat {
		return t.Max // of its one member
	}
	return 1
}

func (x *evaluator) tooMany(t *definition.Task, p place) error {
	return invalid("the task "+p.key+" is too large", []problem{x.problemAt(t, "", tooManyTasks(x.o.Limits.Tasks), hintTooMany)})
}

func tooManyTasks(most int) string {
	return fmt.Sprintf("with all that this task holds the run has more than %d tasks (workflow.max_tasks)", most)
}

// counted adds a task, with all that it is known to hold, to those that the run certainly
// has, and says when they become too many.
func (p *planner) counted(ctx context.Context, t *definition.Task, d PlannedTask, s scope) []problem {
	most, n := p.x.o.Limits.Tasks, 1
	if len(d.WaitsFor) == 0 && len(d.found) == 0 {
		n = p.x.size(ctx, member{t, place{key: t.ID}, s}, most-p.certain)
	}
	tooMany := p.certain <= most && p.certain+n > most
	if !doesAll(t) {
		n = 1
	}
	if p.certain += n; !tooMany {
		return nil
	}
	return []problem{p.x.problemAt(t, "", tooManyTasks(most), hintTooMany)}
}

// tooLong says that a task is one more than a run may do one after the other; nil where it
// is not the first of these. Done counts those before it, which every run does.
func (p *planner) tooLong(t *definition.Task, done int) []problem {
	if most := p.x.o.Limits.Steps; done == most {
		return []problem{p.x.problemAt(t, "", tooManySteps(most), hintSteps)}
	}
	return nil
}

func tooManySteps(most int) string {
	return fmt.Sprintf("the run needs more than %d tasks one after the other (workflow.steps)", most)
}

const hintSteps = "put some of them into a task of type composite, or raise workflow.steps"

// doesAll reports whether a task that succeeds has done all that it holds: nothing in it
// ends early.
func doesAll(t *definition.Task) bool {
	early := func(t *definition.Task) bool { return !doesAll(t) }
	return t.Kind != definition.Repeat && fails(t) && !slices.ContainsFunc(t.Tasks, early) && (t.Each == nil || doesAll(t.Each))
}

// size is how many tasks a member is, with those that it holds. What is not known yet
// counts nothing: it is counted when it is. Beyond most nothing more is counted, and nothing
// once ctx is done.
func (x *evaluator) size(ctx context.Context, m member, most int) int {
	if ctx.Err() != nil || rests(m.t) || m.t.Kind == definition.Router {
		return 1
	}
	s, err := x.given(m.t, m.s, nil)
	if err != nil {
		return 1
	}
	within, err := x.membersOf(m.t, m.p, s)
	if err != nil {
		return 1
	}
	if m.t.Kind == definition.Repeat {
		return 1 + m.t.Max*x.size(ctx, within[0], most)
	}
	n := 1
	for _, m := range within {
		if n += x.size(ctx, m, most-n); n > most {
			break
		}
	}
	return n
}
