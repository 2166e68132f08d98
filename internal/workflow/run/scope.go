package run

import (
	"maps"

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
