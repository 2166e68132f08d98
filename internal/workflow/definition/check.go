package definition

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
	"belay/internal/nearest"
	"belay/internal/template"
)

// check holds the file's parts against each other.
func (d *decoder) check() {
	unique(d, "agent", d.w.Agents)
	for _, a := range d.w.Agents {
		unique(d, "action", a.Actions)
	}
	d.tasksAreUnique()
	for _, t := range d.w.Tasks {
		if d.ctx.Err() != nil {
			return
		}
		for _, next := range t.targets() {
			if d.w.Task(next.id) == nil {
				d.report.Beyond(authored.RuleReference, next.at, next.path, meant(d, next.id, d.w.Tasks), "no task has the id %q, which is to follow", next.id)
			}
		}
	}
	d.loops()
	d.taskReferences()
	d.sees()
}

// named is something that has an id and a place.
type named interface {
	id() string
	place() (*authored.Node, string)
}

func (a *Agent) place() (*authored.Node, string)  { return a.At, a.Path }
func (a *Action) place() (*authored.Node, string) { return a.At, a.Path }

// unique refuses ids that are given twice.
func unique[T named](d *decoder, what string, all []T) {
	seen := map[string]string{}
	for _, x := range all {
		at, path := x.place()
		if first, ok := seen[x.id()]; ok && x.id() != "" {
			d.report.Beyond(authored.RuleDuplicate, at.Field("id"), path+".id", "", "the %s %q is there already, as %s", what, x.id(), first)
			continue
		}
		seen[x.id()] = path
	}
}

// tasksAreUnique refuses ids given twice, also within other tasks: templates know
// tasks by their id alone. Ids that differ in case alone would share a record on the disks
// of some systems.
func (d *decoder) tasksAreUnique() {
	seen := map[string]*Task{}
	d.w.Walk(func(t *Task) {
		key := strings.ToLower(t.ID)
		if first := seen[key]; first != nil && t.ID != "" {
			d.report.Beyond(authored.RuleDuplicate, t.At.Field("id"), t.Path+".id", "", "the task %q is there already, as %s", t.ID, first.Path)
			return
		}
		seen[key] = t
	})
}

// target is where a task names one that may follow it.
type target struct {
	id, path string
	at       *authored.Node
}

// targets are all of them, each id once.
func (t *Task) targets() []target {
	var all []target
	seen := map[string]bool{"": true}
	add := func(id string, at *authored.Node, path string) {
		if !seen[id] {
			seen[id] = true
			all = append(all, target{id, t.Path + "." + path, at})
		}
	}
	for _, r := range t.Routes {
		add(r.Task, r.at, "routes."+r.Value)
	}
	add(t.Default, t.At.Field("default"), "default")
	if id := t.OnSuccess.Task; id != "" {
		add(id, t.At.Field("on_success").Field("next"), "on_success.next")
	}
	if id := t.OnError.Task; id != "" {
		add(id, t.At.Field("on_error").Field("next"), "on_error.next")
	}
	return all
}

// loops refuses tasks that lead back to themselves: a run would not end.
func (d *decoder) loops() {
	state := map[string]int{} // 1: on the way, 2: done
	var way []string
	var walk func(t *Task)
	walk = func(t *Task) {
		state[t.ID] = 1
		way = append(way, t.ID)
		for _, to := range t.targets() {
			next := d.w.Task(to.id)
			switch {
			case next == nil || state[to.id] == 2:
			case state[to.id] == 1:
				circle := append(slices.Clone(way[slices.Index(way, to.id):]), to.id)
				if n := len(circle); n > maxShown {
					circle = append(append(circle[:maxShown/2:maxShown/2], "…"), circle[n-maxShown/2:]...)
				}
				d.circle = true
				d.report.Beyond(authored.RuleCircle, to.at, to.path, "a task of type repeat does a task again and again, until a condition holds", "the tasks lead in a circle: %s", strings.Join(circle, " → "))
			default:
				walk(next)
			}
		}
		way = way[:len(way)-1]
		state[t.ID] = 2
	}
	for _, t := range d.w.Tasks {
		if state[t.ID] == 0 {
			walk(t)
		}
	}
}

// taskReferences refuses templates that look at tasks that there are not.
func (d *decoder) taskReferences() {
	ids := map[string]bool{}
	var known []*Task
	d.w.Walk(func(t *Task) { ids[t.ID] = true; known = append(known, t) })
	see := func(t *template.Template, n *authored.Node, path string) {
		for _, id := range t.Needs().Tasks() {
			if !ids[id] {
				d.report.Beyond(authored.RuleReference, n, path, meant(d, id, known), "the template looks at the task %q, and there is none", id)
			}
		}
		for _, e := range t.Unknown() {
			d.report.Beyond(authored.RuleReference, n, path, e.Hint, "{{ %s }}: %s", e.Expression, e.Problem)
		}
	}
	text := func(t *template.Template, in *authored.Node, path, name string) {
		if t != nil {
			see(t, in.Field(name), path+"."+name)
		}
	}
	entries := func(all []declared.Entry) {
		for i := range all {
			all[i].Each(see)
			all[i].Check(d.report, d.w.Project)
		}
	}
	d.w.Env.Each(see)
	for _, a := range d.w.Agents {
		text(a.Instructions, a.At, a.Path, "instructions")
		a.With.Each(see)
		entries(a.Attachments)
		for _, c := range a.Actions {
			text(c.Prompt, c.At, c.Path, "prompt")
			c.With.Each(see)
			entries(c.Attachments)
		}
	}
	d.w.Walk(func(t *Task) {
		for _, tree := range []*template.Tree{t.With, t.Outputs, t.Items, t.OnSuccess.With, t.OnError.With} {
			tree.Each(see)
		}
		text(t.Prompt, t.At, t.Path, "prompt")
		text(t.Message, t.At, t.Path, "message")
		for name, c := range map[string]*Condition{"condition": t.Condition, "until": t.Until} {
			for _, id := range c.Tasks() {
				if !ids[id] {
					d.report.Beyond(authored.RuleReference, t.At.Field(name), t.Path+"."+name, meant(d, id, known), "the condition looks at the task %q, and there is none", id)
				}
			}
		}
		entries(t.Attachments)
	})
	d.w.Outputs.Each(see)
}

// maxHints is how often it is looked what may have been meant: it takes its time, and
// more problems are not reported.
const maxHints = authored.MaxProblems

// maxShown is how many names a problem shows.
const maxShown = 12

// meant is a hint to what may have been meant by the id of something.
func meant[T interface{ id() string }](d *decoder, id string, known []T) string {
	if d.hints++; d.hints > maxHints {
		return ""
	}
	if len(known) == 0 {
		var none T
		return "the file has no " + kindOf(none)
	}
	return oneOf(id, idsOf(known))
}

// kindOf is what a list of things with ids is called.
func kindOf(v any) string {
	switch v.(type) {
	case *Agent:
		return "agents: name them under agents, or in a file under use"
	case *Action:
		return "actions of this agent: name them under its actions"
	case *Task:
		return "tasks"
	case schemaID:
		return "schemas: name them under schemas, or write the schema here"
	}
	return "such names"
}

// oneOf is a hint to what may have been meant.
func oneOf(id string, known []string) string {
	switch meant := nearest.Of(id, known); {
	case meant != "":
		return "did you mean " + meant + "?"
	case len(known) == 0:
		return ""
	case len(known) == 1:
		return "the only one is " + known[0]
	case len(known) > maxShown:
		return fmt.Sprintf("there are %d", len(known))
	}
	return "there are " + strings.Join(known, ", ")
}
