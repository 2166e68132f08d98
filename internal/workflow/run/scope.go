package run

import (
	"maps"

	"belay/internal/template"
	"belay/internal/workflow/definition"
)

// scope is what the templates of a task see beside the run itself. It is not
// changed once a task has it: tasks that run at the same time share it.
type scope struct {
	// tasks are the finished ones, by id, as templates see them.
	tasks map[string]any
	// input is .input, with .with.
	input, with map[string]any
	// own says that the task was given something of its own: its input is not that of
	// the task that holds it.
	own bool
	// item and index are those of the collection that the task is in, if any.
	in    bool
	item  any
	index int
	// rounds says that the task is in a repeat task; last is the output of the round before.
	rounds bool
	last   any
}

// values are the context of a task's templates: the same keys in every field of
// the file.
func (x *execution) values(s scope) map[string]any {
	v := map[string]any{
		"workflow": map[string]any{
			"id": x.w.ID, "exec_id": x.id, "version": x.w.Version,
			"input": x.w.input, "output": x.outputs, "status": string(x.status()),
		},
		"input": s.input, "with": s.with, "env": x.w.env, "tasks": s.tasks,
		"agents": x.agents, "tools": x.tools, "trigger": x.trigger,
	}
	if s.in {
		v["item"], v["index"] = s.item, int64(s.index)
	}
	if s.rounds {
		v["last"] = s.last
	}
	return v
}

// finished reports whether the scope has a task's results.
func (s scope) finished(id string) bool {
	_, ok := s.tasks[id]
	return ok
}

// after is the scope of what follows a task: it sees the task as well.
func (s scope) after(t *Task, children any) scope {
	s.tasks = maps.Clone(s.tasks)
	s.tasks[t.ID] = view(t, children)
	return s
}

// view is a task as templates see it.
func view(t *Task, children any) map[string]any {
	said := ""
	if t.Error != nil {
		said = t.Error.Message
	}
	if children == nil {
		children = map[string]any{}
	}
	return map[string]any{
		"id": t.ID, "input": t.Input, "output": t.Output, "status": string(t.Status), "error": said, "children": children,
		"attachments": reported(t.Attachments),
	}
}

// agentsOf are the agents as templates see them.
func agentsOf(w *definition.Workflow) map[string]any {
	all := map[string]any{}
	for _, a := range w.Agents {
		all[a.ID] = map[string]any{"id": a.ID, "model": a.Model, "provider": a.Provider}
	}
	return all
}

// toolsOf are the tools as templates see them.
func toolsOf(names []string) map[string]any {
	all := map[string]any{}
	for _, name := range names {
		all[name] = map[string]any{"id": name}
	}
	return all
}

// given is the task's with: that of its agent below that of its action, for which
// the task's own stands, and over all what the task before hands on.
func (x *execution) given(t *definition.Task, s scope, handed map[string]any) (scope, error) {
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
