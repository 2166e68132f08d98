package template

import (
	"slices"
)

// Needs is which tasks' results a template looks at.
type Needs struct {
	ids []string
	all bool
	// always are those that every evaluation looks at.
	always []string
	// outputs are those into whose output every evaluation looks.
	outputs []string
	// last says that every evaluation looks at a field of the round before.
	last bool
}

// Tasks are the ids that the template names, in their order.
func (n Needs) Tasks() []string { return n.ids }

// Always are the tasks that must be there for every evaluation, whatever its conditions
// give.
func (n Needs) Always() []string { return n.always }

// Outputs are the tasks that must have an output for every evaluation, whatever its conditions
// give: it looks at a part of that.
func (n Needs) Outputs() []string { return n.outputs }

// Last reports whether every evaluation looks at a field of .last, which is empty in the
// first round.
func (n Needs) Last() bool { return n.last }

// Sees reports whether the template looks at a key of the context, or at all of it.
func (t *Template) Sees(key string) bool {
	return t != nil && (t.needs.all || slices.ContainsFunc(t.paths, func(p []string) bool { return p[0] == key }))
}

// All reports whether the template looks at all tasks, or finds out which ones
// only when it runs: {{ range .tasks }}, {{ toJson . }}, {{ index .tasks .input.id }}.
func (n Needs) All() bool { return n.all }

// Pending reports whether the template has to wait: it looks at a task that is
// not finished, or at tasks that nobody can name yet.
func (n Needs) Pending(finished func(id string) bool) bool {
	return n.all || slices.ContainsFunc(n.ids, func(id string) bool { return !finished(id) })
}

// tasksKey is where the context has the tasks.
const tasksKey = "tasks"
