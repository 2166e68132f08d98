package template

import (
	"errors"

	"belay/internal/authored"
)

// Tree is a value of a workflow file in which every text is a template, at any
// depth. It is safe for concurrent use. A nil Tree is nothing.
type Tree struct {
	kind   authored.Kind
	text   *Template
	plain  any // of what is no text, no list and no mapping
	items  []*Tree
	fields []treeField
	at     *authored.Node
	path   string
}

type treeField struct {
	name string
	tree *Tree
}

// FieldError is a field of a file that could not be evaluated.
type FieldError struct {
	// Path leads to it; Line and Column are its place.
	Path         string
	Line, Column int
	// Err is an [*Error] or says what is wrong with the result.
	Err error
}

func (e *FieldError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e *FieldError) Unwrap() error { return e.Err }

// ParseNode reads the text of n, whatever its kind, and notes on r what is wrong
// with it; then the result is nil.
func ParseNode(n *authored.Node, r *authored.Report, path string) *Template {
	t, err := Parse(n.Text)
	var e *Error
	switch {
	case errors.As(err, &e):
		r.Beyond(authored.RuleTemplate, n, path, e.Hint, "%s", e.message())
		return nil
	case err != nil:
		r.Beyond(authored.RuleTemplate, n, path, "", "%v", err)
		return nil
	}
	return t
}

// ParseTree reads the value n and notes on r what is wrong with its templates. A
// nil n gives nil.
func ParseTree(n *authored.Node, r *authored.Report, path string) *Tree {
	if n == nil {
		return nil
	}
	t := &Tree{kind: n.Kind, at: n, path: path}
	switch n.Kind {
	case authored.Text:
		if t.text = ParseNode(n, r, path); t.text == nil {
			t.text = &Template{text: n.Text}
		}
	case authored.List:
		for i, c := range n.Items {
			t.items = append(t.items, ParseTree(c, r, authored.At(path, i)))
		}
	case authored.Map:
		for _, f := range n.Fields {
			t.fields = append(t.fields, treeField{f.Name, ParseTree(f.Value, r, path+"."+f.Name)})
		}
	case authored.Null, authored.Bool, authored.Int, authored.Float:
		t.plain = n.Value()
	}
	return t
}

// Evaluate makes the value, anew each time: no two results share a map or a list.
// The error is a [*FieldError].
func (t *Tree) Evaluate(context map[string]any) (any, error) {
	if t == nil {
		return nil, nil
	}
	switch t.kind {
	case authored.Text:
		v, err := t.text.Value(context)
		if err != nil {
			return nil, &FieldError{Path: t.path, Line: t.at.Line, Column: t.at.Column, Err: err}
		}
		return Copy(v), nil
	case authored.List:
		all := make([]any, len(t.items))
		for i, c := range t.items {
			v, err := c.Evaluate(context)
			if err != nil {
				return nil, err
			}
			all[i] = v
		}
		return all, nil
	case authored.Map:
		return t.fieldsOf(context)
	case authored.Null, authored.Bool, authored.Int, authored.Float:
	}
	return t.plain, nil
}

// Fields is Evaluate for a mapping; anything else has none.
func (t *Tree) Fields(context map[string]any) (map[string]any, error) {
	if t == nil || t.kind != authored.Map {
		return nil, nil
	}
	return t.fieldsOf(context)
}

func (t *Tree) fieldsOf(context map[string]any) (map[string]any, error) {
	all := make(map[string]any, len(t.fields))
	for _, f := range t.fields {
		v, err := f.tree.Evaluate(context)
		if err != nil {
			return nil, err
		}
		all[f.name] = v
	}
	return all, nil
}

// Each calls see for every template in t, with its place and the path to it.
func (t *Tree) Each(see func(t *Template, at *authored.Node, path string)) {
	if t == nil {
		return
	}
	if t.text != nil {
		see(t.text, t.at, t.path)
	}
	for _, c := range t.items {
		c.Each(see)
	}
	for _, f := range t.fields {
		f.tree.Each(see)
	}
}

// Names are the names of a mapping's fields, in the file's order; nil for anything else.
func (t *Tree) Names() []string {
	if t == nil || t.kind != authored.Map {
		return nil
	}
	names := make([]string, len(t.fields))
	for i, f := range t.fields {
		names[i] = f.name
	}
	return names
}

// Text is the template of a value that is text, nil for any other.
func (t *Tree) Text() *Template {
	if t == nil {
		return nil
	}
	return t.text
}

// Node is the value in the file.
func (t *Tree) Node() (at *authored.Node, path string) { return t.at, t.path }

// Field is the value of a mapping's field, nil where there is none.
func (t *Tree) Field(name string) *Tree {
	for _, f := range t.fields {
		if f.name == name {
			return f.tree
		}
	}
	return nil
}
