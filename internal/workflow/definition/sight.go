package definition

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
	"belay/internal/template"
)

func quote(s string) string { return strconv.Quote(s) }

// sight is what the templates and the condition of one field see.
type sight struct {
	d     *decoder
	order *order
	// may are the tasks of the workflow whose results may be there, sure those whose
	// results are; sure is nil where that is not known. steps are tasks within others that
	// are done as well.
	may, sure set
	steps     []*Task
	// where is the field's owner to people.
	where string
	// roots is what is known of the context's keys. A key of [sometimes] that is not among
	// them is not there.
	roots map[string]result
	// demanded are what the input of the task's action requires: actionInput says where the
	// task is not given it.
	demanded []string
}

// sometimes are the keys of the context that only some fields have, and which ones.
var sometimes = map[string]string{
	"item":        "only tasks in a collection have .item",
	"index":       "only tasks in a collection or a repeat task have .index",
	"last":        "only tasks in a repeat task have .last",
	"output":      "only outputs and the with of on_success and on_error have .output; others see .tasks.ID.output",
	"attachments": "only prompts and instructions have .attachments",
}

// with is the sight of a field that sees a value under one more key.
func (s sight) with(key string, r result) sight {
	s.roots = maps.Clone(s.roots)
	s.roots[key] = r
	return s
}

// after is the sight of a field that sees one more task.
func (s sight) after(t *Task) sight {
	if i, ok := s.order.index[t.ID]; ok && s.d.w.Tasks[i] == t {
		if s.may = s.may.plus(i); s.sure != nil {
			s.sure = s.sure.plus(i)
		}
		return s
	}
	s.steps = append(slices.Clip(s.steps), t)
	return s
}

// sees refuses templates and conditions that look at values which are never there: the
// result of a task that is not done before, a field that its output does not have, an
// input that nobody gives. Such a mistake would be found after other tasks were paid.
func (d *decoder) sees() {
	if len(d.w.Tasks) == 0 {
		return
	}
	input, env := anyResult, fieldsOf(nil)
	if d.w.Input != nil {
		input = schemaResult(d.w.Input.Source, 0)
	}
	if d.w.Env != nil {
		env = treeResult(d.w.Env)
	}
	s := sight{d: d, order: orderOf(d.w), roots: map[string]result{"workflow.input": input, "input": input}}
	s.beforeAll().tree(d.w.Env)
	s.roots["with"], s.roots["env"] = fieldsOf(nil), env
	unreached := 0
	for i, t := range d.w.Tasks {
		if d.w.Task(t.ID) != t || d.ctx.Err() != nil {
			continue // its id is another's
		}
		of := s
		if s.d.circle {
			s.order.sure[i] = nil
		}
		of.where, of.may, of.sure = "the task "+quote(t.ID), s.order.may[i], s.order.sure[i]
		if of.may == nil { // nothing leads to it: where it will stand is not known
			if unreached++; unreached > maxJudged {
				continue
			}
			of.may = d.notBehind(t, s.order)
		}
		of.task(t, d.handed(t))
	}
	all := newSet(len(d.w.Tasks))
	for i := range d.w.Tasks {
		if s.order.may[i] != nil {
			all.add(i)
		}
	}
	if s.where, s.may = "the end of the run", all; !d.circle {
		s.sure = s.order.end
	}
	s.with("output", anyResult).tree(d.w.Outputs)
}

// beforeAll is the sight of what is evaluated before the first task: the workflow's env.
func (s sight) beforeAll() sight {
	s.where, s.may, s.sure = "the workflow's env", newSet(len(s.d.w.Tasks)), nil
	s.roots = maps.Clone(s.roots)
	return s
}

// maxJudged bounds the tasks that nothing leads to and that are looked at all the same.
const maxJudged = 500

// notBehind are all tasks but one, and those that it leads to.
func (d *decoder) notBehind(t *Task, o *order) set {
	all := newSet(len(d.w.Tasks))
	for _, i := range o.index {
		all.add(i)
	}
	behind := newSet(len(d.w.Tasks))
	behind.add(o.index[t.ID])
	for work := t.Targets(); len(work) > 0; work = work[1:] {
		if i, known := o.index[work[0]]; known && !behind.has(i) {
			behind.add(i)
			work = append(work, d.w.Tasks[i].Targets()...)
		}
	}
	all.combine(behind, func(a, b uint64) uint64 { return a &^ b })
	return all
}

// given is what a task is given by others.
type given struct {
	fields map[string]result
	// always is set where everything that leads to the task hands it something, never where
	// nothing does.
	always, never bool
}

// handed is what a task of the workflow is given by those before it.
func (d *decoder) handed(t *Task) given {
	if d.handing == nil {
		d.handing = map[string][]Next{}
		for _, o := range d.w.Tasks {
			for _, next := range []Next{o.OnSuccess, o.OnError} {
				d.handing[next.Task] = append(d.handing[next.Task], next)
			}
			for _, route := range append(o.Routes, Route{Task: o.Default}) {
				d.handing[route.Task] = append(d.handing[route.Task], Next{})
			}
		}
	}
	g := given{fields: map[string]result{}, never: true, always: t != d.w.Tasks[0]}
	for _, next := range d.handing[t.ID] {
		if next.With == nil {
			g.always = false
			continue
		}
		g.never = false
		for _, name := range next.With.Names() {
			g.fields[name] = anyResult
		}
	}
	g.always = g.always && !g.never
	return g
}

