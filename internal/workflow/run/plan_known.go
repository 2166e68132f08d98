package run

import (
	"fmt"
	"maps"
	"slices"

	"belay/internal/authored"
	"belay/internal/fault"
	"belay/internal/template"
	"belay/internal/workflow/definition"
)

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

// endless says that the condition of a repeat task does not hold after any of its rounds,
// whatever they give.
func (p *planner) endless(t *definition.Task, at place, s scope) []problem {
	c := t.Until
	unknown := func(id string) bool { return !s.finished(id) }
	if c.Sees("output") || c.Sees("workflow") || c.All() || slices.ContainsFunc(c.Tasks(), unknown) {
		return nil
	}
	for i := range t.Max {
		over, err := p.x.until(t, at.round(t, s, i, nil).s, map[string]any{})
		if err != nil {
			return []problem{p.x.problemAt(t, "until", fault.From(err).Message, "")}
		}
		if over {
			return nil
		}
	}
	return []problem{p.x.problemAt(t, "until", fmt.Sprintf("it does not look at the output of the task, and does not hold after any of its %s", rounds(t.Max)),
		"compare something of output, as in output.score >= 8, or raise max")}
}
