package declared

import (
	"context"
	"errors"
	"fmt"
	"net/url"
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

// source makes the attachments of one source.
func (x *Expander) source(ctx context.Context, e *Entry, s *source, scope Scope, values map[string]any) ([]*Attachment, error) {
	fail := func(field string, err error) error {
		return &template.FieldError{Path: e.Path + "." + field, Line: s.line, Column: s.column, Err: err}
	}
	typ, err := e.evaluateType(values)
	if err != nil {
		return nil, fail("type", err)
	}
	texts, err := s.evaluate(values, e.plural)
	if err != nil {
		return nil, fail(s.field, err)
	}
	if len(texts) == 0 && !e.optional && !e.plural {
		return nil, fail(s.field, errors.New("the template gives nothing; write optional: true where that may be"))
	}
	var places []Source
	for _, text := range texts {
		found, err := x.places(ctx, e, s, text)
		if err != nil {
			return nil, fail(s.field, err)
		}
		places = append(places, found...)
	}
	all := make([]*Attachment, len(places))
	for i, p := range places {
		c := &Attachment{
			Type: typ, Source: p, Optional: e.optional, Direct: e.direct, MaxPages: e.maxPages, Fetch: e.fetch,
			From: fmt.Sprintf("%s, %s", scope, e.Path), Line: s.line, Column: s.column,
		}
		if c.Name, err = text(e.name, values); err != nil {
			return nil, fail("name", err)
		}
		if c.MIME, err = text(e.mime, values); err != nil {
			return nil, fail("mime", err)
		}
		if c.Meta, err = e.meta.Fields(values); err != nil {
			return nil, err
		}
		all[i] = c
	}
	return all, nil
}

// places are the files or the address that an evaluated source stands for.
func (x *Expander) places(ctx context.Context, e *Entry, s *source, text string) (_ []Source, err error) {
	if s.url {
		u, err := address(text)
		return []Source{{URL: u}}, err
	}
	at := Source{Project: e.project || x.Project && !e.said}
	folder := x.Folder.of(at)
	if folder == nil {
		return nil, errNoFolder
	}
	if !e.plural {
		at.Path, err = clean(text, folder.what)
		return []Source{at}, err
	}
	p, err := cleanPattern(text, folder.what)
	if err != nil {
		return nil, err
	}
	found, err := folder.match(ctx, p, x.limit())
	if errors.Is(err, ErrTooMany) {
		return nil, fmt.Errorf("%q %w files than the %d that a task may have; match fewer, or raise %s", text, ErrTooMany, x.limit(), x.limits())
	}
	if err != nil {
		return nil, err
	}
	if len(found) == 0 && !e.optional {
		return nil, fmt.Errorf("%q matches no file in %s; write optional: true where that may be%s", text, folder.what, x.Folder.elsewhereMatches(ctx, p, at))
	}
	for i := range found {
		found[i].Project = at.Project
	}
	return found, nil
}

// limit is how many files one pattern may match here: no more than a task may have.
func (x *Expander) limit() int { return min(x.Folder.limit, x.MaxItems) }

// limits names the settings that bound a pattern.
func (x *Expander) limits() string {
	switch {
	case x.MaxItems < x.Folder.limit:
		return "attachments.max_items"
	case x.MaxItems > x.Folder.limit:
		return "attachments.max_matches"
	}
	return "attachments.max_items and attachments.max_matches"
}

// evaluate gives a source's texts: one, or those of a list where the entry takes
// several. Blank ones are left out.
func (s *source) evaluate(values map[string]any, plural bool) ([]string, error) {
	v, err := s.text.Value(values)
	if err != nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok || !plural {
		list = []any{v}
	}
	var all []string
	for _, v := range list {
		t, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("the template gives %T, and text is needed", v)
		}
		if t = strings.TrimSpace(t); t != "" {
			all = append(all, t)
		}
	}
	return all, nil
}

func (e *Entry) evaluateType(values map[string]any) (Type, error) {
	if e.Type != "" {
		return e.Type, nil
	}
	word, err := text(e.typ, values)
	if err != nil {
		return "", err
	}
	word = strings.ToLower(strings.TrimSpace(word))
	t, ok := parseType(word)
	if !ok {
		return "", fmt.Errorf("the template gives %q, which is no type of attachments; they are %s", word, typeList())
	}
	if wrong := e.misplaced(t); len(wrong) > 0 {
		return "", errors.New(wrong[0].message)
	}
	return t, nil
}

// text evaluates a template that may be left out.
func text(t *template.Template, values map[string]any) (string, error) {
	if t == nil {
		return "", nil
	}
	return t.Execute(values)
}

// address checks that a text is an address that can be fetched. An error does not
// repeat it: it may have credentials in it.
func address(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil {
		return "", errors.New("this is no address")
	}
	switch err := scheme(s); {
	case err != nil:
		return "", err
	case u.Hostname() == "":
		return "", errors.New("the address has no host")
	}
	return s, nil
}

// scheme checks how an address begins.
func scheme(s string) error {
	scheme, _, ok := strings.Cut(s, ":")
	switch {
	case !ok || strings.ContainsAny(scheme, "/?#"):
		return errors.New("an address begins with https:// or http://, and this does not; a file of the folder is written as path")
	case !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		return fmt.Errorf("an address begins with https:// or http://, and this with %.40q", scheme)
	}
	return nil
}
