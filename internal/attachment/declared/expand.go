package declared

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"belay/internal/authored"
	"belay/internal/template"
)

// Scope is what a list of entries belongs to, for people: "task classify".
type Scope string

// Expander makes attachments of entries.
type Expander struct {
	// Folder is where paths begin; nil where there are none. With Project, those of
	// entries that do not say it begin at the project.
	Folder  *Folder
	Project bool
	// MaxItems is how many attachments the entries of one call may make.
	MaxItems int
}

// Step is an attachment, or the place of one that waits for a task.
type Step struct {
	// Attachment is nil for one that waits.
	Attachment *Attachment
	// Waiting is what is evaluated once the tasks are done that it names.
	Waiting *Waiting
}

// Waiting is an entry, or one source of it, that looks at tasks not finished yet.
type Waiting struct {
	entry  *Entry
	source *source // nil: all of the entry
	scope  Scope
	// Needs says what it waits for.
	Needs []string
	// All is set where it looks at all tasks.
	All bool
}

// Text is what waits, as its author wrote it.
func (w *Waiting) Text() string {
	if w.source != nil {
		return w.source.text.Text()
	}
	texts := make([]string, len(w.entry.sources))
	for i, s := range w.entry.sources {
		texts[i] = s.text.Text()
	}
	return strings.Join(texts, ", ")
}

// Expand evaluates entries and finds what their patterns match, in the author's
// order, the matches of one pattern sorted. What looks at a task that is not
// finished keeps its place and waits. The errors of all entries are joined.
func (x *Expander) Expand(ctx context.Context, entries []Entry, scope Scope, values map[string]any, finished func(task string) bool) ([]Step, error) {
	wait := func(t *template.Template) bool { return t != nil && t.Needs().Pending(finished) }
	var steps []Step
	var errs []error
	for i := range entries {
		more, err := x.entry(ctx, &entries[i], scope, values, wait)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if steps = append(steps, more...); len(steps) > x.MaxItems {
			return nil, errors.Join(append(errs, x.tooMany(scope))...)
		}
	}
	return steps, errors.Join(errs...)
}

// Complete evaluates what has waited, in its place. Nothing waits any longer: what
// is still missing is an error.
func (x *Expander) Complete(ctx context.Context, steps []Step, values map[string]any) ([]*Attachment, error) {
	var all []*Attachment
	var errs []error
	for _, s := range steps {
		more := []*Attachment{s.Attachment}
		if w := s.Waiting; w != nil {
			var err error
			if more, err = x.late(ctx, w, values); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		if all = append(all, more...); len(all) > x.MaxItems {
			return nil, errors.Join(append(errs, x.tooMany("the task"))...)
		}
	}
	return all, errors.Join(errs...)
}

func (x *Expander) tooMany(scope Scope) error {
	return fmt.Errorf("%s has more than %d attachments (attachments.max_items)", scope, x.MaxItems)
}

// late evaluates what has waited.
func (x *Expander) late(ctx context.Context, w *Waiting, values map[string]any) ([]*Attachment, error) {
	if w.source != nil {
		return x.source(ctx, w.entry, w.source, w.scope, values)
	}
	steps, err := x.entry(ctx, w.entry, w.scope, values, func(*template.Template) bool { return false })
	all := make([]*Attachment, len(steps))
	for i, s := range steps {
		all[i] = s.Attachment
	}
	return all, err
}

func (x *Expander) entry(ctx context.Context, e *Entry, scope Scope, values map[string]any, wait func(*template.Template) bool) ([]Step, error) {
	whole := wait(e.typ) || wait(e.name) || wait(e.mime)
	e.meta.Each(func(t *template.Template, _ *authored.Node, _ string) { whole = whole || wait(t) })
	if whole {
		return []Step{{Waiting: newWaiting(e, nil, scope)}}, nil
	}
	var steps []Step
	for i := range e.sources {
		s := &e.sources[i]
		if wait(s.text) {
			steps = append(steps, Step{Waiting: newWaiting(e, s, scope)})
			continue
		}
		all, err := x.source(ctx, e, s, scope, values)
		if err != nil {
			return nil, err
		}
		for _, a := range all {
			steps = append(steps, Step{Attachment: a})
		}
	}
	return steps, nil
}

func newWaiting(e *Entry, s *source, scope Scope) *Waiting {
	w := &Waiting{entry: e, source: s, scope: scope}
	see := func(t *template.Template, _ *authored.Node, _ string) {
		n := t.Needs()
		w.All = w.All || n.All()
		for _, id := range n.Tasks() {
			if !slices.Contains(w.Needs, id) {
				w.Needs = append(w.Needs, id)
			}
		}
	}
	if s != nil {
		see(s.text, nil, "")
	} else {
		e.Each(see)
	}
	return w
}
