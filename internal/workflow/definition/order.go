package definition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
	"belay/internal/template"
)

func quote(s string) string { return strconv.Quote(s) }

func joined(names []string) string { return strings.Join(names, ", ") }

// sight is what the templates of one field see of tasks.
type sight struct {
	d *decoder
	// seen are the tasks whose results may be there, by id; all says that nothing is
	// known of that, because the task itself is never done.
	seen map[string]*Task
	// where is the field's owner to people.
	where string
	// output is what .output is, nil where there is none.
	output *result
	// before are the tasks that may be done before each; nil where nothing is known of it.
	before map[string]map[string]*Task
	// needs are the tasks that other templates of the field need as well, nil for none.
	needs *[]string
}

// with is the sight of a field that sees one more task.
func (s sight) with(t *Task) sight {
	more := make(map[string]*Task, len(s.seen)+1)
	for id, t := range s.seen {
		more[id] = t
	}
	more[t.ID] = t
	s.seen = more
	return s
}

// outputs refuses templates and conditions that look at results which are never there:
// of a task that is not done before, or fields that its output does not have. Such a
// mistake would be found after other tasks were paid.
func (d *decoder) outputs() {
	if len(d.w.Tasks) == 0 {
		return
	}
	before := d.doneBefore()
	unreached := 0
	for _, t := range d.w.Tasks {
		if d.w.Task(t.ID) != t {
			continue // its id is another's
		}
		s := sight{d: d, seen: before[t.ID], where: "the task " + quote(t.ID), before: before}
		if s.seen == nil { // nothing leads to it: where it will stand is not known
			if unreached++; unreached > maxJudged {
				continue
			}
			s.seen, s.before = d.notBehind(t), nil
		}
		s.task(t)
		after := s.with(t)
		for _, next := range []Next{t.OnSuccess, t.OnError} {
			raw := resultOf(t)
			after.output = &raw
			after.tree(next.With)
		}
	}
	all := map[string]*Task{}
	for id := range before {
		all[id] = d.w.Task(id)
	}
	s := sight{d: d, seen: all, where: "the end of the workflow", output: &anyResult, before: before, needs: new([]string)}
	s.tree(d.w.Outputs)
}

// maxJudged bounds what is compared with everything else: tasks that nothing leads to, and
// the tasks that the outputs need.
const maxJudged = 500

// notBehind are all tasks but one, and those that it leads to.
func (d *decoder) notBehind(t *Task) map[string]*Task {
	all := map[string]*Task{}
	for _, o := range d.w.Tasks {
		all[o.ID] = o
	}
	delete(all, t.ID)
	for work := t.targets(); len(work) > 0; work = work[1:] {
		if next := all[work[0].id]; next != nil {
			delete(all, next.ID)
			work = append(work, next.targets()...)
		}
	}
	return all
}

// doneBefore are, by the id of each task that something leads to, those that may be done
// before it begins.
func (d *decoder) doneBefore() map[string]map[string]*Task {
	before := map[string]map[string]*Task{d.w.Tasks[0].ID: {}}
	for work := []*Task{d.w.Tasks[0]}; len(work) > 0; {
		t := work[0]
		work = work[1:]
		for _, to := range t.targets() {
			next := d.w.Task(to.id)
			if next == nil {
				continue
			}
			seen, known := before[next.ID]
			if !known {
				seen = map[string]*Task{}
				before[next.ID] = seen
			}
			n := len(seen)
			seen[t.ID] = t
			for id, b := range before[t.ID] {
				seen[id] = b
			}
			if !known || len(seen) > n {
				work = append(work, next)
			}
		}
	}
	return before
}

// task looks at a task's fields, and at the tasks within it.
func (s sight) task(t *Task) {
	s.tree(t.With)
	s.text(t.Prompt, t.At.Field("prompt"), t.Path+".prompt")
	s.tree(t.Items)
	s.entries(t.Attachments)
	if a := t.Agent; a != nil {
		s.text(a.Instructions, a.At.Field("instructions"), a.Path+".instructions")
		s.tree(a.With)
		s.entries(a.Attachments)
	}
	if c := t.Action; c != nil {
		s.text(c.Prompt, c.At.Field("prompt"), c.Path+".prompt")
		if t.With == nil {
			s.tree(c.With)
		}
		s.entries(c.Attachments)
	}
	s.text(t.Message, t.At.Field("message"), t.Path+".message")
	s.condition(t.Condition, t, "condition", nil)
	if t.Each != nil {
		round := resultOf(t.Each)
		s.condition(t.Until, t, "until", &round)
	}
	step := s
	for _, c := range t.Tasks {
		if step.task(c); t.Kind == Composite {
			step = step.with(c)
		}
	}
	if t.Each != nil {
		s.task(t.Each)
	}
	own := s.with(t)
	raw := rawResult(t)
	own.output = &raw
	own.tree(t.Outputs)
}

