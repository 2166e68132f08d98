package authored

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Object is a mapping that was held against its shape. Its methods give what its
// fields hold; a field that is left out, null or wrong has the zero value. To ask
// for one that the shape does not have panics.
type Object struct {
	node   *Node
	report *Report
	path   string
	shape  *Shape
}

// Read holds n against a shape and notes on r what is wrong with it, at any depth.
// The object of something else than a mapping has no fields.
func Read(n *Node, r *Report, path string, s *Shape) *Object {
	s.Check(r, n, path)
	return View(n, r, path, s)
}

// View is the object of a mapping that was held against the shape already, as part of
// what holds it.
func View(n *Node, r *Report, path string, s *Shape) *Object {
	if n == nil || n.Kind != Map {
		at := Node{Kind: Map}
		if n != nil {
			at.Line, at.Column = n.Line, n.Column
		}
		n = &at
	}
	return &Object{node: n, report: r, path: path, shape: s}
}

// Node is the mapping.
func (o *Object) Node() *Node { return o.node }

// Path leads to a field, or with "" to the mapping itself.
func (o *Object) Path(name string) string {
	if name == "" {
		return o.path
	}
	return join(o.path, name)
}

// Beyond notes a problem with a field, or with "" of the mapping as a whole, that
// the shape does not know of.
func (o *Object) Beyond(rule Rule, name, hint, format string, args ...any) {
	o.report.Beyond(rule, at(o.node, name), o.Path(name), hint, format, args...)
}

// Field is a field's value, nil where it is left out or wrong.
func (o *Object) Field(name string) *Node {
	if o.shape.key(name) == nil {
		panic("authored: " + o.shape.What + " has no key " + name)
	}
	n := o.node.Field(name)
	if n == nil || n.Kind == Null || o.report.refused[n] {
		return nil
	}
	return n
}

// Text is a field of text, or a scalar as it is written: a version may be 1.0.
func (o *Object) Text(name string) string {
	if n := o.Field(name); n != nil && n.isScalar() {
		return n.Text
	}
	return ""
}

// Word is a field that is a [Choice]; left out, it is the first word.
func (o *Object) Word(name string) string {
	return o.shape.key(name).Value.(Choice).kind(o.Field(name))
}

// Bool is a field of true or false.
func (o *Object) Bool(name string) bool {
	n := o.Field(name)
	return n != nil && strings.EqualFold(n.Text, "true")
}

// Int is a field that is a [Whole].
func (o *Object) Int(name string) int64 {
	if n := o.Field(name); n != nil {
		v, _ := n.whole() // it was checked
		return v
	}
	return 0
}

// Number is a field that is a [Above].
func (o *Object) Number(name string) float64 {
	if n := o.Field(name); n != nil {
		v, _ := n.number() // it was checked
		return v
	}
	return 0
}

// Duration is a field that is a [Length].
func (o *Object) Duration(name string) time.Duration {
	if n := o.Field(name); n != nil {
		d, _ := time.ParseDuration(n.Text) // it was checked
		return d
	}
	return 0
}

// List is a field that is a list; entries that are wrong are nil.
func (o *Object) List(name string) []*Node {
	n := o.Field(name)
	if n == nil {
		return nil
	}
	all := make([]*Node, len(n.Items))
	for i, c := range n.Items {
		if !o.report.refused[c] {
			all[i] = c
		}
	}
	return all
}

// Texts is a list of texts, without those that are wrong.
func (o *Object) Texts(name string) []string {
	var all []string
	for _, n := range o.List(name) {
		if n != nil {
			all = append(all, n.Text)
		}
	}
	return all
}

// Object is a field that is a mapping with a shape; nil where it is left out, or
// something else.
func (o *Object) Object(name string) *Object {
	n := o.Field(name)
	if n == nil || n.Kind != Map {
		return nil
	}
	return &Object{node: n, report: o.report, path: o.Path(name), shape: shapeIn(o.shape.key(name).Value)}
}

// Objects is a list of mappings with a shape, without those that are wrong.
func (o *Object) Objects(name string) []*Object {
	var all []*Object
	for i, n := range o.List(name) {
		if n != nil {
			all = append(all, &Object{node: n, report: o.report, path: At(o.Path(name), i), shape: shapeIn(o.shape.key(name).Value)})
		}
	}
	return all
}

// Map is a field that is a mapping with names of the author's choice, without the
// values that are wrong.
func (o *Object) Map(name string) []Field {
	n := o.Field(name)
	if n == nil {
		return nil
	}
	var all []Field
	for _, f := range n.Fields {
		if !o.report.refused[f.Value] {
			all = append(all, f)
		}
	}
	return all
}

// shapeIn is the shape of the mappings that a value has.
func shapeIn(v Value) *Shape {
	switch v := v.(type) {
	case *Shape:
		return v
	case Either:
		return shapeIn(v.Mapping)
	case ListOf:
		return shapeIn(v.Each)
	}
	return nil
}

func (n *Node) isScalar() bool {
	return n.Kind == Text || n.Kind == Int || n.Kind == Float || n.Kind == Bool
}

// number is the value of a number.
func (n *Node) number() (float64, bool) {
	if n.Kind != Int && n.Kind != Float {
		return 0, false
	}
	if v, ok := n.whole(); ok {
		return float64(v), true
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
	return v, err == nil
}

// isWhole reports whether a number is a whole one, of any size.
func (n *Node) isWhole() bool {
	f, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
	return n.Kind == Int || n.Kind == Float && err == nil && f == math.Trunc(f)
}

// whole is the value of a whole number, however it is written: 3 and 3.0.
func (n *Node) whole() (int64, bool) {
	text := strings.ReplaceAll(n.Text, "_", "")
	if n.Kind == Int {
		v, err := strconv.ParseInt(text, 0, 64)
		return v, err == nil
	}
	const exact = 1 << 53
	f, err := strconv.ParseFloat(text, 64)
	if n.Kind != Float || err != nil || f != float64(int64(f)) || f > exact || f < -exact {
		return 0, false
	}
	return int64(f), true
}
