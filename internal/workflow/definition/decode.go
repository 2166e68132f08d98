package definition

import (
	"strings"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
	"belay/internal/template"
)

// Parse reads a workflow file; name is its name, for errors. The error is an
// [*authored.Error] with every problem of the file.
func Parse(name string, data []byte) (*Workflow, error) {
	n, err := authored.Parse(name, data)
	if err != nil {
		return nil, err
	}
	d := &decoder{report: &authored.Report{}, schemas: map[string]*Schema{}}
	w := d.workflow(n)
	return w, d.report.Err(name)
}

// decoder reads one file.
type decoder struct {
	report  *authored.Report
	schemas map[string]*Schema
	w       *Workflow
}

func (d *decoder) workflow(n *authored.Node) *Workflow {
	o := authored.NewObject(n, d.report, "", "a workflow")
	d.w = &Workflow{ID: d.id(o), Version: o.Text("version"), Description: o.Text("description")}
	for i, s := range o.List("schemas") {
		path := authored.At("schemas", i)
		id := ""
		if f := s.Field("id"); f != nil {
			id = f.Text
		}
		if id == "" {
			d.report.Add(s, path, "", "a schema needs id")
			continue
		}
		if d.schemas[id] != nil {
			d.report.Add(s.Field("id"), path+".id", "", "the id %q is given twice", id)
			continue
		}
		d.schemas[id] = d.schema(s, path)
	}
	if c := o.Object("config", "the configuration"); c != nil {
		d.w.Input = d.schemaField(c, "input")
		d.w.Env = d.tree(c, "env")
		c.Done()
	}
	if o.Field("input") != nil {
		if d.w.Input != nil {
			o.FailAt("input", "keep one of them", "the schema of the input is given here and in config.input")
		}
		d.w.Input = d.schemaField(o, "input")
	}
	if o.Field("env") != nil {
		d.w.Env = d.tree(o, "env")
	}
	for i, a := range o.List("agents") {
		d.w.Agents = append(d.w.Agents, d.agent(a, authored.At("agents", i)))
	}
	for i, t := range o.List("tasks") {
		d.w.Tasks = append(d.w.Tasks, d.task(t, authored.At("tasks", i), false))
	}
	if n != nil && n.Kind == authored.Map && len(d.w.Tasks) == 0 {
		o.FailAt("tasks", "", "a workflow needs at least one task")
	}
	d.w.Outputs = d.tree(o, "outputs")
	if s := o.Object("snapshot", "the snapshot"); s != nil {
		d.w.Snapshot = Snapshot{Root: s.Required("root"), Label: s.Text("label")}
		s.Done()
	}
	o.Done()
	d.check()
	return d.w
}

// id is a field that other places refer to.
func (d *decoder) id(o *authored.Object) string {
	id := o.Required("id")
	if id != "" && strings.ContainsFunc(id, notInID) || len(id) > maxID {
		o.FailAt("id", "", "an id has letters, digits, hyphens and underscores, at most %d, and this is %.80q", maxID, id)
	}
	return id
}

const maxID = 64

func notInID(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

func (d *decoder) agent(n *authored.Node, path string) *Agent {
	o := authored.NewObject(n, d.report, path, "an agent")
	a := &Agent{At: n, ID: d.id(o), Instructions: d.template(o, "instructions"), With: d.tree(o, "with")}
	if a.Instructions == nil && o.Node() != nil && o.Field("instructions") == nil {
		o.FailAt("instructions", "", "an agent needs instructions")
	}
	a.Provider, a.Model = d.model(o)
	for i, c := range o.List("actions") {
		a.Actions = append(a.Actions, d.action(c, authored.At(o.Path("actions"), i)))
	}
	a.Attachments = declared.Decode(o.Field("attachments"), d.report, o.Path("attachments"))
	a.Rights = d.rights(o)
	o.Done()
	return a
}

// model is a name, or a mapping with provider and model.
func (d *decoder) model(o *authored.Object) (provider, name string) {
	n := o.Field("model")
	if n == nil || n.Kind != authored.Map {
		return "", o.Text("model")
	}
	m := o.Object("model", "a model")
	provider, name = m.Text("provider"), m.Required("model")
	m.Done()
	return provider, name
}

func (d *decoder) action(n *authored.Node, path string) *Action {
	o := authored.NewObject(n, d.report, path, "an action")
	a := &Action{At: n, ID: d.id(o), Prompt: d.template(o, "prompt"), With: d.tree(o, "with")}
	if a.Prompt == nil && o.Node() != nil && o.Field("prompt") == nil {
		o.FailAt("prompt", "", "an action needs a prompt")
	}
	a.Input, a.Output = d.schemaField(o, "input"), d.schemaField(o, "output")
	a.Attachments = declared.Decode(o.Field("attachments"), d.report, o.Path("attachments"))
	o.Done()
	return a
}

// maxTurns bounds the calls of the model that a task may have.
const maxTurns = 1000

func (d *decoder) rights(o *authored.Object) Rights {
	r := Rights{Tools: o.Texts("tools"), Given: o.Field("tools") != nil}
	if p := o.Object("permissions", "the rules of permission"); p != nil {
		r.Allow, r.Deny = p.Texts("allow"), p.Texts("deny")
		p.Done()
	}
	if b := o.Object("budget", "a budget"); b != nil {
		r.Budget = Budget{
			Turns:  int(b.Int("max_turns", 1, maxTurns)),
			Tokens: b.Int("max_tokens", 1, 1<<40),
			Time:   b.Duration("max_time", maxTime),
		}
		r.Budget.Cost = b.Number("max_cost", 0, 1e6)
		b.Done()
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
	if n := o.Field(name); n != nil && n.Kind != authored.Map {
		o.FailAt(name, "", "it must be a mapping, and this is %s", n.Kind)
		return nil
	}
	return template.ParseTree(o.Field(name), d.report, o.Path(name))
}
