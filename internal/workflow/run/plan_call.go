package run

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"belay/internal/authored"
	"belay/internal/permit"
	"belay/internal/template"
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
	// Input is what is known of the tool's input, Unknown are the fields that only another
	// task gives.
	Input   map[string]any
	Unknown []string
	// AsksNobody is set where a call that needs a decision is refused.
	AsksNobody bool
	// Settled is set where nothing that the run does before it changes a file of the
	// project.
	Settled bool
}

// tool judges the call of a tool task by what is known of its input: all of it, or the
// fields that need no other task. With handed the task before hands it its own input.
func (p *planner) tool(ctx context.Context, t *definition.Task, at place, s scope, known, handed bool, d *PlannedTask) {
	input, unknown := s.with, []string(nil)
	if !known {
		var found []problem
		if input, unknown, found = p.partly(t, s, handed); len(found) > 0 {
			d.add(found...)
			return
		}
	}
	for _, line := range definition.ToolInput(t.Tool).Check(withUnknown(t.Tool, input, unknown)) {
		d.add(p.x.problemAt(t, "with", "the tool "+t.Tool+": "+line, ""))
	}
	if command, _ := input["command"].(string); t.Tool == "bash" && command != "" {
		if mistake := permit.Broken(command); mistake != "" {
			d.add(p.x.problemAt(t, "with", "no shell takes the command: "+mistake, ""))
		}
	}
	if d.add(p.unasked(t, at, "")...); len(d.found) == 0 && (known || t.With != nil) {
		d.add(p.objection(ctx, t, at, input, unknown)...)
	}
}

// partly is what is known of a tool's input. What is written before the first template of an
// address counts, if it names the host.
func (p *planner) partly(t *definition.Task, s scope, handed bool) (input map[string]any, unknown []string, found []problem) {
	input = map[string]any{}
	values := p.x.values(s)
	for _, name := range t.With.Names() {
		field := t.With.Field(name)
		if !p.evaluable(field, s, handed) {
			if host := hostPart(field.Text()); name == "url" && host != "" {
				input[name] = host
				continue
			}
			unknown = append(unknown, name)
			continue
		}
		v, err := field.Evaluate(values)
		if err == nil {
			v, err = plain(v)
		}
		if err != nil {
			found = append(found, problemOf(p.x.w.name, err)...)
			continue
		}
		input[name] = v
	}
	return input, unknown, found
}

// evaluable reports whether a tree looks at nothing that another task gives.
func (p *planner) evaluable(tree *template.Tree, s scope, handed bool) bool {
	ok := true
	tree.Each(func(t *template.Template, _ *authored.Node, _ string) {
		given := func(key string) bool { return t.Sees(key) }
		ok = ok && !t.Needs().Pending(s.finished) && !slices.ContainsFunc(t.Paths(), later) &&
			!(handed && slices.ContainsFunc([]string{"input", "with", "item", "index"}, given))
	})
	return ok
}

// hostPart is what an address has before its first template, "" where that does not name
// the whole host.
func hostPart(t *template.Template) string {
	if t == nil {
		return ""
	}
	text, _, _ := strings.Cut(t.Text(), "{{")
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Path == "" {
		return ""
	}
	return text
}

// withUnknown is an input in which unknown fields have values of their types.
func withUnknown(tool string, input map[string]any, unknown []string) map[string]any {
	all := map[string]any{}
	for name, v := range input {
		all[name] = v
	}
	for _, name := range unknown {
		all[name] = definition.ToolExample(tool, name)
	}
	return all
}

// objection says why the call of a tool task certainly fails, by what is known of its input.
func (p *planner) objection(ctx context.Context, t *definition.Task, at place, input map[string]any, unknown []string) []problem {
	x := p.x
	if x.o.Objection == nil || p.skims {
		return nil
	}
	reason, hint := x.o.Objection(ctx, ToolCall{
		Agent: toolAgent, Project: x.record.Project, Mode: x.record.Mode, Allow: x.record.Allow, Tool: t.Tool, Input: input, Unknown: unknown,
		AsksNobody: x.onQuestion == turn.OnQuestionRefuse, Settled: p.settled(t, at),
	})
	if reason == "" {
		return nil
	}
	return []problem{x.problemAt(t, "with", "the tool "+t.Tool+": "+reason, hint)}
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

// collides says that a task writes a file that another one writes at the same time: one of
// them fails, or which of them counts is left to chance. Written has what those before it
// write, and by which task.
func (p *planner) collides(t *definition.Task, d PlannedTask, written map[string]string) (all []problem) {
	for _, file := range writtenBy(d) {
		if by, twice := written[file]; twice && by != d.Key {
			all = append(all, p.x.problemAt(t, "with", "another task writes "+file+" at the same time",
				"give each a file of its own, such as out/{{ .index }}.md, or let them work one after the other"))
		}
		written[file] = d.Key
	}
	return all
}

// writtenBy are the files that a task and those within it certainly write.
func writtenBy(d PlannedTask) (files []string) {
	input, _ := d.Input.(map[string]any)
	if to, ok := input["path"].(string); ok && d.Tool == "write" && !strings.Contains(to, "{{") {
		files = append(files, path.Clean(to))
	}
	for _, c := range d.Tasks {
		files = append(files, writtenBy(c)...)
	}
	return files
}
