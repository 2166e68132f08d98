package definition

import (
	"strings"
	"time"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
	"belay/internal/template"
)

// The bounds of tasks.
const (
	maxTime    = 24 * time.Hour
	maxRetries = 10
	maxBatch   = 1000
)

// task reads a task; nested is one within another, which is not followed by any.
func (d *decoder) task(n *authored.Node, path string, nested bool) *Task {
	o := authored.NewObject(n, d.report, path, "a task")
	t := &Task{At: n, Path: path}
	t.ID = d.id(o)
	t.Kind = Kind(o.OneOf("type", string(Basic), string(Router), string(Parallel), string(Collection)))
	t.With, t.Outputs = d.tree(o, "with"), d.tree(o, "outputs")
	t.Attachments = declared.Decode(o.Field("attachments"), d.report, o.Path("attachments"))
	t.Timeout = o.Duration("timeout", maxTime)
	t.Retries = int(o.Int("retries", 1, maxRetries))
	if nested {
		for _, name := range []string{"on_success", "on_error", "final"} {
			if o.Field(name) != nil {
				o.FailAt(name, "say what follows on the task that holds this one", "a task within another has no %s", name)
			}
		}
	} else {
		t.OnSuccess, t.OnError = d.next(o, "on_success"), d.next(o, "on_error")
		if t.Final = o.Bool("final"); t.Final && t.OnSuccess.Task != "" {
			o.FailAt("final", "remove one of them", "the task is final, and on_success names a next one")
		}
	}
	switch t.Kind {
	case Basic:
		d.basic(o, t)
	case Router:
		d.router(o, t, nested)
	case Parallel, Collection:
		d.several(o, t)
	}
	o.Done()
	return t
}

func (d *decoder) next(o *authored.Object, name string) Next {
	n := o.Object(name, name)
	if n == nil {
		return Next{}
	}
	next := Next{Task: n.Required("next"), With: d.tree(n, "with")}
	n.Done()
	return next
}

func (d *decoder) basic(o *authored.Object, t *Task) {
	t.Prompt = d.template(o, "prompt")
	t.Output = d.schemaField(o, "output")
	_, t.Model = d.model(o)
	t.Rights = d.rights(o)
	d.who(o, t)
	if t.Agent != nil && t.Action == nil && o.Field("action") == nil && o.Field("prompt") == nil {
		o.Fail("", "a task needs an action of its agent, or a prompt")
	}
}

// who finds the task's agent and action.
func (d *decoder) who(o *authored.Object, t *Task) {
	n := o.Field("agent")
	if n == nil {
		if o.Node() != nil {
			o.FailAt("agent", "", "a task needs an agent")
		}
		return
	}
	var id string
	if n.Kind == authored.Map { // { id: some-agent }
		a := o.Object("agent", "an agent's name")
		id = a.Required("id")
		a.Done()
	} else {
		id = o.Text("agent")
	}
	if t.Agent = d.w.Agent(id); t.Agent == nil {
		if id != "" {
			d.unknown(o, "agent", "no agent has the id", id, d.agentIDs())
		}
		o.Field("action")
		return
	}
	if want := o.Text("action"); want != "" {
		if t.Action = t.Agent.Action(want); t.Action == nil {
			var ids []string
			for _, a := range t.Agent.Actions {
				ids = append(ids, a.ID)
			}
			d.unknown(o, "action", "the agent "+id+" has no action", want, ids)
		}
	}
}

func (d *decoder) agentIDs() []string {
	var ids []string
	for _, a := range d.w.Agents {
		ids = append(ids, a.ID)
	}
	return ids
}

func (d *decoder) unknown(o *authored.Object, field, message, id string, known []string) {
	o.FailAt(field, oneOf(id, known), "%s %q", message, id)
}

func (d *decoder) router(o *authored.Object, t *Task, nested bool) {
	if nested {
		o.FailAt("type", "", "a router chooses what follows, and nothing follows a task within another")
	}
	if text := o.Required("condition"); text != "" {
		var err error
		if t.Condition, err = NewCondition(text); err != nil {
			o.FailAt("condition", "", "%v", err)
		}
	}
	for _, f := range o.Map("routes") {
		id := f.Value.Text
		if f.Value.Kind != authored.Text || strings.TrimSpace(id) == "" {
			d.report.Add(f.Value, o.Path("routes")+"."+f.Name, "", "a route leads to the id of a task")
			continue
		}
		t.Routes = append(t.Routes, Route{f.Name, id})
	}
	if len(t.Routes) == 0 && o.Node() != nil && (o.Field("routes") == nil || o.Field("routes").Kind == authored.Map) {
		o.FailAt("routes", "", "a router needs routes")
	}
	t.Default = o.Text("default")
	if t.OnSuccess.Task != "" {
		o.FailAt("on_success", "routes and default say what follows", "a router has no on_success")
	}
	if t.Final {
		o.FailAt("final", "", "a router is never final")
	}
}

func (d *decoder) several(o *authored.Object, t *Task) {
	t.Strategy = Strategy(o.OneOf("strategy", string(WaitAll), string(FailFast), string(BestEffort), string(Race)))
	t.Batch = int(o.Int("batch", 1, maxBatch))
	if t.Kind == Parallel {
		for i, c := range o.List("tasks") {
			t.Tasks = append(t.Tasks, d.task(c, authored.At(o.Path("tasks"), i), true))
		}
		if len(t.Tasks) == 0 && o.Node() != nil && (o.Field("tasks") == nil || o.Field("tasks").Kind == authored.List) {
			o.FailAt("tasks", "", "a parallel task needs tasks")
		}
		return
	}
	if o.OneOf("mode", "parallel", "sequential") == "sequential" {
		if t.Batch > 1 {
			o.FailAt("batch", "", "a sequential collection takes one item at a time")
		}
		t.Batch = 1
	}
	if n := o.Field("items"); n == nil {
		o.FailAt("items", "write a list, or a template that gives one", "a collection needs items")
	} else {
		t.Items = template.ParseTree(n, d.report, o.Path("items"))
	}
	if n := o.Field("task"); n == nil {
		o.FailAt("task", "", "a collection needs the task that is run for each item")
	} else {
		t.Each = d.task(n, o.Path("task"), true)
	}
}
