package project

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/workspace/index"
	"belay/internal/workspace/resolve"
	"belay/internal/workspace/scan"
)

// lister looks up deliverables.
type lister struct{ index *index.Set }

type listInput struct {
	State   string `json:"state"`
	Package string `json:"package"`
	Query   string `json:"query"`
	Copies  bool   `json:"copies"`
}

// Spec implements [tool.Tool].
func (lister) Spec() tool.Spec {
	states, err := json.Marshal(scan.States())
	if err != nil {
		panic("project: the states do not encode: " + err.Error()) // they are words of this program
	}
	return tool.Spec{
		Name: "project.list",
		Description: "Look up this project's deliverables: each with its id, its state as _STATUS.md has it, its folder, and which of its " +
			"documents are missing. Without input it lists all that are worked on. Use it instead of searching for folders.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
"state":{"type":"string","enum":` + string(states) + `,"description":"only those in this state"},
"package":{"type":"string","minLength":1,"description":"only those of this package, by its id, folder or label"},
"query":{"type":"string","minLength":1,"description":"only those whose id or name contains this, letter case apart"},
"copies":{"type":"boolean","description":"also those that are archived, in review or issued"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (t lister) Prepare(_ context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	c := &listCall{w: w, index: t.index}
	if err := tool.Decode(input, &c.in); err != nil {
		return nil, err
	}
	return c, nil
}

type listCall struct {
	w     *tool.Environment
	index *index.Set
	in    listInput
}

// Effect implements [tool.Call].
func (c *listCall) Effect() permit.Effect {
	return permit.Effect{Tool: "project.list", Kind: permit.Read, Summary: "look up deliverables", Paths: []string{"."}}
}

// Run implements [tool.Call].
func (c *listCall) Run(ctx context.Context) (tool.Result, error) {
	s, err := current(ctx, c.w, c.index)
	if err != nil {
		return tool.Result{}, err
	}
	folders := s.Deliverables
	if c.in.Copies {
		folders = append(folders[:len(folders):len(folders)], s.Copies...)
	}
	var pkg *scan.Package
	if c.in.Package != "" {
		if pkg, err = resolve.In(c.w.Project, s.Result, c.w.Scope.Hidden).Package(c.in.Package); err != nil {
			return tool.Result{}, unnamed(err)
		}
	}
	var found []*scan.Folder
	for _, f := range folders {
		if c.wants(f, pkg) {
			found = append(found, f)
		}
	}
	return c.result(s, found), nil
}

// wants reports whether a deliverable is asked for; pkg is nil for those of all packages.
func (c *listCall) wants(f *scan.Folder, pkg *scan.Package) bool {
	query := strings.ToLower(c.in.Query)
	return (c.in.State == "" || c.in.State == f.Status) &&
		(pkg == nil || f.Package == pkg.Folder) &&
		(query == "" || strings.Contains(strings.ToLower(f.ID+" "+f.Name), query)) &&
		!c.w.Scope.Hidden(f.Path)
}

// result is the list for the model, cut to its limit.
func (c *listCall) result(s *index.Snapshot, found []*scan.Folder) tool.Result {
	var b strings.Builder
	shown := 0
	for _, f := range found {
		line := described(f)
		if shown == c.w.Limits.Matches || int64(b.Len()+len(line)+200) > c.w.Limits.OutputBytes {
			break
		}
		b.WriteString(line)
		shown++
	}
	result := tool.Result{Truncated: shown < len(found) || s.Truncated}
	switch {
	case len(s.Deliverables) == 0 && len(s.Packages) == 0:
		b.WriteString("(the project has no packages: it is no execution root)\n")
	case len(found) == 0:
		fmt.Fprintf(&b, "(none of the %d deliverables is like that)\n", len(s.Deliverables))
	case shown < len(found):
		fmt.Fprintf(&b, "[the first %d of %d; narrow it with state, package or query]\n", shown, len(found))
	}
	if s.Truncated {
		b.WriteString("[the project is larger than what is looked at; there may be more]\n")
	}
	if n := len(s.Findings); n > 0 {
		fmt.Fprintf(&b, "[the layout has %d findings, the first: %s]\n", n, clip(tool.Printable(s.Findings[0].Path+": "+s.Findings[0].Message)))
	}
	result.Text = b.String()
	return result
}

// described is a line of the list.
func described(f *scan.Folder) string {
	state := f.Status
	if f.Recorded != "" {
		state += " (" + clip(tool.Printable(f.Recorded)) + ")"
	}
	line := f.ID + "  " + state
	if f.Place != scan.Working {
		line += "  " + string(f.Place)
	}
	line += "  " + tool.Printable(f.Path)
	const all = scan.Status | scan.Context | scan.Dependencies | scan.References | scan.DocumentKit
	if missing := all &^ f.Files; missing != 0 && f.Place == scan.Working {
		line += "  (no " + strings.Join(missing.Names(), ", ") + ")"
	}
	return line + "\n"
}
