package run

import (
	"maps"
	"slices"

	"belay/internal/authored"
	"belay/internal/fault"
	"belay/internal/template"
	"belay/internal/workflow/definition"
)

// known evaluates what needs no other task of what a task says to its agent. Without given
// it is not known what the task is given.
func (p *planner) known(t *definition.Task, s scope, given bool) (all []problem) {
	values := p.x.values(s)
	text := func(t *template.Template, at *authored.Node, path string) {
		if t != nil {
			all = append(all, p.leaf(t, at, path, values, given)...)
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

// leaf evaluates the parts of a template that look at known values only. Not known yet are
// the results of tasks, what only the end of a task or of the run has and, without given,
// what a task is given.
func (p *planner) leaf(t *template.Template, at *authored.Node, path string, values map[string]any, given bool) []problem {
	finished, _ := values["tasks"].(map[string]any)
	known := func(path []string) bool {
		if path[0] == "tasks" {
			return len(path) > 1 && finished[path[1]] != nil
		}
		return !later(path) && (given || !slices.Contains(givenKeys, path[0]))
	}
	err := t.Foresee(values, known)
	if err == nil {
		return nil
	}
	return problemOf(p.x.w.name, placed(err, at, path))
}

// givenKeys are the keys of the context that depend on what a task is given, and on what it
// is done for.
var givenKeys = []string{"input", "with", "item", "index"}

// later reports whether a path leads to what is known only in the run, or in its end.
func later(path []string) bool {
	switch path[0] {
	case "output", "last", "attachments":
		return true
	case "workflow":
		return len(path) == 1 || path[1] == "output" || path[1] == "exec_id"
	}
	return false
}

// leaves evaluates what is known of a tree.
func (p *planner) leaves(t *template.Tree, values map[string]any, given bool) (all []problem) {
	t.Each(func(t *template.Template, at *authored.Node, path string) {
		all = append(all, p.leaf(t, at, path, values, given)...)
	})
	return all
}

// atEnd is the context of the workflow's outputs.
func (p *planner) atEnd(s scope) map[string]any {
	values := p.x.values(s)
	maps.Copy(values["workflow"].(map[string]any), map[string]any{"status": string(Success)})
	return values
}

// router evaluates the condition of a task. While the task waits for others, what it is given
// is unknown.
func (p *planner) router(t *definition.Task, s scope, w *waiting, d *PlannedTask) {
	value, known, err := t.Condition.Foresee(p.x.values(s), p.unknown(t.Condition, s, !w.any()))
	switch {
	case err != nil:
		d.problem(p.x, fault.New(fault.TaskFailed, "the router %s: %v", t.ID, err))
		return
	case known:
		if d.Route, err = p.x.routeFor(t, value); err != nil {
			d.problem(p.x, err)
		}
		return
	}
	if w.add(t.Condition.Tasks()...); t.Condition.All() {
		w.add(allTasks)
	}
}

// unknown are the values of the context that a condition may look at and that only the run
// has.
func (p *planner) unknown(c *definition.Condition, s scope, given bool) [][]string {
	all := [][]string{{"workflow", "exec_id"}}
	for _, id := range c.Tasks() {
		if !s.finished(id) {
			all = append(all, []string{"tasks", id})
		}
	}
	if c.All() {
		all = append(all, []string{"tasks"})
	}
	if !given {
		for _, key := range givenKeys {
			all = append(all, []string{key})
		}
	}
	return all
}

// endless says that the condition of a repeat task does not hold after any of its rounds,
// whatever they give, or that it fails.
func (p *planner) endless(t *definition.Task, at place, s scope, given bool) []problem {
	unknown := append(p.unknown(t.Until, s, given), []string{"output"})
	for i := range t.Max {
		round := at.round(t, s, i, nil).s
		over, known, err := t.Until.Foresee(p.x.values(round), unknown)
		if err != nil {
			return []problem{p.x.problemAt(t, "until", err.Error(), "")}
		}
		if !known || over != "false" {
			return nil
		}
	}
	return []problem{p.x.problemAt(t, "until", "whatever the task gives, it does not hold after any of its "+rounds(t.Max),
		"compare something of output, as in output.score >= 8, or raise max")}
}
