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
	d.unique("agents", "agent", len(d.w.Agents), func(i int) (string, *authored.Node) { return d.w.Agents[i].ID, d.w.Agents[i].At })
	for i, a := range d.w.Agents {
		d.unique(authored.At("agents", i)+".actions", "action", len(a.Actions), func(k int) (string, *authored.Node) { return a.Actions[k].ID, a.Actions[k].At })
	}
	d.tasksAreUnique()
	for _, t := range d.w.Tasks {
		for _, next := range t.Targets() {
			if d.w.Task(next) == nil {
				d.report.Add(d.placeOf(t, next), t.Path, oneOf(next, d.taskIDs()), "no task has the id %q, which is to follow", next)
			}
		}
	}
	d.loops()
	d.taskReferences()
}

// unique refuses ids that are given twice.
func (d *decoder) unique(path, what string, n int, of func(int) (id string, at *authored.Node)) {
	seen := map[string]int{}
	for i := range n {
		id, at := of(i)
		if first, ok := seen[id]; ok && id != "" {
			d.report.Add(at.Field("id"), authored.At(path, i)+".id", "", "the %s %q is there already, as %s", what, id, authored.At(path, first))
			continue
		}
		seen[id] = i
	}
}

// tasksAreUnique refuses ids given twice, also within other tasks: templates know
// tasks by their id alone.
func (d *decoder) tasksAreUnique() {
	seen := map[string]*Task{}
	d.each(func(t *Task) {
		if first := seen[t.ID]; first != nil && t.ID != "" {
			d.report.Add(t.At, t.Path, "", "the task %q is there already, as %s", t.ID, first.Path)
			return
		}
		seen[t.ID] = t
	})
}

// each calls f for every task, those within others behind them.
func (d *decoder) each(f func(*Task)) {
	var walk func(*Task)
	walk = func(t *Task) {
		f(t)
		for _, c := range t.Tasks {
			walk(c)
		}
		if t.Each != nil {
			walk(t.Each)
		}
	}
	for _, t := range d.w.Tasks {
		walk(t)
	}
}

func (d *decoder) taskIDs() []string {
	var ids []string
	for _, t := range d.w.Tasks {
		if t.ID != "" && !slices.Contains(ids, t.ID) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// placeOf is where t names the task that follows.
func (d *decoder) placeOf(t *Task, next string) *authored.Node {
	for _, name := range []string{"on_success", "on_error"} {
		if n := t.At.Field(name); n != nil {
			if id := n.Field("next"); id != nil && id.Text == next {
				return id
			}
		}
	}
	if n := t.At.Field("routes"); n != nil {
		for _, f := range n.Fields {
			if f.Value.Text == next {
				return f.Value
			}
		}
	}
	if n := t.At.Field("default"); n != nil {
		return n
	}
	return t.At
}

// loops refuses tasks that lead back to themselves: a run would not end.
func (d *decoder) loops() {
	state := map[string]int{} // 1: on the way, 2: done
	var way []string
	var walk func(t *Task)
	walk = func(t *Task) {
		state[t.ID] = 1
		way = append(way, t.ID)
		for _, id := range t.Targets() {
			next := d.w.Task(id)
			switch {
			case next == nil || state[id] == 2:
			case state[id] == 1:
				circle := append(slices.Clone(way[slices.Index(way, id):]), id)
				d.report.Add(d.placeOf(t, id), t.Path, "", "the tasks lead in a circle: %s", strings.Join(circle, " → "))
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
	var known []string
	d.each(func(t *Task) { ids[t.ID] = true; known = append(known, t.ID) })
	see := func(t *template.Template, n *authored.Node, path string) {
		for _, id := range t.Needs().Tasks() {
			if !ids[id] {
				d.report.Add(n, path, oneOf(id, known), "the template looks at the task %q, and there is none", id)
			}
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
		}
	}
	d.w.Env.Each(see)
	for i, a := range d.w.Agents {
		path := authored.At("agents", i)
		text(a.Instructions, a.At, path, "instructions")
		a.With.Each(see)
		entries(a.Attachments)
		for k, c := range a.Actions {
			text(c.Prompt, c.At, authored.At(path+".actions", k), "prompt")
			c.With.Each(see)
			entries(c.Attachments)
		}
	}
	d.each(func(t *Task) {
		for _, tree := range []*template.Tree{t.With, t.Outputs, t.Items, t.OnSuccess.With, t.OnError.With} {
			tree.Each(see)
		}
		text(t.Prompt, t.At, t.Path, "prompt")
		entries(t.Attachments)
	})
	d.w.Outputs.Each(see)
}

// oneOf is a hint to what may have been meant.
func oneOf(id string, known []string) string {
	switch meant := nearest.Of(id, known); {
	case meant != "":
		return "did you mean " + meant + "?"
	case len(known) == 0:
		return "there is none"
	case len(known) > 12:
		return fmt.Sprintf("there are %d", len(known))
	}
	return "there are " + strings.Join(known, ", ")
}
