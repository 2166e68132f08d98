package definition

import (
	"context"
	"errors"
	"strings"

	"belay/internal/authored"
	"belay/internal/lazyregexp"
)

// Opener reads a file that a workflow uses. The name is that of a file in the workflow's
// own folder; the opener follows no link out of it.
type Opener func(name string) ([]byte, error)

// usedName is what the name of a used file looks like: of one in the same folder.
var usedName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9 ._-]{0,100}\.(?:ya?ml|json)$`)

// maxUsed is how many files a workflow may use.
const maxUsed = 20

// sharedShape is a file that workflows use.
var sharedShape = &authored.Shape{
	Name: "shared", What: "a file of shared agents",
	Doc: "Agents, actions and schemas for the workflows of one folder, which name the file under use.",
	Keys: []authored.Key{
		{Name: "$schema", Value: anyText, Doc: "The schema that editors hold the file against. Nobody else reads it."},
		{Name: "description", Value: anyText, Doc: "What the file is for."},
		{Name: "schemas", Value: authored.ListOf{Each: jsonSchema{named: true}}, Doc: "JSON Schemas, each with an id that the file and the workflows name."},
		{Name: "actions", Value: authored.ListOf{Each: actionShape}, Doc: "Actions that agents name under use."},
		{Name: "agents", Value: authored.ListOf{Each: agentShape}, Doc: "Agents that the workflows have beside their own."},
	},
}

// ParseWith is Parse of a file that may use others, and of which more is known.
func ParseWith(ctx context.Context, name string, data []byte, known Options) (*Workflow, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	n, err := authored.Parse(name, data)
	if err != nil {
		return nil, err
	}
	d := &decoder{ctx: ctx, report: &authored.Report{}, schemas: map[string]*Schema{}, shared: map[string]*Action{}, known: known}
	w := d.workflow(n)
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	return w, d.report.Err(name)
}

// use reads the files that the workflow uses: first their schemas and actions, which their
// agents and those of the workflow may name.
func (d *decoder) use(o *authored.Object) {
	seen := map[string]bool{}
	for i, n := range o.List("use") {
		path := authored.At("use", i)
		switch {
		case n == nil || d.ctx.Err() != nil:
		case i >= maxUsed:
			d.report.Beyond(authored.RuleReference, n, path, "", "a workflow uses at most %d files", maxUsed)
			return
		case seen[n.Text]:
			d.report.Beyond(authored.RuleDuplicate, n, path, "", "the file %q is used twice", n.Text)
		case !usedName.MatchString(n.Text):
			d.report.Beyond(authored.RuleReference, n, path, "write its name alone, such as agents.yaml", "%q names no YAML or JSON file in the workflow's folder", n.Text)
		default:
			seen[n.Text] = true
			d.used(n, path)
		}
	}
}

// used reads one file. Its problems are reported at the place that names it.
func (d *decoder) used(n *authored.Node, path string) {
	if d.known.Open == nil {
		d.report.Beyond(authored.RuleReference, n, path, "check the workflow as a file", "the file %s cannot be read here", n.Text)
		return
	}
	data, err := d.known.Open(n.Text)
	if err != nil {
		d.report.Beyond(authored.RuleReference, n, path, "it must be a file in the workflow's folder", "the file %s cannot be read: %v", n.Text, cause(err))
		return
	}
	if d.w.Used == nil {
		d.w.Used = map[string][]byte{}
	}
	d.w.Used[n.Text] = data
	root, err := authored.Parse(n.Text, data)
	if err == nil {
		err = d.sharedFile(root, n.Text).Err(n.Text)
	}
	if wrong, ok := errors.AsType[*authored.Error](err); ok {
		for _, p := range wrong.Problems {
			d.report.Beyond(p.Rule, n, path, p.Hint, "%s", strings.TrimSuffix(n.Text+":"+p.String(), " ("+p.Hint+")"))
		}
	} else if err != nil {
		d.report.Beyond(authored.RuleReference, n, path, "", "the file %s: %v", n.Text, err)
	}
}

// sharedFile takes over what a used file has: its schemas, actions and agents.
func (d *decoder) sharedFile(root *authored.Node, name string) *authored.Report {
	own := &decoder{ctx: d.ctx, report: &authored.Report{}, schemas: d.schemas, shared: d.shared, w: d.w, known: d.known}
	o := authored.Read(root, own.report, "", sharedShape)
	own.namedSchemas(o)
	for c := range own.objects(o, "actions") {
		a := own.action(c)
		a.Path = "use(" + name + ")." + a.Path
		if d.shared[a.ID] != nil {
			c.Beyond(authored.RuleDuplicate, "id", "", "the shared action %q is there already", a.ID)
			continue
		}
		d.shared[a.ID] = a
	}
	for c := range own.objects(o, "agents") {
		a := own.agent(c)
		a.Path = "use(" + name + ")." + a.Path
		d.w.Agents = append(d.w.Agents, a)
	}
	d.schemaIDs = append(d.schemaIDs, own.schemaIDs...)
	return own.report
}

// Shared is what a file of shared agents has.
type Shared struct{ Agents, Actions, Schemas int }

// ParseShared reads a file of shared agents by itself. It is false for any other: one that
// has an id or tasks is a workflow. What its templates look at is known where a workflow uses it.
func ParseShared(ctx context.Context, name string, data []byte, known Options) (s Shared, is bool, _ error) {
	n, err := authored.Parse(name, data)
	if err != nil || n.Kind != authored.Map || n.Field("id") != nil || n.Field("tasks") != nil ||
		n.Field("agents") == nil && n.Field("actions") == nil && n.Field("schemas") == nil {
		return s, false, nil // reading it as a workflow says what is wrong
	}
	d := &decoder{ctx: ctx, report: &authored.Report{}, schemas: map[string]*Schema{}, shared: map[string]*Action{}, w: &Workflow{}, known: known}
	report := d.sharedFile(n, name)
	if err := ctx.Err(); err != nil {
		return s, true, context.Cause(ctx)
	}
	d.report = report
	unique(d, "agent", d.w.Agents)
	for _, a := range d.w.Agents {
		unique(d, "action", a.Actions)
	}
	return Shared{len(d.w.Agents), len(d.shared), len(d.schemas)}, true, report.Err(name)
}

// cause is an error without the operation that met it.
func cause(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// sharedActions are those that an agent names under use.
func (d *decoder) sharedActions(o *authored.Object) (all []*Action) {
	for i, n := range o.List("use") {
		if n == nil {
			continue
		}
		a := d.shared[n.Text]
		if a == nil {
			known := make([]sharedID, 0, len(d.shared))
			for id := range d.shared {
				known = append(known, sharedID(id))
			}
			hint := meant(d, n.Text, known)
			if len(known) == 0 {
				hint = "shared actions are in files that the workflow names under use; those of the agent itself need no use"
			}
			d.report.Beyond(authored.RuleReference, n, authored.At(o.Path("use"), i), hint, "no used file has an action %q", n.Text)
			continue
		}
		all = append(all, a)
	}
	return all
}

// sharedID is the id of a shared action.
type sharedID string

func (s sharedID) id() string { return string(s) }
