package definition

import (
	"cmp"
	"context"
	"iter"
	"strings"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
	"belay/internal/fault"
	"belay/internal/template"
	"belay/internal/workspace/snapshot"
)

// Parse reads a workflow file; name is its name, for errors. The error is an
// [*authored.Error] with every problem of the file, or ctx's: a large file takes its
// time.
func Parse(ctx context.Context, name string, data []byte) (*Workflow, error) {
	return ParseWith(ctx, name, data, Options{})
}

// decoder reads one file.
type decoder struct {
	ctx     context.Context
	report  *authored.Report
	schemas map[string]*Schema
	// schemaIDs are the ids of schemas in the file's order.
	schemaIDs []schemaID
	w         *Workflow
	hints     int // how many were looked for
	known     Options
	// shared are the actions of used files, by id.
	shared map[string]*Action
	// handing is what leads to each task, by its id.
	handing map[string][]Next
	// circle is set where tasks lead back to themselves.
	circle bool
}

func (d *decoder) workflow(n *authored.Node) *Workflow {
	o := authored.Read(n, d.report, "", workflowShape)
	d.w = &Workflow{ID: o.Text("id"), Version: o.Text("version"), Description: o.Text("description")}
	d.use(o)
	d.namedSchemas(o)
	if c := o.Object("config"); c != nil {
		d.w.Input, d.w.Env = d.schemaField(c, "input"), d.tree(c, "env")
		d.defaultsFit(c.Field("input"), c.Path("input"))
	}
	if o.Field("input") != nil {
		d.w.Input = d.schemaField(o, "input")
		d.defaultsFit(o.Field("input"), o.Path("input"))
	}
	if o.Field("env") != nil {
		d.w.Env = d.tree(o, "env")
	}
	d.w.Project, _ = declared.OfProject(o)
	for a := range d.objects(o, "agents") {
		d.w.Agents = append(d.w.Agents, d.agent(a))
	}
	d.w.agents = byID(d.w.Agents)
	for t := range d.objects(o, "tasks") {
		d.w.Tasks = append(d.w.Tasks, d.task(t, false))
	}
	d.w.tasks = byID(d.w.Tasks)
	d.w.Outputs = d.tree(o, "outputs")
	if s := o.Object("snapshot"); s != nil {
		d.w.Snapshot = Snapshot{Root: s.Text("root"), Label: s.Text("label"), At: cmp.Or(s.Field("root"), s.Node())}
		d.target(s)
	}
	d.check()
	return d.w
}

// target refuses a folder in which no snapshot can be.
func (d *decoder) target(o *authored.Object) {
	t := snapshot.Target{ToolRoot: d.w.Snapshot.Root, Label: cmp.Or(d.w.Snapshot.Label, "label")} // else it is the workflow's id
	err := t.Check()
	if err == nil || t.ToolRoot == "" {
		return // that it is missing was reported
	}
	f, name := fault.From(err), "root"
	if f.Details["field"] == "label" {
		name = "label"
	}
	field, _ := f.Details["field"].(string)
	o.Beyond(authored.RuleReference, name, "", "it %s", strings.TrimPrefix(f.Message, field+" "))
}

// objects are those of a field, and no more of them once nobody wants the file.
func (d *decoder) objects(o *authored.Object, name string) iter.Seq[*authored.Object] {
	return func(yield func(*authored.Object) bool) {
		for _, c := range o.Objects(name) {
			if d.ctx.Err() != nil || !yield(c) {
				return
			}
		}
	}
}

func (d *decoder) agent(o *authored.Object) *Agent {
	a := &Agent{At: o.Node(), Path: o.Path(""), ID: o.Text("id"), Instructions: d.template(o, "instructions"), With: d.tree(o, "with"), Rights: d.rights(o)}
	a.Provider, a.Model = d.model(o)
	for c := range d.objects(o, "actions") {
		a.Actions = append(a.Actions, d.action(c))
	}
	a.Actions = append(a.Actions, d.sharedActions(o)...)
	a.actions = byID(a.Actions)
	a.Attachments = declared.Entries(o.Objects("attachments"), d.report)
	return a
}

// model is a name, or a mapping with provider and model.
func (d *decoder) model(o *authored.Object) (provider, name string) {
	if m := o.Object("model"); m != nil {
		return d.provider(m), m.Text("model")
	}
	return "", o.Text("model")
}

func (d *decoder) action(o *authored.Object) *Action {
	a := &Action{At: o.Node(), Path: o.Path(""), ID: o.Text("id"), Prompt: d.template(o, "prompt"), With: d.tree(o, "with")}
	a.Input, a.Output = d.schemaField(o, "input"), d.schemaField(o, "output")
	a.Attachments = declared.Entries(o.Objects("attachments"), d.report)
	return a
}

func (d *decoder) rights(o *authored.Object) Rights {
	d.permitted(o)
	r := Rights{Tools: o.Texts("tools"), Given: o.Field("tools") != nil}
	if p := o.Object("permissions"); p != nil {
		r.Allow, r.Deny = p.Texts("allow"), p.Texts("deny")
	}
	if b := o.Object("budget"); b != nil {
		r.Budget = Budget{Turns: int(b.Int("max_turns")), Tokens: b.Int("max_tokens"), Cost: b.Number("max_cost"), Time: b.Duration("max_time")}
	}
	return r
}

// template is a field of text; nil where it is left out or wrong.
func (d *decoder) template(o *authored.Object, name string) *template.Template {
	if o.Text(name) == "" {
		return nil
	}
	return template.ParseNode(o.Field(name), d.report, o.Path(name))
}

// tree is a mapping of values with templates.
func (d *decoder) tree(o *authored.Object, name string) *template.Tree {
	return template.ParseTree(o.Field(name), d.report, o.Path(name))
}
