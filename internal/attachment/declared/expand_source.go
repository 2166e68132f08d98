package declared

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"belay/internal/template"
)

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
