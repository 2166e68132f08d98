package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"belay/internal/authored"
	"belay/internal/fault"
	"belay/internal/template"
	"belay/internal/workflow/definition"
)

// problem is one of details.problems of an INVALID_WORKFLOW.
type problem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// unattended says that nobody attends the run who could answer.
	unattended bool
}

func (p problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "%s:%d:%d: ", p.File, p.Line, p.Column)
	}
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message)
	return b.String()
}

// maxLines is how many problems an error's text lists; details.problems has all.
const maxLines = 20

// invalid is one error of all problems, nil where there are none. Its text has each hint
// once, as a mistake is often made again and again.
func invalid(what string, problems []problem) error {
	if len(problems) == 0 {
		return nil
	}
	var lines []string
	hints := authored.Hints{}
	for i, p := range problems {
		if i == maxLines {
			lines = append(lines, "and more, which are shown when these are corrected")
			break
		}
		text := p.String()
		if hints.Show(p.Hint) {
			text += " (" + p.Hint + ")"
		}
		lines = append(lines, text)
	}
	return fault.New(fault.InvalidWorkflow, "%s:\n%s", what, strings.Join(lines, "\n")).With("problems", problems).
		WithHint("correct what is named above")
}

// problemOf is an error with its place, where it has one.
func problemOf(name string, err error) []problem {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []problem
		for _, e := range several.Unwrap() {
			all = append(all, problemOf(name, e)...)
		}
		return all
	}
	p := problem{Message: err.Error()}
	var at *template.FieldError
	var wire *fault.Error
	switch {
	case errors.As(err, &at):
		p = problem{File: fileWith(name, at.Path), Line: at.Line, Column: at.Column, Path: at.Path, Message: at.Err.Error()}
	case errors.As(err, &wire):
		p.Message, p.Hint = wire.Message, wire.Hint
	}
	return []problem{p}
}

// problem notes why the task would fail.
func (d *PlannedTask) problem(x *evaluator, err error) {
	if several := (interface{ Unwrap() []error })(nil); errors.As(err, &several) {
		for _, e := range several.Unwrap() {
			d.problem(x, e)
		}
		return
	}
	if f := (*fault.Error)(nil); errors.As(err, &f) {
		d.Problems = append(d.Problems, f.Message)
		if known, ok := f.Details["problems"].([]problem); ok {
			d.found = append(d.found, known...)
		} else {
			d.found = append(d.found, x.problemOfTask(d.ID, f.Message, f.Hint))
		}
		return
	}
	for _, found := range problemOf(x.w.name, err) {
		if !slices.Contains(d.found, found) { // a prompt that shows attachments has their problems, too
			d.Problems = append(d.Problems, err.Error())
			d.found = append(d.found, found)
		}
	}
}

// add notes problems with their places.
func (d *PlannedTask) add(all ...problem) {
	for _, p := range all {
		d.Problems = append(d.Problems, p.String())
	}
	d.found = append(d.found, all...)
}

// adopt takes over the problems of a task within d, each of them once.
func (d *PlannedTask) adopt(all []problem) []problem {
	for _, p := range all {
		if len(d.found) < authored.MaxProblems && !slices.Contains(d.found, p) {
			d.found = append(d.found, p)
		}
	}
	return all
}

// problemOfTask is a problem with the place of a task.
func (x *evaluator) problemOfTask(id, message, hint string) (p problem) {
	p = problem{Message: message, Hint: hint}
	x.w.Walk(func(t *definition.Task) {
		if t.ID == id {
			p = x.problemAt(t, "", message, hint)
		}
	})
	return p
}

// problemAt is a problem with a field of a task, or with the task where it does not have
// the field.
func (x *evaluator) problemAt(t *definition.Task, field, message, hint string) problem {
	at, path := t.At, t.Path
	if n := t.At.Field(field); n != nil {
		at, path = n, path+"."+field
	}
	return problem{File: x.w.name, Line: at.Line, Column: at.Column, Path: path, Message: message, Hint: hint}
}

// fileWith is the file that a path leads into: that of a used agent or action is named in the
// path.
func fileWith(name, path string) string {
	if used, ok := strings.CutPrefix(path, "use("); ok {
		if used, _, ok := strings.Cut(used, ")"); ok {
			return used
		}
	}
	return name
}
