package definition

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"belay/internal/authored"
	"belay/internal/template"
)

// resolve is what is known of the value that a path leads to.
func (s sight) resolve(path []string) (r result, from int, ok bool) {
	r, from, ok = s.root(path)
	for _, name := range path[min(from, len(path)):] {
		switch {
		case ok && r.each != nil && isEntry(name):
			r = *r.each
			continue
		case !ok || !r.closed:
			return r, from, false
		}
		r, ok = r.fields[name]
	}
	return r, from, ok
}

// root is what is known of the value at the beginning of a path, which has so many steps.
func (s sight) root(p []string) (r result, from int, ok bool) {
	switch {
	case len(p) == 0:
		return r, 0, false
	case p[0] == "tasks" && len(p) > 2 && p[2] == "output":
		if t := s.done(p[1]); t != nil {
			return resultOf(t), 3, true
		}
		return r, 0, false
	case p[0] == "workflow" && len(p) > 1 && p[1] == "input":
		r, ok = s.roots["workflow.input"]
		return r, 2, ok
	}
	r, ok = s.roots[p[0]]
	return r, 1, ok
}

// template looks at one template.
func (s sight) template(t *template.Template, at *authored.Node, path string) {
	for _, id := range t.Needs().Always() {
		if i, ok := s.order.index[id]; ok && s.sure != nil && s.may.has(i) && !s.sure.has(i) {
			s.d.report.Beyond(authored.RuleReference, at, path, "look at it only where it is done, as in '{{ .tasks."+id+".output | default \"\" }}'",
				"%s needs the result of the task %q, and not every route does that task", s.where, id)
		}
	}
	for _, id := range t.Needs().Outputs() {
		if i, ok := s.order.index[id]; ok && s.sure != nil && s.sure.has(i) && !s.gives.has(i) {
			s.d.report.Beyond(authored.RuleReference, at, path, "look at it only where it is there, as in '{{ .tasks."+id+".output | default \"\" }}'",
				"%s looks into the output of the task %q, which has none where it has failed", s.where, id)
		}
	}
	if t.Needs().Last() && s.has("last") {
		s.d.report.Beyond(authored.RuleReference, at, path, "write {{ if .last }} … {{ end }} around it", ".last is empty in the first round, and the template looks into it")
	}
	if e := (*template.Error)(nil); errors.As(t.Foresee(nil, func([]string) bool { return false }), &e) {
		problem, hint := *e, e.Hint
		problem.Hint = "" // it has a place of its own
		s.d.report.Beyond(authored.RuleTemplate, at, path, hint, "%s", problem.Error())
	}
	for _, u := range t.Uses() {
		if of, _, ok := s.resolve(u.Path); ok {
			if problem, hint := u.Problem(of.is()); problem != "" {
				s.d.report.Beyond(authored.RuleReference, at, path, hint, "%s", problem)
			}
		}
	}
	for _, p := range t.Paths() {
		if p[0] == "tasks" && len(p) > 1 {
			s.finished(p[1], at, path, "the template looks")
		}
		if hint, ok := sometimes[p[0]]; ok && !s.has(p[0]) {
			s.d.report.Beyond(authored.RuleReference, at, path, hint, "{{ .%s }}: there is no .%s here", strings.Join(p, "."), p[0])
			continue
		}
		if r, from, ok := s.root(p); ok {
			if right, problem, hint := r.lacks(p[from:]); problem != "" {
				where := strings.Join(p[:from+right], ".")
				if where == "with" || where == "input" {
					if slices.Contains(s.demanded, p[from]) {
						continue
					}
					where += " of " + s.where
				}
				if strings.HasPrefix(where, "with ") && len(r.fields) == 0 {
					hint = "name it in the with of the task"
				}
				s.d.report.Beyond(authored.RuleReference, at, path, hint, "{{ .%s }}: %s in .%s", strings.Join(p, "."), problem, where)
			}
		}
	}
}

func (s sight) has(key string) bool {
	_, ok := s.roots[key]
	return ok
}

// done is the task of an id whose result may be there, nil for none.
func (s sight) done(id string) *Task {
	if i := slices.IndexFunc(s.steps, func(t *Task) bool { return t.ID == id }); i >= 0 {
		return s.steps[i]
	}
	if i, ok := s.order.index[id]; ok && s.may.has(i) {
		return s.d.w.Tasks[i]
	}
	return nil
}

// finished notes where there is a task of an id, and it is not done by now.
func (s sight) finished(id string, at *authored.Node, path, who string) {
	if s.done(id) != nil {
		return
	}
	hint, before := "", s.where
	switch t, holder := s.d.find(id); {
	case t == nil:
		return // taskReferences has noted it
	case holder != nil && s.top == holder: // both are within it
		hint, before = "a step of a composite task sees the steps before it; the tasks of a parallel task do not see each other", "that"
	case holder != nil:
		hint = fmt.Sprintf("it is within the task %q, whose output has its result: .tasks.%s.output", holder.ID, holder.ID)
	case s.order.may[s.order.index[id]] == nil:
		hint = "no task leads to " + id + ": name it in on_success of the task before it"
	}
	s.d.report.Beyond(authored.RuleReference, at, path, hint, "%s at the task %q, which is not done before %s", who, id, before)
}

// find is a task of the file with the one of the workflow's that holds it, nil for one of
// these.
func (d *decoder) find(id string) (t, holder *Task) {
	if t = d.w.Task(id); t != nil {
		return t, nil
	}
	for _, top := range d.w.Tasks {
		top.Walk(func(c *Task) {
			if c.ID == id && t == nil {
				t, holder = c, top
			}
		})
	}
	return t, holder
}
