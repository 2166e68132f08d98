// Package template evaluates the templates of workflow files: Go templates with
// the hermetic part of Sprig, over one context for every field of a file.
//
// A template sees its context and nothing else: no environment, no clock, no
// network, no random numbers. What it may produce and how long it may run is
// bounded, because files come from elsewhere, too.
//
// Ids may have hyphens anywhere in a path, {{ .tasks.read-pdf.output.text }}.
// Which unfinished tasks a template needs is read from its syntax tree, not from
// its text ([Template.Needs]), so that it is evaluated when they are done.
//
// Specification: attachments, "Template Compatibility".
package template

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
)

// The bounds of one evaluation.
const (
	// MaxText is how long a template may be, in bytes.
	MaxText = 256 << 10
	// MaxOutput is how much it may write, in bytes; no string on the way may be
	// longer.
	MaxOutput = 1 << 20
	// MaxSteps is how often the bodies of its loops may run, in all.
	MaxSteps = 100_000
)

// Template is a string of a workflow file. It is safe for concurrent use.
type Template struct {
	text string
	tmpl *template.Template // nil for a plain string
	path []string           // of a template that is one path and nothing else
	// single is set for a template that is one expression and nothing else.
	single bool
	needs  Needs
	paths  [][]string
	uses   []Use
	// changes is set where a function is called that changes its argument, loops
	// where there is one.
	changes, loops bool
	// calls are the functions that are called, called counts how often they are named.
	calls  map[string]bool
	called int
}

// empty is a template that has its functions and nothing else.
var empty = sync.OnceValue(func() *template.Template {
	return template.New("").Option("missingkey=error").Funcs(functions().bounded)
})

// Parse reads a string. One without {{ is itself, whatever else it holds. The
// error is an [*Error].
func Parse(text string) (*Template, error) {
	t := &Template{text: text}
	if !strings.Contains(text, leftDelim) {
		return t, nil
	}
	if len(text) > MaxText {
		return nil, &Error{Problem: fmt.Sprintf("a template of %d bytes, more than the %d that are taken", len(text), MaxText)}
	}
	rewritten, err := rewrite(text)
	if err != nil {
		return nil, &Error{Problem: err.Error()}
	}
	if t.tmpl, err = empty().Clone(); err != nil { // cheaper than to give each its functions
		return nil, &Error{Problem: err.Error()}
	}
	if t.tmpl, err = t.tmpl.Parse(rewritten); err != nil {
		return nil, syntaxError(text, err)
	}
	if nested := t.tmpl.Templates(); len(nested) > 1 || len(nested) == 1 && nested[0].Tree != t.tmpl.Tree {
		return nil, &Error{Problem: "define, block and template are not supported", Hint: "write the text where it is used"}
	}
	if t.tmpl.Tree == nil { // nothing but a comment
		t.tmpl = nil
		t.text = ""
		return t, nil
	}
	w := walker{vars: map[string]place{}, calls: map[string]bool{}}
	w.list(t.tmpl.Root, origin)
	if w.wrong != nil {
		return nil, &Error{Problem: "a pattern cannot be read: " + strings.TrimPrefix(w.wrong.Error(), "error parsing regexp: "), Hint: "write a backslash before a character that is meant as itself"}
	}
	t.calls, t.called = w.calls, w.called
	t.needs, t.paths, t.changes, t.loops, t.path = w.needs, w.paths, w.changes, w.loops, barePath(t.tmpl.Root)
	t.single, t.uses = expression(t.tmpl.Root) != nil, w.uses
	bindShown(t.tmpl.Root)
	return t, nil
}

// Text is the string as the author wrote it.
func (t *Template) Text() string { return t.text }

// Plain reports whether the string is no template: it means itself.
func (t *Template) Plain() bool { return t.tmpl == nil }

// Path is the path of a template that is one path and nothing else, nil for any other.
func (t *Template) Path() []string { return t.path }

// Needs says which tasks the template looks at.
func (t *Template) Needs() Needs { return t.needs }

// Paths are the places in the context that the template uses, each from the root,
// without those of which it only asks whether they are there. They are not to be
// changed.
func (t *Template) Paths() [][]string { return t.paths }

// Execute evaluates the template to a string. The context is only read. The error
// is an [*Error].
func (t *Template) Execute(context map[string]any) (string, error) {
	if t.tmpl == nil {
		return t.text, nil
	}
	tmpl := t.tmpl
	if t.counted() {
		own, err := tmpl.Clone()
		if err != nil {
			return "", &Error{Problem: err.Error()}
		}
		tmpl = own.Funcs(t.newBudget().functions(t.calls))
	}
	return t.run(tmpl, context)
}

// counted reports whether each evaluation counts for itself what it does.
func (t *Template) counted() bool { return t.loops || t.called > fewCalls }

// run evaluates tmpl, which is made of the template.
func (t *Template) run(tmpl *template.Template, context map[string]any) (string, error) {
	if t.changes {
		context, _ = Copy(context).(map[string]any)
	}
	out := &cappedWriter{left: MaxOutput}
	if err := tmpl.Execute(out, context); err != nil {
		return "", runError(err)
	}
	return out.b.String(), nil
}

// Value evaluates the template to whatever it stands for: one that is a path and
// nothing else, {{ .input.files }}, gives the very value, not to be changed. One that
// is a single expression, {{ splitList "," .input.files }}, gives its list or mapping.
// Any other gives a string.
func (t *Template) Value(context map[string]any) (any, error) {
	switch {
	case t.path != nil:
		return field(context, t.path...)
	case t.single:
		return t.composed(context)
	}
	return t.Execute(context)
}

// Error says what is wrong with a template.
type Error struct {
	// Expression is the part that failed, as the author wrote it; empty where it
	// is the whole.
	Expression string
	// Problem is what is wrong with it.
	Problem string
	// Hint is the next step; may be empty.
	Hint string
	// Missing is set where the context lacks what the expression asks for.
	Missing bool
}

func (e *Error) Error() string {
	if e.Hint != "" {
		return e.message() + "; " + e.Hint
	}
	return e.message()
}

// message is the error without its hint.
func (e *Error) message() string {
	if e.Expression != "" {
		return "{{ " + e.Expression + " }}: " + e.Problem
	}
	return e.Problem
}

// IsMissing reports whether err says that the context lacks something.
func IsMissing(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Missing
}

// barePath is the path of a template that consists of it.
func barePath(root *parse.ListNode) []string {
	action := expression(root)
	if action == nil || len(action.Pipe.Cmds) != 1 {
		return nil
	}
	cmd := action.Pipe.Cmds[0]
	if len(cmd.Args) == 1 {
		if inner, ok := cmd.Args[0].(*parse.PipeNode); ok && len(inner.Cmds) == 1 {
			cmd = inner.Cmds[0]
		}
	}
	if f, ok := cmd.Args[0].(*parse.IdentifierNode); !ok || f.Ident != fieldName {
		return nil
	}
	w := walker{}
	return w.command(cmd, origin).path
}
