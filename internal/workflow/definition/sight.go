package definition

import (
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
	// results are, and gives those of them that have an output. sure and gives are nil where
	// that is not known. steps are tasks within others that are done as well.
	may, sure, gives set
	steps            []*Task
	// where is the field's owner to people, top the task of the workflow that it is in.
	where string
	top   *Task
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
			s.sure, s.gives = s.sure.plus(i), s.gives.plus(i)
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
			s.order.sure[i], s.order.gives[i] = nil, nil
		}
		of.top, of.may, of.sure, of.gives = t, s.order.may[i], s.order.sure[i], s.order.gives[i]
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
		s.sure, s.gives = s.order.end, s.order.endGives
	}
	s.with("output", anyResult).tree(d.w.Outputs)
}

// beforeAll is the sight of what is evaluated before the first task: the workflow's env.
func (s sight) beforeAll() sight {
	s.where, s.may, s.sure, s.gives = "the workflow's env", newSet(len(s.d.w.Tasks)), nil, nil
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

// task looks at a task's fields, and at the tasks within it.
func (s sight) task(t *Task, g given) {
	s.where = "the task " + quote(t.ID)
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
