package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"belay/internal/fault"
	"belay/internal/plainjson"
	"belay/internal/workflow/definition"
)

// member is one of the tasks that a task holds, with what it works on.
type member struct {
	t *definition.Task
	p place
	s scope
}

// several does the tasks that a parallel task or a collection holds. What it
// returns of them is what templates see as children.
func (x *execution) several(ctx context.Context, t *definition.Task, p place, s scope, rec *Task) (any, error) {
	members, err := x.eval.membersOf(t, p, s)
	if err == nil {
		err = reserve(ctx, x, t, p, members)
	}
	if err != nil {
		return nil, err
	}
	rec.Of = len(members)
	if err := x.records.announce(rec, len(members)); err != nil {
		return nil, err
	}
	done, err := x.together(ctx, t, members)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = outcome(t, done, rec)
	}
	return childrenOf(t, members, done), err
}

// membersOf are the tasks that t holds.
func (x *evaluator) membersOf(t *definition.Task, p place, s scope) ([]member, error) {
	var all []member
	switch t.Kind {
	case definition.Parallel, definition.Composite:
		for _, c := range t.Tasks {
			all = append(all, member{c, p.below(t, c.ID), s})
		}
		return all, nil
	case definition.Repeat:
		return []member{p.round(t, s, 0, nil)}, nil
	case definition.Basic, definition.Router, definition.Tool, definition.Wait:
		return nil, nil
	case definition.Collection:
	}
	items, err := x.items(t, s)
	if err != nil {
		return nil, err
	}
	many := p
	many.many = p.many || len(items) > largeCollection
	for i, item := range items {
		in := s
		in.in, in.item, in.index = true, item, i
		all = append(all, member{t.Each, many.below(t, strconv.Itoa(i), t.Each.ID), in})
	}
	return all, nil
}

// items is the list that a collection goes over.
func (x *evaluator) items(t *definition.Task, s scope) ([]any, error) {
	v, err := t.Items.Evaluate(x.values(s))
	if err != nil {
		return nil, invalid("the items of the task "+t.ID+" cannot be evaluated", problemOf(x.w.name, err))
	}
	if text, ok := v.(string); ok { // a template around a list writes it
		listed, err := plainjson.Value([]byte(strings.TrimSpace(text)))
		if inexact := (*plainjson.InexactError)(nil); errors.As(err, &inexact) {
			return nil, x.unusable(t, inexact.Error(), "quote the number where the list is made")
		}
		if err == nil {
			v = listed
		}
	}
	if v, err = plain(v); err != nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, x.unusable(t, "they are no list: they are "+kindOf(v), "write a list, or a template that is one path to a list, such as {{ .input.files }}")
	}
	if most := x.o.Limits.Items; len(list) > most {
		return nil, x.unusable(t, fmt.Sprintf("there are %d, more than %d (workflow.max_items)", len(list), most),
			"give it fewer items, divide the work among several runs, or raise workflow.max_items")
	}
	return list, nil
}

// unusable is the error of items that a collection cannot go over.
func (x *evaluator) unusable(t *definition.Task, message, hint string) error {
	return invalid("the items of the task "+t.ID+" cannot be used", []problem{x.problemAt(t, "items", message, hint)})
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "empty"
	case string:
		return fmt.Sprintf("the text %q", fault.Clip(v))
	case map[string]any:
		return "a mapping"
	case bool:
		return fmt.Sprintf("the truth value %v", v)
	}
	return fmt.Sprintf("the number %v", v)
}

// mostWaits is how many wait tasks of a collection wait at the same time: each looks for its
// answer.
const mostWaits = 200

// together does the members, as many at once as the task says, and returns their
// records in their order; nil for one that was not begun or was stopped.
func (x *execution) together(ctx context.Context, t *definition.Task, members []member) ([]*Task, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	done := make([]*Task, len(members))
	errs := make([]error, len(members))
	// What is on record from before is looked at first: a race that was won stays
	// won.
	if t.Strategy == definition.Race {
		if i := x.records.winner(members); i >= 0 {
			var err error
			done[i], _, err = x.task(ctx, members[i].t, members[i].p, members[i].s, nil)
			return done, err
		}
	}
	most := max(x.r.o.Limits.Parallel, 1)
	if !slices.ContainsFunc(members, func(m member) bool { return m.t.Kind != definition.Wait }) {
		most = max(most, mostWaits) // they take no place
	}
	slots := make(chan struct{}, min(width(t, len(members)), most))
	var all sync.WaitGroup
	for i, m := range members {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		m.p.order = x.records.nextOrder(m.p.key)
		all.Go(func() {
			defer func() { <-slots }()
			rec, _, err := x.member(ctx, m)
			done[i], errs[i] = rec, err
			switch {
			case err != nil && !isUnattended(err): // what a stopped one returns finds ctx done
				stop(errRunEnds)
			case err != nil:
			case t.Strategy == definition.Race && rec.Status == Success:
				stop(errLost)
			case t.Strategy == definition.FailFast && rec.Status == Failed:
				stop(errOther)
			}
		})
	}
	all.Wait()
	won := t.Strategy == definition.Race && slices.ContainsFunc(done, func(d *Task) bool { return d != nil && d.Status == Success })
	for i, err := range errs {
		if errors.Is(err, errLost) || errors.Is(err, errOther) || errors.Is(err, errRunEnds) || won && isUnattended(err) {
			done[i], errs[i] = nil, nil // stopped for the sake of the others
		}
	}
	return done, errors.Join(errs...)
}

// member is task in a goroutine of its own: no panic leaves it.
func (x *execution) member(ctx context.Context, m member) (rec *Task, children any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the task "+m.p.key+" crashed", v)
		}
	}()
	return x.task(ctx, m.t, m.p, m.s, nil)
}

// width is how many members are begun at once, by what the task says. There are
// never more than may be at work: the others would wait in goroutines of their own.
func width(t *definition.Task, n int) int {
	if t.Batch > 0 {
		n = min(n, t.Batch)
	}
	return max(n, 1)
}
