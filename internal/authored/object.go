package authored

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"belay/internal/nearest"
)

// Object takes a mapping apart: each method reads one field and notes what is
// wrong with it; [Object.Done] refuses the others. A field that is null counts as
// left out. An Object of something else than a mapping has no fields.
type Object struct {
	node   *Node
	report *Report
	path   string
	what   string
	asked  []string
}

// NewObject begins with a mapping; what is what it is to people, "a task".
func NewObject(n *Node, r *Report, path, what string) *Object {
	o := &Object{node: n, report: r, path: path, what: what}
	if n == nil || n.Kind != Map {
		kind := Null
		if n != nil {
			kind = n.Kind
		}
		r.Add(n, path, "", "%s must be a mapping, and this is %s", what, kind)
		o.node = nil
	}
	return o
}

// Node is the mapping; nil where there is none.
func (o *Object) Node() *Node { return o.node }

// Path leads to a field.
func (o *Object) Path(name string) string {
	if o.path == "" {
		return name
	}
	return o.path + "." + name
}

// At leads to the i-th entry of a list.
func At(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// Fail notes a problem with the mapping as a whole.
func (o *Object) Fail(hint, format string, args ...any) {
	o.report.Add(o.node, o.path, hint, format, args...)
}

// FailAt notes a problem with a field.
func (o *Object) FailAt(name, hint, format string, args ...any) {
	n := o.node
	if n != nil && n.Field(name) != nil {
		n = n.Field(name)
	}
	o.report.Add(n, o.Path(name), hint, format, args...)
}

// Field is a field's value, nil where it is left out.
func (o *Object) Field(name string) *Node {
	if !slices.Contains(o.asked, name) {
		o.asked = append(o.asked, name)
	}
	if o.node == nil {
		return nil
	}
	if n := o.node.Field(name); n != nil && n.Kind != Null {
		return n
	}
	return nil
}

// Has reports whether a field is there, be it null.
func (o *Object) Has(name string) bool { return o.node != nil && o.node.Field(name) != nil }

func (o *Object) of(name string, kinds ...Kind) *Node {
	n := o.Field(name)
	if n == nil || slices.Contains(kinds, n.Kind) {
		return n
	}
	o.report.Add(n, o.Path(name), "", "it must be %s, and this is %s", kinds[0], n.Kind)
	return nil
}

// Text is a field of text. Numbers and truth values are taken as they are
// written: an id may be 2024.
func (o *Object) Text(name string) string {
	if n := o.of(name, Text, Int, Float, Bool); n != nil {
		return n.Text
	}
	return ""
}

// Required is a field of text that must be there and not blank.
func (o *Object) Required(name string) string {
	s := o.Text(name)
	if n := o.Field(name); o.node != nil && (n == nil || n.Kind == Text && strings.TrimSpace(s) == "") {
		o.FailAt(name, "", "%s needs %s", o.what, name)
	}
	return s
}

// OneOf is a field that takes one of the words; left out, it is the first.
func (o *Object) OneOf(name string, words ...string) string {
	s := o.Text(name)
	if s == "" {
		return words[0]
	}
	if !slices.Contains(words, s) {
		hint := ""
		if meant := nearest.Of(s, words); meant != "" {
			hint = "did you mean " + meant + "?"
		}
		o.FailAt(name, hint, "it must be one of %s, and this is %q", strings.Join(words, ", "), s)
		return words[0]
	}
	return s
}

// Bool is a field of true or false.
func (o *Object) Bool(name string) bool {
	n := o.of(name, Bool)
	return n != nil && (n.Text == "true" || n.Text == "True" || n.Text == "TRUE")
}

// Int is a whole number from least to most; left out, it is 0.
func (o *Object) Int(name string, least, most int64) int64 {
	n := o.of(name, Int)
	if n == nil {
		return 0
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(n.Text, "_", ""), 0, 64)
	if err != nil || v < least || v > most {
		o.report.Add(n, o.Path(name), "", "it must be a whole number from %d to %d, and this is %s", least, most, n.Text)
		return 0
	}
	return v
}

// Number is a number above least and up to most; left out, it is 0.
func (o *Object) Number(name string, least, most float64) float64 {
	n := o.of(name, Float, Int)
	if n == nil {
		return 0
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
	if err != nil || !(v > least && v <= most) {
		o.report.Add(n, o.Path(name), "", "it must be a number above %g, up to %g, and this is %s", least, most, n.Text)
		return 0
	}
	return v
}

// Duration is a length of time from 0 to most, as 30s or 2m; left out, it is 0.
func (o *Object) Duration(name string, most time.Duration) time.Duration {
	n := o.of(name, Text, Int)
	if n == nil {
		return 0
	}
	d, err := time.ParseDuration(n.Text)
	if err != nil || d <= 0 || d > most {
		o.report.Add(n, o.Path(name), "write it as 30s, 5m or 1h", "it must be a length of time up to %s, and this is %q", most, n.Text)
		return 0
	}
	return d
}

// List is a field that is a list; nil where it is left out.
func (o *Object) List(name string) []*Node {
	if n := o.of(name, List); n != nil {
		return n.Items
	}
	return nil
}

// Texts is a list of texts.
func (o *Object) Texts(name string) []string {
	var all []string
	for i, n := range o.List(name) {
		switch n.Kind {
		case Text, Int, Float, Bool:
			all = append(all, n.Text)
		case Null, List, Map:
			o.report.Add(n, At(o.Path(name), i), "", "it must be text, and this is %s", n.Kind)
		}
	}
	return all
}

// Object is a field that is a mapping, nil where it is left out; what is what it
// is to people.
func (o *Object) Object(name, what string) *Object {
	n := o.Field(name)
	if n == nil {
		return nil
	}
	return NewObject(n, o.report, o.Path(name), what)
}

// Map is a field that is a mapping with names of the author's choice.
func (o *Object) Map(name string) []Field {
	if n := o.of(name, Map); n != nil {
		return n.Fields
	}
	return nil
}

// Done refuses the fields that were not asked for.
func (o *Object) Done() {
	if o.node == nil {
		return
	}
	for _, f := range o.node.Fields {
		if slices.Contains(o.asked, f.Name) {
			continue
		}
		hint := "it has " + strings.Join(o.asked, ", ")
		if meant := nearest.Of(f.Name, o.asked); meant != "" {
			hint = "did you mean " + meant + "?"
		}
		o.report.add(Problem{Line: f.Line, Column: f.Column, Path: o.Path(f.Name), Message: fmt.Sprintf("%s has no field %q", o.what, f.Name), Hint: hint})
	}
}
