package run

import (
	"context"
	"maps"
	"strings"
	"sync"

	"belay/internal/fault"
	"belay/internal/template"
	"belay/internal/workflow/definition"
)

// evaluator says what the templates and conditions of a run give, and what follows from
// that for each task. It starts, fetches and records nothing, so plans use it as well.
type evaluator struct {
	o  *Options
	id string
	w  *flow
	at *site
	// record says what the run was asked for.
	record *Record
	// onQuestion is what becomes of calls that a person must allow.
	onQuestion string

	agents, tools map[string]any

	mu sync.Mutex
	// definitions are the hashes of tasks' definitions, made as they are needed.
	definitions map[*definition.Task]string
}

func newEvaluator(o *Options, w *flow, at *site, record *Record) *evaluator {
	return &evaluator{
		o: o, id: record.ID, w: w, at: at, record: record, agents: agentsOf(w.Workflow), tools: toolsOf(o.Tools),
		definitions: map[*definition.Task]string{},
	}
}

// start is what the first task sees.
func (x *evaluator) start() scope {
	return scope{tasks: map[string]any{}, input: x.w.input, with: map[string]any{}}
}

// first checks the first task, which certainly begins: what is wrong with its
// attachments, or with the items that it goes over, is said before anything is on
// record.
func (x *evaluator) first(ctx context.Context) error {
	t := x.w.Tasks[0]
	if t.Kind == definition.Router {
		return nil
	}
	s, err := x.given(t, x.start(), nil)
	if err != nil {
		return invalid("what the task "+t.ID+" is given cannot be evaluated", problemOf(x.w.name, err))
	}
	p := place{key: t.ID}
	if t.Kind != definition.Basic {
		members, err := x.membersOf(t, p, s)
		if err != nil {
			return err
		}
		return x.afford(ctx, t, p, members)
	}
	if _, err = x.effective(ctx, t, p, s); err != nil {
		return invalid("the attachments of the task "+t.ID+" are not valid", problemOf(x.w.name, err))
	}
	return nil
}

// values are the context of a task's templates: the same keys in every field of
// the file.
func (x *evaluator) values(s scope) map[string]any {
	v := map[string]any{
		"workflow": map[string]any{
			"id": x.w.ID, "exec_id": x.id, "version": x.w.Version,
			"input": x.w.input, "output": map[string]any{}, "status": string(Running),
		},
		"input": s.input, "with": s.with, "env": x.w.env, "tasks": s.tasks,
		"agents": x.agents, "tools": x.tools, "trigger": map[string]any{},
	}
	if s.in {
		v["item"], v["index"] = s.item, int64(s.index)
	}
	if s.rounds {
		v["last"] = s.last
	}
	return v
}

// given is the task's with: that of its agent below that of its action, for which
// the task's own stands, and over all what the task before hands on.
func (x *evaluator) given(t *definition.Task, s scope, handed map[string]any) (scope, error) {
	s.own = handed != nil
	if handed != nil {
		s.input, s.with = handed, handed
	}
	var layers []*template.Tree
	if t.Agent != nil {
		layers = append(layers, t.Agent.With)
	}
	switch {
	case t.With != nil:
		layers = append(layers, t.With)
	case t.Action != nil:
		layers = append(layers, t.Action.With)
	}
	var with map[string]any
	values := x.values(s)
	for _, tree := range layers {
		fields, err := tree.Fields(values)
		if err != nil {
			return s, err
		}
		if fields != nil && with == nil {
			with = map[string]any{}
		}
		maps.Copy(with, fields)
	}
	if with == nil {
		return s, nil
	}
	if t.Kind != definition.Tool { // what a tool is given is its input, and nothing else
		maps.Copy(with, handed)
	}
	with, err := plainMap(with)
	s.input, s.with, s.own = with, with, true
	return s, err
}

// choose evaluates a router's condition to the task that follows.
func (x *evaluator) choose(t *definition.Task, s scope) (value, route string, err error) {
	value, err = t.Condition.Route(x.values(s))
	if err != nil {
		return "", "", fault.New(fault.TaskFailed, "the router %s: %v", t.ID, err)
	}
	route, err = x.routeFor(t, value)
	return value, route, err
}

// routeFor is the task that follows a router whose condition gives a value.
func (x *evaluator) routeFor(t *definition.Task, value string) (string, error) {
	var known []string
	for _, r := range t.Routes {
		if r.Value == value {
			return r.Task, nil
		}
		known = append(known, r.Value)
	}
	if t.Default == "" {
		return "", fault.New(fault.TaskFailed, "the router %s has no route for %q and no default; its routes are %s", t.ID, fault.Clip(value), strings.Join(known, ", ")).
			WithHint("add the route, or default: with the task for all others")
	}
	return t.Default, nil
}

// reshape makes the task's output of its outputs, where it has some.
func (x *evaluator) reshape(t *definition.Task, rec *Task, s scope, handed map[string]any, children any) error {
	output, err := plain(rec.Output)
	if err != nil {
		return err
	}
	rec.Output = output
	if t.Outputs == nil {
		return nil
	}
	if s, err = x.given(t, s, handed); err != nil {
		return err
	}
	s = s.after(&Task{ID: t.ID, Input: rec.Input, Output: rec.Output, Status: Success}, children)
	values := x.values(s)
	values["output"] = rec.Output
	fields, err := t.Outputs.Fields(values)
	if err != nil {
		return invalid("the outputs of the task "+t.ID+" cannot be evaluated", problemOf(x.w.name, err))
	}
	rec.Output, err = plainMap(fields)
	return err
}

// follow is the task after one that is done, and what that hands on. A failure
// that nothing follows is the run's.
func (x *evaluator) follow(t *definition.Task, done *Task, s scope, handed map[string]any) (*definition.Task, map[string]any, error) {
	next := t.OnSuccess
	switch {
	case done.Status != Success:
		if next = t.OnError; next.Task == "" {
			return nil, nil, done.Error.of(done.Key)
		}
	case t.Kind == definition.Router:
		next = definition.Next{Task: done.Route}
	case t.Final:
		return nil, nil, nil
	}
	if next.Task == "" {
		return nil, nil, nil
	}
	if next.With == nil {
		return x.w.Task(next.Task), nil, nil
	}
	s, err := x.given(t, s, handed)
	if err != nil {
		return nil, nil, err
	}
	values := x.values(s)
	values["output"] = done.Output
	with, err := next.With.Fields(values)
	if err != nil {
		return nil, nil, invalid("what the task "+t.ID+" hands on cannot be evaluated", problemOf(x.w.name, err))
	}
	with, err = plainMap(with)
	return x.w.Task(next.Task), with, err
}
