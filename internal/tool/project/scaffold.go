package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/scaffold"
)

// scaffolder makes the project's folders and minimum files of a decomposition.
type scaffolder struct{ o scaffold.Options }

type scaffoldInput struct {
	Decomposition string `json:"decomposition"`
	Name          string `json:"name"`
	Coordination  string `json:"coordination"`
}

// Spec implements [tool.Tool].
func (scaffolder) Spec() tool.Spec {
	return tool.Spec{
		Name: "project.scaffold",
		Description: "Make this project's packages and deliverables of a decomposition: the folders, and for each deliverable " +
			"the files that it has in state OPEN, filled from the document. What exists stays as it is, so it can be repeated " +
			"after the document was edited. The result lists what was made and what is at odds.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["decomposition"],"properties":{
"decomposition":{"type":"string","minLength":1,"description":"the Markdown document, relative to the project, such as _Decomposition/bridge.md"},
"name":{"type":"string","description":"the project's name; the document's title without it"},
"coordination":{"type":"string","enum":["SCHEDULE_FIRST","DEPENDENCY_TRACKED","HYBRID"],"description":"DEPENDENCY_TRACKED without it"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (t scaffolder) Prepare(_ context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	var in scaffoldInput
	if err := tool.Decode(input, &in); err != nil {
		return nil, err
	}
	name, err := local(w, "decomposition", in.Decomposition, false)
	if err != nil {
		return nil, err
	}
	c := &scaffoldCall{w: w, o: t.o, name: name, r: scaffold.Request{
		ExecutionRoot: w.Project, DecompositionPath: filepath.Join(w.Project, filepath.FromSlash(name)),
		ProjectName: in.Name, CoordinationMode: in.Coordination,
	}}
	c.o.Read = func(string) ([]byte, error) {
		f, err := durable.OpenInside(w.Root, name) // a link may lead to what agents are not shown
		if err != nil {
			return nil, err
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, t.o.MaxBytes+1))
		if err == nil && int64(len(data)) > t.o.MaxBytes {
			err = durable.ErrTooLarge
		}
		return data, err
	}
	p, err := scaffold.Preview(c.r, c.o)
	if err != nil {
		return nil, explain(err)
	}
	c.shown = shownOf(p)
	return c, c.allowed(p)
}

// scaffoldCall is one call: shown is what a person saw of it.
type scaffoldCall struct {
	w     *tool.Environment
	o     scaffold.Options
	r     scaffold.Request
	name  string
	shown preview
}

// preview is what a run would do, to be compared.
type preview struct {
	source   string
	makes    []string
	replaces string
}

func shownOf(p *scaffold.Plan) preview {
	v := preview{source: p.Source()}
	for _, m := range p.Makes() {
		name := m.Path
		if m.Data == nil {
			name += "/"
		}
		v.makes = append(v.makes, name)
	}
	v.replaces, _ = p.Replaces()
	return v
}

func (v preview) text() string {
	return v.source + "\n" + v.replaces + "\n" + strings.Join(v.makes, "\n")
}

// allowed asks the scope about everything that would be made.
func (c *scaffoldCall) allowed(p *scaffold.Plan) error {
	asked := map[string]bool{}
	for _, m := range p.Makes() {
		dir := m.Path
		if m.Data != nil {
			dir = path.Dir(dir)
		}
		if !asked[dir] {
			asked[dir] = true
			if err := mayMake(c.w, dir); err != nil {
				return err
			}
		}
	}
	if name, _ := p.Replaces(); name != "" {
		return refused(c.w.Scope.Allows(name, true))
	}
	return nil
}

// maxShown bounds how many names a person and the model get.
const maxShown = 400

// Effect implements [tool.Call].
func (c *scaffoldCall) Effect() permit.Effect {
	e := permit.Effect{Tool: "project.scaffold", Kind: permit.Write}
	var list []string
	folders := 0
	if c.shown.replaces != "" {
		e.Paths = append(e.Paths, c.shown.replaces)
		list = append(list, "~ "+c.shown.replaces+" (the version that is there goes to the archive)")
	}
	for _, name := range c.shown.makes {
		if strings.HasSuffix(name, "/") {
			folders++
		} else {
			e.Paths = append(e.Paths, name)
		}
		list = append(list, "+ "+name)
	}
	e.Summary = clip(fmt.Sprintf("make %d folders and %d files of %s", folders, len(e.Paths), c.name))
	e.Diff = lines(list, maxShown)
	return e
}

// Run implements [tool.Call].
func (c *scaffoldCall) Run(ctx context.Context) (tool.Result, error) {
	pass, err := c.w.Gate.Enter(ctx, c.w.Project)
	if err != nil {
		return tool.Result{}, err
	}
	res, err := c.make(ctx)
	if err = errors.Join(err, pass.Leave()); err == nil {
		return c.result(res), nil
	}
	if _, refusal := tool.AsRefusal(err); refusal {
		return tool.Result{}, err
	}
	return tool.Result{}, explain(err)
}

// make does what was shown, if it still is what is to be done.
func (c *scaffoldCall) make(ctx context.Context) (scaffold.Result, error) {
	var intended []session.Change
	c.o.Confirm = func(p *scaffold.Plan) error {
		if shownOf(p).text() != c.shown.text() {
			return tool.Refuse("the project or %s changed meanwhile", c.name).WithHint("call project.scaffold again")
		}
		if err := c.allowed(p); err != nil {
			return err
		}
		var err error
		intended, err = c.intend(ctx, p)
		return err
	}
	res, err := scaffold.Run(ctx, c.r, c.o)
	c.note(intended) // also what was made before it failed
	return res, err
}

// result is the result for the model.
func (c *scaffoldCall) result(res scaffold.Result) tool.Result {
	var b strings.Builder
	fmt.Fprintf(&b, "packages: %d, deliverables: %d; made: %d folders, %d files\n",
		res.PackageCount, res.DeliverableCount, len(res.Created.Directories), len(res.Created.Files))
	for _, d := range res.LayoutValidation.Deliverables {
		if rel, err := filepath.Rel(c.w.Project, d.Path); err == nil {
			fmt.Fprintf(&b, "%s %s\n", d.ID, filepath.ToSlash(rel))
		}
	}
	errs, warnings := finding.Count(res.Findings)
	if errs+warnings > 0 {
		fmt.Fprintf(&b, "%d errors and %d warnings:\n", errs, warnings)
	}
	for _, f := range res.Findings {
		fmt.Fprintf(&b, "%s %s %s:%d: %s; %s\n", f.Severity, f.Code, f.Path, f.Line, f.Message, f.Fix)
	}
	return cut(b.String(), c.w.Limits.OutputBytes)
}

// cut bounds a result.
func cut(text string, most int64) tool.Result {
	if int64(len(text)) <= most {
		return tool.Result{Text: text}
	}
	return tool.Result{Text: strings.ToValidUTF8(text[:most], ""), Truncated: true}
}