func (s sight) tree(t *template.Tree) { t.Each(s.template) }

func (s sight) text(t *template.Template, at *authored.Node, path string) {
	if t != nil {
		s.template(t, at, path)
	}
}

func (s sight) entries(all []declared.Entry) {
	for i := range all {
		all[i].Each(s.template)
	}
}

// together notes where a template needs two tasks of which a run does only one: they lie
// on different routes.
func (s sight) together(t *template.Template, at *authored.Node, path string) {
	needs := s.needs
	if needs == nil {
		needs = new([]string)
	}
	apart := func(a, b string) bool {
		ofA, knownA := s.before[a]
		ofB, knownB := s.before[b]
		return a != b && knownA && knownB && ofA[b] == nil && ofB[a] == nil
	}
	for _, id := range t.Needs().Always() {
		if i := slices.IndexFunc(*needs, func(other string) bool { return apart(id, other) }); i >= 0 {
			s.d.report.Beyond(authored.RuleReference, at, path, "look at each only where it is done, as in {{ .tasks."+id+".output | default \"\" }}",
				"%s needs the results of the tasks %q and %q, and no run does both: they lie on different routes", s.where, (*needs)[i], id)
			return
		}
		if len(*needs) < maxJudged && !slices.Contains(*needs, id) {
			*needs = append(*needs, id)
		}
	}
}

// template looks at one template.
func (s sight) template(t *template.Template, at *authored.Node, path string) {
	s.together(t, at, path)
	for _, p := range t.Paths() {
		switch {
		case p[0] == "tasks" && len(p) > 1:
			task := s.finished(p[1], at, path, "the template looks")
			if task == nil || len(p) < 4 || p[2] != "output" {
				continue
			}
			s.path(resultOf(task), p, 3, at, path)
		case p[0] == "output" && s.output != nil:
			s.path(*s.output, p, 1, at, path)
		}
	}
}

// path notes where a path leads to a field that a result does not have.
func (s sight) path(r result, p []string, from int, at *authored.Node, path string) {
	right, problem, hint := r.lacks(p[from:])
	if problem == "" {
		return
	}
	s.d.report.Beyond(authored.RuleReference, at, path, hint, "{{ .%s }}: %s in .%s", strings.Join(p, "."), problem, strings.Join(p[:from+right], "."))
}

// finished is the task of an id that may be done by now. It notes where there is such a
// task, and it is not done.
func (s sight) finished(id string, at *authored.Node, path, who string) *Task {
	if t := s.seen[id]; t != nil {
		return t
	}
	var hint string
	switch t, holder := s.d.find(id); {
	case t == nil:
		return nil // taskReferences has noted it
	case holder != nil:
		hint = fmt.Sprintf("it is within the task %q, whose output has its result: .tasks.%s.output", holder.ID, holder.ID)
	}
	s.d.report.Beyond(authored.RuleReference, at, path, hint, "%s at the task %q, which is not done before %s", who, id, s.where)
	return nil
}

// find is a task of the file with the one of the workflow's that holds it, nil for one of
// these.
func (d *decoder) find(id string) (t, holder *Task) {
	if t = d.w.Task(id); t != nil {
		return t, nil
	}
	for _, top := range d.w.Tasks {
		var all []*Task
		within(top, func(c *Task) { all = append(all, c) })
		if i := slices.IndexFunc(all, func(c *Task) bool { return c.ID == id }); i >= 0 {
			return all[i], top
		}
	}
	return nil, nil
}

// within calls see for every task that t holds, at any depth.
func within(t *Task, see func(*Task)) {
	for _, c := range t.Tasks {
		see(c)
		within(c, see)
	}
	if t.Each != nil {
		see(t.Each)
		within(t.Each, see)
	}
}
