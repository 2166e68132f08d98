package run

import (
	"context"
	"fmt"
	"strings"

	"belay/internal/workflow/definition"
)

// reuse says which finished tasks of a run count when the run goes on.
type reuse struct {
	eval    *evaluator
	records *records
}

func (x *execution) reuse() reuse { return reuse{x.eval, x.records} }

// survey goes through the finished tasks of a run whose file was corrected, without
// changing anything. It returns what becomes of each, the first task that is to be done
// and what that sees.
func (u reuse) survey(ctx context.Context) (s scope, next *definition.Task, all []Kept) {
	s = scope{tasks: map[string]any{}, input: u.eval.w.input, with: map[string]any{}}
	var handed map[string]any
	next = u.eval.w.Tasks[0]
	for done := map[string]bool{}; next != nil && !done[next.ID] && ctx.Err() == nil; {
		t := next
		done[t.ID] = true
		rec := u.records.before[t.ID]
		if rec == nil || !rec.ended() && !holds(t) {
			break
		}
		k, whole := u.keeps(ctx, t, place{key: t.ID}, s, handed)
		if k.Unfinished && k.Of == 0 {
			break
		}
		if all = append(all, k); !whole {
			break
		}
		rec = u.copyOf(t, s, handed, rec)
		if !rec.ended() {
			break
		}
		s = s.after(rec, u.children(t, place{key: t.ID}, s, handed, rec))
		var err error
		if next, handed, err = u.eval.follow(t, rec, s, handed); err != nil {
			next = t // the run says what is wrong
			break
		}
	}
	return s, next, append(all, u.undecided(all)...)
}

// copyOf is a kept record with the output that the corrected file makes of it.
func (u reuse) copyOf(t *definition.Task, s scope, handed map[string]any, rec *Task) *Task {
	c := *rec
	if c.Answer != nil {
		c.Output = c.Answer
	}
	if t.Kind == definition.Router {
		if _, route, err := u.eval.choose(t, s); err == nil {
			c.Route = route
		}
	}
	if c.Status == Success && (t.Outputs != nil || c.Answer != nil) && u.eval.reshape(t, &c, s, handed, nil) != nil {
		c.Status = Running
	}
	return &c
}

// keeps says what becomes of a finished task, or of what is finished in a task that holds
// others. It also says whether all of it is kept.
func (u reuse) keeps(ctx context.Context, t *definition.Task, p place, s scope, handed map[string]any) (k Kept, whole bool) {
	rec := u.records.before[p.key]
	k.Task, k.Unfinished = p.key, !rec.ended()
	if rests(t) {
		k.Again = u.again(ctx, t, p, s, handed, rec)
		return k, k.Again == ""
	}
	if t.Kind == definition.Router {
		return k, true // it costs nothing
	}
	given, err := u.eval.given(t, s, handed)
	if err != nil {
		k.Again = whyGiven
		return k, false
	}
	members, err := u.eval.membersOf(t, p, given)
	if err != nil {
		k.Again = whyGiven
		return k, false
	}
	whole = !k.Unfinished
	in := given
	for i := 0; i < len(members) && ctx.Err() == nil; i++ {
		m := members[i]
		if t.Kind == definition.Composite {
			m.s = in
		}
		rec := u.records.before[m.p.key]
		if rec == nil || !rec.ended() && !holds(m.t) {
			whole = false
			continue
		}
		within, kept := u.keeps(ctx, m.t, m.p, m.s, nil)
		if k.Of += within.Of; within.Of == 0 && !within.Unfinished {
			k.Of++
		}
		if k.Repeated += within.Repeated; within.Again != "" {
			k.Repeated++
		}
		whole = whole && kept
		switch {
		case t.Kind == definition.Composite && kept:
			in = in.after(u.copyOf(m.t, m.s, nil, rec), u.children(m.t, m.p, m.s, nil, rec))
		case t.Kind == definition.Composite:
			return k, false // the steps after it may be given something else
		case t.Kind == definition.Repeat && kept && i+1 < t.Max:
			if over, err := u.eval.until(t, m.s, rec.Output); err == nil && !over {
				members = append(members, p.round(t, given, i+1, rec.Output))
			}
		}
	}
	if k.Repeated > 0 && k.Repeated == k.Of {
		k.Again = "everything in it changed"
	}
	return k, whole
}

// undecided are the finished tasks that may or may not be done again. They depend on a task
// that is done again, and its result is not known yet.
func (u reuse) undecided(known []Kept) (all []Kept) {
	seen := map[string]bool{}
	for _, k := range known {
		seen[k.Task] = true
	}
	first := ""
	for _, k := range known {
		if k.Again != "" || k.Repeated > 0 {
			first = k.Task
		}
	}
	for _, t := range u.eval.w.Tasks {
		if rec := u.records.before[t.ID]; rec != nil && rec.ended() && !seen[t.ID] && first != "" && t.Kind != definition.Router {
			why := fmt.Sprintf("only if what it is given changes with %s", first)
			all = append(all, Kept{Task: t.ID, Again: why})
		}
	}
	for key, rec := range u.records.before {
		if !strings.Contains(key, "/") && rec.ended() && u.eval.w.Task(key) == nil {
			all = append(all, Kept{Task: key, Again: "never: the corrected file does not have it"})
		}
	}
	return all
}
