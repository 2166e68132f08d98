package definition

import (
	"belay/internal/attachment/declared"
	"belay/internal/authored"
	"belay/internal/template"
)

// task reads a task, which was held against its shape.
func (d *decoder) task(o *authored.Object, nested bool) *Task {
	t := &Task{At: o.Node(), Path: o.Path("")}
	t.ID, t.Kind = o.Text("id"), Kind(o.Word("type"))
	t.With, t.Outputs = d.tree(o, "with"), d.tree(o, "outputs")
	t.Attachments = declared.Entries(o.Objects("attachments"), d.report)
	t.Timeout, t.Retries = o.Duration("timeout"), int(o.Int("retries"))
	if !nested {
		t.OnSuccess, t.OnError, t.Final = d.next(o, "on_success"), d.next(o, "on_error"), o.Bool("final")
	}
	switch t.Kind {
	case Basic:
		t.Prompt, t.Output = d.template(o, "prompt"), d.schemaField(o, "output")
		t.Provider, t.Model = d.model(o)
		t.Rights = d.rights(o)
		d.who(o, t)
	case Router:
		d.router(o, t)
	case Parallel, Collection, Composite:
		d.several(o, t)
	case Tool:
		if o.Field("tool") != nil { // else it was refused
			t.Tool = o.Word("tool")
		}
		d.toolInput(o, t)
	case Wait:
		t.Message, t.For, t.OnTime = d.template(o, "message"), o.Duration("for"), TimeContinues
		if t.Message != nil {
			t.OnTime = TimeRefuses
		}
		if o.Field("on_time") != nil {
			t.OnTime = o.Word("on_time")
			if o.Field("for") == nil {
				o.Beyond(authored.RuleReference, "on_time", "say with for how long, or remove on_time", "the task has no for, so no time passes")
			}
		}
	case Repeat:
		t.Max, t.Until = int(o.Int("max")), d.condition(o, "until", repeatVariables...)
		if c := o.Object("task"); c != nil {
			t.Each = d.task(c, true)
		}
	}
	return t
}

// condition is a field with an expression, nil where it is left out or wrong.
func (d *decoder) condition(o *authored.Object, name string, more ...string) *Condition {
	text := o.Text(name)
	if text == "" {
		return nil
	}
	c, err := NewCondition(text, more...)
	if err != nil {
		o.Beyond(authored.RuleCondition, name, conditionHint(text, err, more...), "%v", err)
		return nil
	}
	return c
}

func (d *decoder) next(o *authored.Object, name string) Next {
	n := o.Object(name)
	if n == nil {
		return Next{}
	}
	return Next{Task: n.Text("next"), With: d.tree(n, "with")}
}

// who finds the task's agent and action.
func (d *decoder) who(o *authored.Object, t *Task) {
	id := o.Text("agent")
	if a := o.Object("agent"); a != nil { // { id: some-agent }
		id = a.Text("id")
	}
	if id == "" {
		return // it was reported
	}
	if t.Agent = d.w.Agent(id); t.Agent == nil {
		o.Beyond(authored.RuleReference, "agent", meant(d, id, d.w.Agents), "no agent has the id %q", id)
		return
	}
	if want := o.Text("action"); want != "" {
		if t.Action = t.Agent.Action(want); t.Action == nil {
			o.Beyond(authored.RuleReference, "action", meant(d, want, t.Agent.Actions), "the agent %s has no action %q", id, want)
		}
	}
}

func (d *decoder) router(o *authored.Object, t *Task) {
	t.Condition = d.condition(o, "condition")
	for _, f := range o.Map("routes") {
		t.Routes = append(t.Routes, Route{f.Name, f.Value.Text, f.Value})
	}
	t.Default = o.Text("default")
}

func (d *decoder) several(o *authored.Object, t *Task) {
	if t.Kind != Composite {
		t.Strategy, t.Batch = Strategy(o.Word("strategy")), int(o.Int("batch"))
	}
	if t.Kind != Collection {
		for c := range d.objects(o, "tasks") {
			t.Tasks = append(t.Tasks, d.task(c, true))
		}
		return
	}
	if o.Word("mode") == sequential {
		t.Batch = 1
	}
	t.Items = template.ParseTree(o.Field("items"), d.report, o.Path("items"))
	if c := o.Object("task"); c != nil {
		t.Each = d.task(c, true)
	}
}
