package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/gather"
	"belay/internal/template"
	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// attachments opens and fetches what the task's model is to be shown.
func (x *execution) attachments(ctx context.Context, t *definition.Task, p place, s scope, c turn.Choice) ([]attachment.Item, []gather.Report, error) {
	if g, ok := x.fetched.take(p.key); ok {
		return g.Items, g.Reports, x.blobs.Sync(ctx)
	}
	list, err := x.eval.effective(ctx, t, p, s)
	if err != nil {
		return nil, nil, invalid("the attachments of the task "+t.ID+" are not valid", problemOf(x.w.name, err))
	}
	if len(list) == 0 {
		return nil, nil, nil
	}
	d, err := x.eval.deliverable(c, list)
	if err != nil {
		return nil, nil, err
	}
	g, err := x.r.o.Gather.Gather(ctx, x.at.folder, d.list, x.blobs)
	d.note(g.Reports)
	if err != nil {
		return nil, g.Reports, err
	}
	// They must be there when the record that names them is.
	if err := x.blobs.Sync(ctx); err != nil {
		return nil, g.Reports, err
	}
	return g.Items, g.Reports, nil
}

// effective is the attachments of the task, those that it inherits first, of its
// agent and of its action, each once. What looks at finished tasks is evaluated
// now, in its place.
func (x *evaluator) effective(ctx context.Context, t *definition.Task, p place, s scope) ([]*declared.Attachment, error) {
	e := declared.Expander{Folder: x.at.folder, Project: x.w.Project, MaxItems: x.o.Limits.Attachments}
	values := x.values(s)
	var lists [][]*declared.Attachment
	var errs []error
	for _, in := range sources(t, p) {
		steps, err := e.Expand(ctx, in.entries, in.scope, values, s.finished)
		if err != nil {
			errs = append(errs, in.placed(err))
			continue
		}
		list, err := e.Complete(ctx, steps, values)
		if err != nil {
			errs = append(errs, in.placed(err))
		}
		lists = append(lists, in.named(x.w.name, list))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	list := x.at.folder.Merge(lists...)
	x.settle(t, list)
	return list, x.tooManyOf(t, list)
}

// tooManyOf refuses more attachments than a task may have.
func (x *evaluator) tooManyOf(t *definition.Task, list []*declared.Attachment) error {
	most := x.o.Limits.Attachments
	if len(list) <= most {
		return nil
	}
	at := t.At
	if n := at.Field("attachments"); n != nil {
		at = n
	}
	return placed(fmt.Errorf("the task %s has %d attachments with those of its agent and action, more than %d (attachments.max_items)", t.ID, len(list), most), at, t.Path+".attachments")
}

// settle gives a list what holds for all of its task: how often it is tried again, and
// that all of it is optional where the person who began the run said so.
func (x *evaluator) settle(t *definition.Task, list []*declared.Attachment) {
	for _, a := range list {
		a.Retries = t.Retries
		if x.record.SkipRefused {
			a.Optional = true
		}
	}
}

// fetched is what was fetched for tasks before the run began, by their keys. The zero
// value is ready.
type fetched struct {
	mu    sync.Mutex
	byKey map[string]gather.Result
}

// keep keeps what was fetched for a task. Files alone are opened when the task begins, as
// they are then.
func (f *fetched) keep(key string, list []*declared.Attachment, g gather.Result) {
	if !slices.ContainsFunc(list, func(a *declared.Attachment) bool { return a.Source.URL != "" }) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byKey == nil {
		f.byKey = map[string]gather.Result{}
	}
	f.byKey[key] = g
}

// take gives what was fetched for a task, once.
func (f *fetched) take(key string) (gather.Result, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	g, ok := f.byKey[key]
	delete(f.byKey, key)
	return g, ok
}

// sources are the lists of a task's attachments, in the order in which the model
// gets them.
func sources(t *definition.Task, p place) []inherited {
	all := append(p.inherited[:len(p.inherited):len(p.inherited)], attachedBy(t))
	all = append(all, inherited{t.Agent.Attachments, declared.Scope("agent " + t.Agent.ID), t.Agent.At, t.Agent.Path})
	if t.Action != nil {
		all = append(all, inherited{t.Action.Attachments, declared.Scope("action " + t.Action.ID), t.Action.At, t.Action.Path})
	}
	return all
}

func attachedBy(t *definition.Task) inherited {
	return inherited{t.Attachments, declared.Scope("task " + t.ID), t.At, t.Path}
}

// placed gives the errors of a list that have no place that of the list.
func (in inherited) placed(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range several.Unwrap() {
			all = append(all, in.placed(e))
		}
		return errors.Join(all...)
	}
	var at *template.FieldError
	if err == nil || errors.As(err, &at) {
		return err
	}
	list := in.at
	if n := list.Field("attachments"); n != nil {
		list = n
	}
	return placed(err, list, in.path+".attachments")
}

// named says of attachments which file they are from.
func (in inherited) named(workflow string, list []*declared.Attachment) []*declared.Attachment {
	for _, a := range list {
		a.File = fileWith(workflow, in.path)
	}
	return list
}

// delivered notes how the model got each attachment.
func (x *execution) delivered(ctx context.Context, rec *Task, sessionID, turnID string) {
	m, err := x.r.o.Engine.Manifest(context.WithoutCancel(ctx), sessionID, turnID)
	if err != nil {
		return // the turn ended before it had sent anything
	}
	i := 0
	for k := range rec.Attachments {
		r := &rec.Attachments[k]
		if r.Refused == "" && i < len(m.Attachments) {
			r.Used = m.Attachments[i].Used
			r.Note = strings.TrimPrefix(m.Attachments[i].Note, r.Name+": ")
			i++
		}
	}
}
