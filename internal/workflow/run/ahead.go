package run

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"belay/internal/attachment/gather"
	"belay/internal/workflow/definition"
)

// Check says everything that Start would refuse of a strict request, without a run:
// what is wrong with the file and its input, a provider without a key, and the
// attachments that cannot be used.
func (r *Runner) Check(ctx context.Context, req Request) error {
	w, at, err := r.begin(ctx, req)
	if err != nil {
		return err
	}
	defer func() { _ = at.Close() }() // it was only read
	return errors.Join(r.ready(w, req.Provider), (&planner{x: r.unbegun(w, at, req), fetch: true}).beginning(ctx, true))
}

// CheckOffline is Check without asking other machines: addresses are not fetched.
func (r *Runner) CheckOffline(ctx context.Context, req Request) error {
	w, at, err := r.begin(ctx, req)
	if err != nil {
		return err
	}
	defer func() { _ = at.Close() }() // it was only read
	return errors.Join(r.ready(w, req.Provider), (&planner{x: r.unbegun(w, at, req)}).beginning(ctx, req.Strict))
}

// beginning says why a run does not begin: what is known of the tasks that are certainly
// done, and what is wrong with the first task even where its failure has a next task.
func (p *planner) beginning(ctx context.Context, strict bool) error {
	if err := p.ahead(ctx, p.x.w.Tasks[0], p.x.start(), strict); err != nil {
		return err
	}
	return p.x.first(ctx)
}

// unbegun evaluates a request of which nothing will be recorded.
func (r *Runner) unbegun(w *flow, at *site, req Request) *evaluator {
	e := newEvaluator(&r.o, w, at, &Record{
		Summary:  Summary{ID: "run_", File: req.File, Project: req.Project, Status: Running},
		Provider: req.Provider, Model: req.Model, Mode: req.Mode, Allow: req.Allow, SkipRefused: req.SkipRefused,
	})
	e.onQuestion = req.OnQuestion
	return e
}

// planner plans what comes next in an execution. What it fetches is kept for the task.
func (x *execution) planner() *planner {
	return &planner{x: x.eval, fetch: true, blobs: x.blobs, fetched: &x.fetched, answered: x.answered}
}

// ahead evaluates all that is known of the tasks that are certainly done from one on, and
// of what the run gives in the end, so that a mistake is found before a model is paid. The
// scope has the results of the tasks before it. With strict it also opens and fetches their
// attachments, up to the first task that may change files: the next one may attach what
// that makes.
func (p *planner) ahead(ctx context.Context, t *definition.Task, s scope, strict bool) error {
	p.evaluates, p.closed = true, !strict
	var problems []problem
	seen := map[*definition.Task]bool{}
	done := len(s.tasks)
	look := func(t *definition.Task) (PlannedTask, error) {
		problems = append(problems, p.tooLong(t, done)...)
		done++
		seen[t] = true
		closed := p.closed
		p.closed = closed || !fails(t)
		d, err := p.task(ctx, t, place{key: t.ID}, s, p.handedBy(t))
		if p.closed = closed || changesFiles(t); fails(t) {
			problems = append(problems, d.found...)
			problems = append(problems, p.counted(ctx, t, d, s)...)
		} else {
			problems = append(problems, unattendedIn(d)...)
		}
		return d, err
	}
	for t != nil {
		d, err := look(t)
		if err != nil {
			return err
		}
		if !fails(t) && len(d.found) > 0 {
			break // what follows its failure is not known
		}
		t = p.x.w.Task(certainNext(t, d.Route))
	}
	p.closed = true
	for _, t := range p.x.w.Certain() { // after a route that nobody knows yet
		if !seen[t] && !s.finished(t.ID) {
			if _, err := look(t); err != nil {
				return err
			}
		}
	}
	problems = append(problems, p.leaves(p.x.w.Outputs, p.atEnd(s), true)...)
	errs := []error{invalid("the workflow "+p.x.w.ID+" would fail", problems)}
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
var readers = []string{"read", "list", "glob", "grep", "attachment.add", "fetch", "project.status", "project.list", "project.graph"}

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

// mayMake reports whether a task may make a folder of the project.
func mayMake(t *definition.Task, dir string) bool {
	if t.Kind == definition.Tool && t.Tool == "write" && t.With != nil {
		if to := t.With.Field("path").Text(); to != nil && to.Plain() {
			return strings.HasPrefix(path.Clean(to.Text()), dir+"/")
		}
	}
	within := slices.Clone(t.Tasks)
	if t.Each != nil {
		within = append(within, t.Each)
	}
	if len(within) > 0 {
		return slices.ContainsFunc(within, func(c *definition.Task) bool { return mayMake(c, dir) })
	}
	return t.Kind != definition.Wait && changesFiles(t) // whoever answers can make it before the run
}
