package definition

import (
	"maps"

	"belay/internal/template"
)

// given is what a task is given by others.
type given struct {
	fields map[string]result
	// always is set where everything that leads to the task hands it something, never where
	// nothing does.
	always, never bool
}

// handed is what a task of the workflow is given by those before it.
func (d *decoder) handed(t *Task) given {
	if d.handing == nil {
		d.handing = map[string][]Next{}
		for _, o := range d.w.Tasks {
			for _, next := range []Next{o.OnSuccess, o.OnError} {
				d.handing[next.Task] = append(d.handing[next.Task], next)
			}
			for _, route := range append(o.Routes, Route{Task: o.Default}) {
				d.handing[route.Task] = append(d.handing[route.Task], Next{})
			}
		}
	}
	g := given{fields: map[string]result{}, never: true, always: t != d.w.Tasks[0]}
	for _, next := range d.handing[t.ID] {
		if next.With == nil {
			g.always = false
			continue
		}
		g.never = false
		for _, name := range next.With.Names() {
			g.fields[name] = anyResult
		}
	}
	g.always = g.always && !g.never
	return g
}

// give is the sight of a task's own fields: its input is what others hand on, its own with
// and that of its agent and action. What it is given beside that of the sight is in with.
func (s sight) give(t *Task, g given) (layers, own sight) {
	input, with := s.roots["input"], s.roots["with"]
	switch {
	case g.always:
		input = fieldsOf(g.fields)
		with = input
	case !g.never:
		input, with = anyResult, anyResult
	}
	layers = s.with("input", input).with("with", with)
	fields := map[string]result{}
	maps.Copy(fields, g.fields)
	given := false
	for _, tree := range t.layers() {
		given = given || tree != nil
		for _, name := range tree.Names() {
			fields[name] = treeResult(tree.Field(name))
		}
	}
	if !given {
		return layers, layers
	}
	return layers, s.with("input", fieldsOf(fields)).with("with", fieldsOf(fields))
}

// layers are the values that a task is given in the file, each over the one before it.
func (t *Task) layers() (all []*template.Tree) {
	if t.Agent != nil {
		all = append(all, t.Agent.With)
	}
	if t.With == nil && t.Action != nil {
		return append(all, t.Action.With)
	}
	return append(all, t.With)
}
