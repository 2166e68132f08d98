package run

import (
	"context"
	"errors"
	"slices"
	"strings"

	"belay/internal/attachment/gather"
	"belay/internal/workflow/definition"
)

// Check says everything that Start would refuse of a strict request, without a run:
// what is wrong with the file and its input, and the attachments that cannot be used.
func (r *Runner) Check(ctx context.Context, req Request) error {
	w, at, err := r.begin(ctx, req)
	if err != nil {
		return err
	}
	defer func() { _ = at.Close() }() // it was only read
	x := r.unbegun(w, at, req)
	x.onQuestion = req.OnQuestion
	if err := x.first(ctx); err != nil {
		return err
	}
	return x.ahead(ctx, true, false)
}

// unbegun is the execution of a request of which nothing will be recorded.
func (r *Runner) unbegun(w *flow, at *site, req Request) *execution {
	return &execution{
		r: r, id: "run_", w: w, at: at,
		record: Record{
			Summary:  Summary{File: req.File, Project: req.Project, Status: Running},
			Provider: req.Provider, Model: req.Model, Mode: req.Mode, Allow: req.Allow, SkipRefused: req.SkipRefused,
		},
		agents: agentsOf(w.Workflow), tools: toolsOf(r.o.Tools), trigger: map[string]any{}, outputs: map[string]any{},
		definitions: map[*definition.Task]string{},
	}
}

// ahead evaluates all that is known of the tasks that are certainly done and of what the
// run gives in the end, so that a mistake is found before a model is paid. With strict it
// also opens and fetches their attachments. What was fetched is kept for the task where
// that is wanted: an address is asked once. Attachments are looked at up to the first task
// that may change files, because the next one may attach what that makes.
func (x *execution) ahead(ctx context.Context, strict, keep bool) error {
	s := scope{tasks: map[string]any{}, input: x.w.input, with: map[string]any{}}
	return x.aheadFrom(ctx, x.w.Tasks[0], s, strict, keep)
}

// aheadFrom is ahead of a run that has come to a task, and where the scope has the results
// of those before it.
func (x *execution) aheadFrom(ctx context.Context, t *definition.Task, s scope, strict, keep bool) error {
	p := &planner{x: x, fetch: true, keep: keep, evaluates: true, closed: !strict}
	var problems []problem
	for t != nil {
		closed := p.closed
		p.closed = closed || !fails(t)
		d, err := p.task(ctx, t, place{key: t.ID}, s, p.handedBy(t))
		if err != nil {
			return err
		}
		if p.closed = closed; fails(t) {
			problems = append(problems, d.found...)
		} else if len(d.found) > 0 {
			break // what follows its failure is not known
		}
		if changesFiles(t) {
			p.closed = true
		}
		t = x.w.Task(certainNext(t, d.Route))
	}
	problems = append(problems, p.leaves(x.w.Outputs, p.atEnd(s))...)
	errs := []error{invalid("the workflow "+x.w.ID+" would fail", problems)}
	errs = append(errs, p.failed...)
	if len(p.refused) > 0 {
		errs = append(errs, gather.Failure(p.refused, p.judged))
	}
	return errors.Join(errs...)
}

// certainNext is the task that follows one as long as it succeeds, "" where that is not
// known or nothing does. A router has chosen a route where its condition is known.
func certainNext(t *definition.Task, route string) string {
	switch targets := t.Targets(); {
	case t.Final:
		return ""
	case t.Kind != definition.Router:
		return t.OnSuccess.Task
	case route != "":
		return route
	case len(targets) == 1:
		return targets[0]
	}
	return ""
}

// fails reports whether the run fails with the task: neither does its author say what
// follows its failure, nor may a task within it fail.
func fails(t *definition.Task) bool {
	return t.OnError.Task == "" && t.Strategy != definition.BestEffort && t.Strategy != definition.Race
}

// readers are the tools with which an agent changes no file of the project.
var readers = []string{"read", "list", "glob", "grep", "fetch", "project.status", "project.list", "project.graph"}

// changesFiles reports whether the agents of a task have a tool that could make a
// file, or change one.
func changesFiles(t *definition.Task) bool {
	if t.Kind == definition.Tool {
		return !slices.Contains(readers, t.Tool)
	}
	if t.Kind == definition.Wait {
		return true // a person may have made files meanwhile
	}
	if t.Agent != nil {
		tools := t.Agent.Rights.Tools
		if t.Rights.Given {
			tools = t.Rights.Tools
		}
		if slices.ContainsFunc(tools, func(name string) bool { return !slices.Contains(readers, strings.ToLower(name)) }) {
			return true
		}
	}
	return slices.ContainsFunc(t.Tasks, changesFiles) || t.Each != nil && changesFiles(t.Each)
}
