package project

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/graph"
	"belay/internal/workspace/graph/load"
	"belay/internal/workspace/index"
	"belay/internal/workspace/scan"
)

// grapher reads the dependencies of the whole project.
type grapher struct{ index *index.Set }

type graphInput struct {
	Show        string `json:"show"`
	Deliverable string `json:"deliverable"`
}

// What the tool shows.
const (
	showSummary = "summary"
	showAround  = "around"
	showImpact  = "impact"
	showReady   = "ready"
	showBlocked = "blocked"
	showCycles  = "cycles"
	showOrder   = "order"
)

// Spec implements [tool.Tool].
func (grapher) Spec() tool.Spec {
	return tool.Spec{
		Name: "project.graph",
		Description: "Read the dependencies of the whole project, from the registers of all deliverables. " +
			"Without input it counts them, and lists what is ready, blocked, circular and unresolved. " +
			"With a deliverable it shows what that needs, what needs it and what it waits for; with show impact everything that a change to it reaches. " +
			"show ready, blocked, cycles and order list deliverables of the project.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
"show":{"type":"string","enum":["summary","around","impact","ready","blocked","cycles","order"],"description":"what to show; around needs a deliverable, as impact does"},
"deliverable":{"type":"string","minLength":1,"maxLength":500,"description":"its id, such as DEL-01-02, its key PKG-01::DEL-01-02, its label, or the path of its folder"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (t grapher) Prepare(ctx context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	c := &graphCall{w: w, index: t.index}
	if err := tool.Decode(input, &c.in); err != nil {
		return nil, err
	}
	switch one := c.in.Show == showAround || c.in.Show == showImpact; {
	case c.in.Show == "" && c.in.Deliverable == "":
		c.in.Show = showSummary
	case c.in.Show == "":
		c.in.Show = showAround
	case one && c.in.Deliverable == "":
		return nil, tool.Refuse("show %s is about one deliverable", c.in.Show).WithHint("give its id as deliverable")
	case !one && c.in.Deliverable != "":
		return nil, tool.Refuse("show %s is about the whole project", c.in.Show).WithHint("leave deliverable out, or show around or impact")
	}
	if c.in.Deliverable == "" {
		return c, nil
	}
	f, err := find(ctx, w, t.index, c.in.Deliverable)
	if err != nil {
		return nil, err
	}
	c.id = f.ID
	return c, nil
}

type graphCall struct {
	w     *tool.Environment
	index *index.Set
	in    graphInput
	id    string // of the deliverable that is asked about
}

// Effect implements [tool.Call].
func (c *graphCall) Effect() permit.Effect {
	return permit.Effect{Tool: "project.graph", Kind: permit.Read, Summary: "read the project's dependencies", Paths: []string{"."}}
}

// Run implements [tool.Call].
func (c *graphCall) Run(ctx context.Context) (tool.Result, error) {
	s, err := current(ctx, c.w, c.index)
	if err != nil {
		return tool.Result{}, err
	}
	var open []*scan.Folder
	for _, f := range s.Deliverables {
		if !c.w.Scope.Hidden(f.Path) {
			open = append(open, f)
		}
	}
	g, unread, err := load.Graph(ctx, s.Root, open)
	if err != nil {
		return tool.Result{}, err
	}
	all, err := c.answer(ctx, g)
	if err != nil {
		return tool.Result{}, err
	}
	closed := slices.DeleteFunc(s.Unread(), func(f finding.Finding) bool { return c.w.Scope.Hidden(f.Path) })
	return c.result(all, append(closed, unread...), s.Truncated), nil
}

// answer is what was asked for, line by line.
func (c *graphCall) answer(ctx context.Context, g *graph.Graph) ([]string, error) {
	switch c.in.Show {
	case showImpact:
		impact, ok := g.Impact(c.id)
		if !ok {
			return nil, gone(c.id)
		}
		return impactLines(impact), nil
	case showAround:
		part, ok := g.Around(c.id)
		if !ok {
			return nil, gone(c.id)
		}
		return aroundLines(part, c.id, part.Analyse(ctx)), nil
	}
	a := g.Analyse(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch c.in.Show {
	case showReady:
		return readyLines(g, a), nil
	case showBlocked:
		return blockedLines(a), nil
	case showCycles:
		return cycleLines(a), nil
	case showOrder:
		return orderLines(a), nil
	}
	return summaryLines(g, a), nil
}

// gone is for a deliverable that was there when the call was prepared.
func gone(id string) error {
	return tool.Refuse("%s is not in the project anymore", id).WithHint("list the deliverables with project.list")
}

// result is the text for the model, cut to its limit.
func (c *graphCall) result(all []string, unread []finding.Finding, truncated bool) tool.Result {
	var b strings.Builder
	shown := 0
	for _, line := range all {
		if shown == c.w.Limits.Matches || int64(b.Len()+len(line)+400) > c.w.Limits.OutputBytes {
			break
		}
		b.WriteString(line + "\n")
		shown++
	}
	if shown < len(all) {
		fmt.Fprintf(&b, "[the first %d of %d lines]\n", shown, len(all))
	}
	if truncated {
		b.WriteString("[the project is larger than what is looked at; deliverables are missing]\n")
	}
	if n := len(unread); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(", and %d more", n-1)
		}
		fmt.Fprintf(&b, "[the graph is not whole: %s: %s%s]\n", clip(tool.Printable(unread[0].Path)), clip(tool.Printable(unread[0].Message)), more)
	}
	return tool.Result{Text: b.String(), Truncated: shown < len(all) || truncated}
}
