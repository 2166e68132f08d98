package run

import (
	"context"
	"slices"
	"strings"

	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// ToolCall is what a tool task would call.
type ToolCall struct {
	// Agent is who calls, for the records.
	Agent         string
	Project, Mode string
	Allow         []string
	Tool          string
	Input         map[string]any
	// AsksNobody is set where a call that needs a decision is refused.
	AsksNobody bool
	// Settled is set where nothing that the run does before it changes a file of the
	// project.
	Settled bool
}

// objection says why the call of a tool task certainly fails, whose input is known.
func (p *planner) objection(ctx context.Context, t *definition.Task, at place, s scope) []problem {
	x := p.x
	if x.o.Objection == nil || p.skims {
		return nil
	}
	reason, hint := x.o.Objection(ctx, ToolCall{
		Agent: toolAgent, Project: x.record.Project, Mode: x.record.Mode, Allow: x.record.Allow, Tool: t.Tool, Input: s.with,
		AsksNobody: p.fetch && x.onQuestion == turn.OnQuestionRefuse, Settled: p.settled(t, at),
	})
	if reason == "" {
		return nil
	}
	with := t.At.Field("with")
	if with == nil {
		with = t.At
	}
	return []problem{{File: x.w.name, Line: with.Line, Column: with.Column, Path: t.Path + ".with", Message: "the tool " + t.Tool + ": " + reason, Hint: hint}}
}

// settled reports whether no task that may be done before one changes files. Those
// beside it in the same task count.
func (p *planner) settled(t *definition.Task, at place) bool {
	outer, _, within := strings.Cut(at.key, "/")
	top := p.x.w.Task(outer)
	if top == nil || within && changesFiles(top) {
		return false
	}
	return !slices.ContainsFunc(p.x.w.Tasks, func(o *definition.Task) bool {
		return o != top && changesFiles(o) && p.leads(o, top)
	})
}

// leads reports whether a task may follow another, at once or later.
func (p *planner) leads(from, to *definition.Task) bool {
	seen := map[string]bool{from.ID: true}
	for queue := []*definition.Task{from}; len(queue) > 0; queue = queue[1:] {
		for _, id := range queue[0].Targets() {
			if id == to.ID {
				return true
			}
			if next := p.x.w.Task(id); next != nil && !seen[id] {
				seen[id] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}
