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
	if err := x.first(ctx); err != nil {
		return err
	}
	return x.ahead(ctx, false)
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
	}
}

// ahead opens and fetches the attachments of the tasks that are certainly done, as
// far as they are known, so that a refusal is found before a model is paid. What was
// fetched is kept for the task where that is wanted: an address is asked once. It
// ends behind the first task that may change files, because the next one may attach
// what that makes.
func (x *execution) ahead(ctx context.Context, keep bool) error {
	p := &planner{x: x, fetch: true, keep: keep}
	s := scope{tasks: map[string]any{}, input: x.w.input, with: map[string]any{}}
	for _, t := range x.w.certain() {
		if fails(t) {
			if _, err := p.task(ctx, t, place{key: t.ID}, s, p.handedBy(t)); err != nil {
				return err
			}
		}
		if changesFiles(t) {
			break
		}
	}
	if len(p.refused) == 0 {
		return errors.Join(p.failed...)
	}
	return errors.Join(append(p.failed, gather.Failure(p.refused, p.judged))...)
}

// certain are the tasks that are done as long as none fails: from the first one on,
// each one's successor where there is no choice.
func (w *flow) certain() (all []*definition.Task) {
	for t := w.Tasks[0]; t != nil && !slices.Contains(all, t); {
		all = append(all, t)
		next := t.OnSuccess.Task
		if t.Kind == definition.Router {
			if next = ""; len(t.Targets()) == 1 {
				next = t.Targets()[0]
			}
		}
		if t.Final {
			break
		}
		t = w.Task(next)
	}
	return all
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
