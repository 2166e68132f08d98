package run

import (
	"errors"
	"maps"
	"slices"

	"belay/internal/authored"
	"belay/internal/fault"
	"belay/internal/template"
	"belay/internal/workflow/definition"
)

// problem notes why the task would fail.
func (d *PlannedTask) problem(x *execution, err error) {
	if several := (interface{ Unwrap() []error })(nil); errors.As(err, &several) {
		for _, e := range several.Unwrap() {
			d.problem(x, e)
		}
		return
	}
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		d.Problems = append(d.Problems, f.Message)
		if known, ok := f.Details["problems"].([]problem); ok {
			d.found = append(d.found, known...)
		} else {
			d.found = append(d.found, problem{Path: x.pathOf(d.ID), Message: f.Message, Hint: f.Hint})
		}
		return
	}
	d.Problems = append(d.Problems, err.Error())
	d.found = append(d.found, problemOf(x.w.name, err)...)
}

// add notes problems with their places.
func (d *PlannedTask) add(all ...problem) {
	for _, p := range all {
		d.Problems = append(d.Problems, p.String())
	}
	d.found = append(d.found, all...)
}

// adopt takes over the problems of a task within d, those that others have told once.
func (d *PlannedTask) adopt(all []problem) []problem {
	for _, p := range all {
		if len(d.found) < authored.MaxProblems && !slices.Contains(d.found, p) {
			d.found = append(d.found, p)
		}
	}
	return all
}

// pathOf leads to a task in the file.
func (x *execution) pathOf(id string) (path string) {
	x.w.each(func(t *definition.Task) {
		if t.ID == id {
			path = t.Path
		}
	})
	return path
}

// known evaluates those of a task's texts that need no other task.
func (p *planner) known(t *definition.Task, s scope) (all []problem) {
	values := p.x.values(s)
	text := func(t *template.Template, at *authored.Node, path string) {
		if t != nil {
			all = append(all, p.leaf(t, at, path, values)...)
		}
	}
	if a := t.Agent; a != nil {
		text(a.Instructions, a.At.Field("instructions"), a.Path+".instructions")
	}
	if c := t.Action; c != nil {
		text(c.Prompt, c.At.Field("prompt"), c.Path+".prompt")
	}
	text(t.Prompt, t.At.Field("prompt"), t.Path+".prompt")
	return all
}

// leaf evaluates a template where it looks at nothing that is not known yet: the results
// of tasks, and those that only the end of a task or of the run has.
func (p *planner) leaf(t *template.Template, at *authored.Node, path string, values map[string]any) []problem {
	finished, _ := values["tasks"].(map[string]any)
	done := func(id string) bool { _, ok := finished[id]; return ok }
	if t.Needs().Pending(done) || slices.ContainsFunc(t.Paths(), later) {
		return nil
	}
	_, err := t.Value(values)
	if err == nil {
		return nil
	}
	return problemOf(p.x.w.name, placed(err, at, path))
}

// later reports whether a path leads to what is known only in the end.
func later(path []string) bool {
	return path[0] == "output" || path[0] == "last" || path[0] == "workflow" && (len(path) == 1 || path[1] == "output")
}

// leaves evaluates what is known of a tree.
func (p *planner) leaves(t *template.Tree, values map[string]any) (all []problem) {
	t.Each(func(t *template.Template, at *authored.Node, path string) {
		all = append(all, p.leaf(t, at, path, values)...)
	})
	return all
}

// atEnd is the context of the workflow's outputs.
func (p *planner) atEnd(s scope) map[string]any {
	values := p.x.values(s)
	maps.Copy(values["workflow"].(map[string]any), map[string]any{"status": string(Success)})
	return values
}

// router evaluates the condition where it looks at no task.
func (p *planner) router(t *definition.Task, s scope, w *waiting, d *PlannedTask) {
	waited := w.any()
	if w.add(t.Condition.Tasks()...); t.Condition.All() {
		w.add(allTasks)
	}
	if waited || w.any() {
		return
	}
	_, route, err := p.x.choose(t, s)
	if err != nil {
		d.problem(p.x, err)
	}
	d.Route = route
}