// give is the sight of a task's own fields: its input is what others hand on, its own with
// and that of its agent and action. What it is given beside that of the sight is in with.
func (s sight) give(t *Task, g given) (layers, own sight) {
	input, with := s.roots["input"], s.roots["with"]
	switch {
	case g.always:
		input = fieldsOf(g.fields)
		with = input
	case !g.never:
		input, with = anyResult, anyResult
	}
	layers = s.with("input", input).with("with", with)
	fields := map[string]result{}
	maps.Copy(fields, g.fields)
	given := false
	for _, tree := range t.layers() {
		given = given || tree != nil
		for _, name := range tree.Names() {
			fields[name] = treeResult(tree.Field(name))
		}
	}
	if !given {
		return layers, layers
	}
	return layers, s.with("input", fieldsOf(fields)).with("with", fieldsOf(fields))
}

// layers are the values that a task is given in the file, each over the one before it.
func (t *Task) layers() (all []*template.Tree) {
	if t.Agent != nil {
		all = append(all, t.Agent.With)
	}
	if t.With == nil && t.Action != nil {
		return append(all, t.Action.With)
	}
	return append(all, t.With)
}

// task looks at a task's fields, and at the tasks within it.
func (s sight) task(t *Task, g given) {
	layers, own := s.give(t, g)
	for _, tree := range t.layers() {
		layers.tree(tree)
	}
	own.texts(t)
	own.tree(t.Items)
	own.items(t)
	own.entries(t.Attachments)
	if t.Agent != nil {
		own.entries(t.Agent.Attachments)
	}
	if t.Action != nil {
		own.entries(t.Action.Attachments)
		own.actionInput(t)
	}
	own.condition(t.Condition, t, "condition")
	if t.Until != nil && t.Each != nil {
		own.with("output", resultOf(t.Each)).with("index", numberResult).with("item", anyResult).condition(t.Until, t, "until")
	}
	step := own
	for _, c := range t.Tasks {
		if step.task(c, given{never: true}); t.Kind == Composite {
			step = step.after(c)
		}
	}
	switch {
	case t.Each == nil:
	case t.Kind == Repeat:
		own.with("last", resultOf(t.Each)).with("index", numberResult).task(t.Each, given{never: true})
	default:
		own.with("item", s.itemOf(t)).with("index", numberResult).task(t.Each, given{never: true})
	}
	after := own.after(t)
	after.with("output", rawResult(t)).tree(t.Outputs)
	for _, next := range []Next{t.OnSuccess, t.OnError} {
		after.with("output", resultOf(t)).tree(next.With)
	}
}

// texts looks at what a task says to those who do it.
func (s sight) texts(t *Task) {
	text := func(s sight, t *template.Template, at *authored.Node, path, name string) {
		if t != nil {
			s.template(t, at.Field(name), path+"."+name)
		}
	}
	shown := s.with("attachments", anyResult)
	text(shown, t.Prompt, t.At, t.Path, "prompt")
	text(s, t.Message, t.At, t.Path, "message")
	if a := t.Agent; a != nil {
		text(shown, a.Instructions, a.At, a.Path, "instructions")
	}
	if c := t.Action; c != nil {
		shown.demanded = c.Input.demands()
		text(shown, c.Prompt, c.At, c.Path, "prompt")
	}
}

func (s sight) tree(t *template.Tree) { t.Each(s.template) }

func (s sight) entries(all []declared.Entry) {
	for i := range all {
		all[i].Each(s.template)
	}
}

// items refuses what a collection cannot go over.
func (s sight) items(t *Task) {
	text := t.Items.Text()
	if text == nil {
		return
	}
	at, path, hint := t.At.Field("items"), t.Path+".items", "write a list, such as [a, b], or a template that gives one, such as {{ .input.files }}"
	if text.Plain() {
		if listed, err := authored.Parse("items", []byte(text.Text())); err != nil || listed.Kind != authored.List {
			s.d.report.Beyond(authored.RuleReference, at, path, hint, "the items are no list: they are the text %.80q", text.Text())
		}
		return
	}
	if of, _, ok := s.resolve(text.Path()); ok && of.is() != "" && of.is() != isList {
		s.d.report.Beyond(authored.RuleReference, at, path, hint, "the items are no list: .%s is %s", strings.Join(text.Path(), "."), of.is())
	}
}

// itemOf is what is known of the items of a collection.
func (s sight) itemOf(t *Task) result {
	if text := t.Items.Text(); text != nil && !text.Plain() {
		if of, _, ok := s.resolve(text.Path()); ok && of.each != nil {
			return *of.each
		}
	}
	return anyResult
}

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
	case holder != nil && s.where == "the task "+quote(holder.ID): // both are within it
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
