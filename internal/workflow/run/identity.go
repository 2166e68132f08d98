package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"belay/internal/authored"
	"belay/internal/plainjson"
	"belay/internal/template"
	"belay/internal/workflow/definition"
)

// identity is what the result of a task rests on: its definition in the file, and what it
// was given. Both are hashes, and part of the task's record. A run that goes on with a
// corrected file keeps the tasks whose identity is the same.
type identity struct{ definition, given string }

// flowFields are those of a task that its own result does not depend on: what follows it,
// and how long it may take. What its outputs make of the result is not paid for, and is
// made again.
var flowFields = []string{"id", "on_success", "on_error", "final", "outputs", "timeout", "retries", "budget"}

func hash(v any) (string, error) {
	data, err := plainjson.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}

// identify is the identity of a task that does not hold others. The scope is the one that
// the task has been given.
func (x *evaluator) identify(t *definition.Task, p place, s scope, content any) (id identity, err error) {
	if id.definition, err = x.definitionOf(t, p); err != nil {
		return id, err
	}
	attached, err := x.attachedTo(t, p, s)
	if err != nil {
		return id, err
	}
	with := any(s.with)
	if !s.own {
		with = nil // the workflow's own input does not change
	}
	id.given, err = hash([]any{with, content, attached, s.item, s.last})
	return id, err
}

// definitionOf is the hash of what the file says of a task, of its agent and its action.
func (x *evaluator) definitionOf(t *definition.Task, p place) (string, error) {
	x.mu.Lock()
	known, ok := x.definitions[t]
	x.mu.Unlock()
	if ok {
		return known, nil
	}
	parts := []any{without(t.At, flowFields...)}
	if a := t.Agent; a != nil {
		parts = append(parts, without(a.At, "actions", "budget"))
	}
	if c := t.Action; c != nil {
		parts = append(parts, without(c.At))
		for _, s := range []*definition.Schema{c.Input, c.Output} {
			if s != nil {
				parts = append(parts, s.Source)
			}
		}
	}
	if t.Output != nil {
		parts = append(parts, t.Output.Source)
	}
	for _, in := range p.inherited {
		for i := range in.entries {
			parts = append(parts, in.entries[i].Written())
		}
	}
	sum, err := hash(parts)
	if err == nil {
		x.mu.Lock()
		x.definitions[t] = sum
		x.mu.Unlock()
	}
	return sum, err
}

// without is a mapping of the file as a value, without some of its fields.
func without(n *authored.Node, names ...string) map[string]any {
	v, _ := n.Value().(map[string]any)
	for _, name := range names {
		delete(v, name)
	}
	return v
}

// attachedTo are the evaluated sources of a task's attachments. Their bytes are on record
// in its report.
func (x *evaluator) attachedTo(t *definition.Task, p place, s scope) (all []any, err error) {
	if t.Agent == nil {
		return nil, nil
	}
	values := x.values(s)
	see := func(tmpl *template.Template, _ *authored.Node, _ string) {
		if err != nil || tmpl.Plain() {
			return
		}
		var v any
		if v, err = tmpl.Value(values); err == nil {
			all = append(all, v)
		}
	}
	for _, in := range sources(t, p) {
		for i := range in.entries {
			in.entries[i].Each(see)
		}
	}
	return all, err
}

// Why a task of a run with a corrected file is done again.
const (
	whyDefinition = "its definition changed"
	whyGiven      = "what it is given changed"
	whyAttached   = "a file that it attaches changed"
	whyUnknown    = "its record does not say what it rests on"
)

// again says why a finished task is to be done again, "" where it is kept.
func (u reuse) again(ctx context.Context, t *definition.Task, p place, s scope, handed map[string]any, rec *Task) string {
	if rec.Definition == "" || rec.Given == "" {
		return whyUnknown
	}
	if sum, err := u.eval.definitionOf(t, p); err != nil || sum != rec.Definition || t.Kind != rec.Kind {
		return whyDefinition
	}
	given, err := u.eval.given(t, s, handed)
	if err != nil {
		return whyGiven
	}
	content, err := u.eval.content(ctx, t, p, given)
	if err != nil {
		return whyGiven
	}
	if id, err := u.eval.identify(t, p, given, content); err != nil || id.given != rec.Given {
		return whyGiven
	}
	if u.eval.attachesOther(ctx, t, p, given, rec) {
		return whyAttached
	}
	return ""
}

// content is what a task says to those who do it, evaluated.
func (x *evaluator) content(ctx context.Context, t *definition.Task, p place, s scope) (any, error) {
	switch t.Kind {
	case definition.Tool:
		return s.with, nil
	case definition.Wait:
		if t.Message == nil {
			return nil, nil
		}
		return t.Message.Execute(x.values(s))
	case definition.Basic:
	case definition.Router, definition.Parallel, definition.Collection, definition.Composite, definition.Repeat:
		return nil, nil
	}
	j, err := x.prepare(ctx, t, p, s)
	if err != nil {
		return nil, err
	}
	return []any{j.agent.Instructions, j.prompt, j.agent.Provider, j.opts.Model}, nil
}

// rests reports whether a task has a result of its own, which does not come from tasks
// within it and costs something to get again.
func rests(t *definition.Task) bool {
	switch t.Kind {
	case definition.Router, definition.Parallel, definition.Collection, definition.Composite, definition.Repeat:
		return false
	case definition.Basic, definition.Tool, definition.Wait:
	}
	return true
}

// holds reports whether a task has others within it.
func holds(t *definition.Task) bool { return !rests(t) && t.Kind != definition.Router }

// note puts the task's identity on its record. A task that cannot be evaluated has none: the
// task will be done again.
func (u reuse) note(ctx context.Context, t *definition.Task, p place, s scope, rec *Task) {
	rec.Definition, rec.Given = "", ""
	if !rests(t) {
		return
	}
	content, err := u.eval.content(ctx, t, p, s)
	if err != nil {
		return // the task says what is wrong
	}
	if id, err := u.eval.identify(t, p, s, content); err == nil {
		rec.Definition, rec.Given = id.definition, id.given
	}
}
