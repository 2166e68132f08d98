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

// ParseWith is Parse of a file that may use others.
func ParseWith(ctx context.Context, name string, data []byte, open Opener) (*Workflow, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	n, err := authored.Parse(name, data)
	if err != nil {
		return nil, err
	}
	d := &decoder{ctx: ctx, report: &authored.Report{}, schemas: map[string]*Schema{}, shared: map[string]*Action{}, open: open}
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
	if d.open == nil {
		d.report.Beyond(authored.RuleReference, n, path, "check the workflow as a file", "the file %s cannot be read here", n.Text)
		return
	}
	data, err := d.open(n.Text)
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
		report := &authored.Report{}
		own := &decoder{ctx: d.ctx, report: report, schemas: d.schemas, shared: d.shared, w: d.w}
		o := authored.Read(root, report, "", sharedShape)
		own.namedSchemas(o)
		for c := range own.objects(o, "actions") {
			a := own.action(c)
			a.Path = "use(" + n.Text + ")." + a.Path
			if d.shared[a.ID] != nil {
				c.Beyond(authored.RuleDuplicate, "id", "", "the shared action %q is there already", a.ID)
				continue
			}
			d.shared[a.ID] = a
		}
		for c := range own.objects(o, "agents") {
			a := own.agent(c)
			a.Path = "use(" + n.Text + ")." + a.Path
			d.w.Agents = append(d.w.Agents, a)
		}
		d.schemaIDs = append(d.schemaIDs, own.schemaIDs...)
		err = report.Err(n.Text)
	}
	var wrong *authored.Error
	if errors.As(err, &wrong) {
		for _, p := range wrong.Problems {
			d.report.Beyond(p.Rule, n, path, p.Hint, "%s", strings.TrimSuffix(n.Text+":"+p.String(), " ("+p.Hint+")"))
		}
	} else if err != nil {
		d.report.Beyond(authored.RuleReference, n, path, "", "the file %s: %v", n.Text, err)
	}
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
			d.report.Beyond(authored.RuleReference, n, authored.At(o.Path("use"), i), meant(d, n.Text, known), "no used file has an action %q", n.Text)
			continue
		}
		all = append(all, a)
	}
	return all
}

// sharedID is the id of a shared action.
type sharedID string

func (s sharedID) id() string { return string(s) }
