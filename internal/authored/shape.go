package authored

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/nearest"
)

// Value is what a field may hold. It says so twice, side by side: to the reader of a
// file, and to editors. The two agree on every value, but for problems that are reported
// with a [Rule].
type Value interface {
	// Check notes on r what is wrong with n, and reports whether it can be used.
	Check(r *Report, n *Node, path string) bool
	// Schema is the JSON Schema of the value, made anew.
	Schema(d *Defs) map[string]any
	// String is the value in a few words, for the reference.
	String() string
}

// Shape is the table of a mapping: which fields it has and what they hold. Files are
// read by it, and the JSON Schema for editors is made of it.
type Shape struct {
	// Name is its name in the schema, no other's.
	Name string
	// What is what it is to people, "a task"; Doc says what it is for.
	What, Doc string
	Keys      []Key
	// By names the key, a [Choice], that says of which kind a mapping is; "" where
	// there is one kind.
	By          string
	Constraints []Constraint
	// Misplaced says more about a field that a mapping of a kind does not have; it
	// may be nil, and say "".
	Misplaced func(kind, name string) (message, hint string)
}

// Key is a field that a mapping may have.
type Key struct {
	Name, Doc string
	Value     Value
	// Required says that it must be there. A field that is null counts as left out.
	Required bool
	// For are the kinds of mapping that have it; none says all.
	For []string
}

func (s *Shape) key(name string) *Key {
	for i := range s.Keys {
		if s.Keys[i].Name == name {
			return &s.Keys[i]
		}
	}
	return nil
}

// has reports whether mappings of a kind have a key; "" is a kind not known yet.
func (k *Key) has(kind string) bool {
	return len(k.For) == 0 || kind == "" || slices.Contains(k.For, kind)
}

func (s *Shape) keysOf(kind string) []*Key {
	var keys []*Key
	for i := range s.Keys {
		if s.Keys[i].has(kind) {
			keys = append(keys, &s.Keys[i])
		}
	}
	return keys
}

// needed are the fields that every mapping of the shape must have.
func (s *Shape) needed() []string {
	var names []string
	for _, k := range s.Keys {
		if k.Required && len(k.For) == 0 {
			names = append(names, k.Name)
		}
	}
	return names
}

// kind is the kind of a mapping, "" where it is not known.
func (s *Shape) kind(n *Node) string {
	if s.By == "" {
		return ""
	}
	return s.key(s.By).Value.(Choice).kind(n.Field(s.By))
}

// Check implements [Value].
func (s *Shape) Check(r *Report, n *Node, path string) bool {
	if n == nil || n.Kind != Map {
		kind := Null
		if n != nil {
			kind = n.Kind
		}
		hint := "write its fields, KEY: VALUE on a line each"
		if needed := s.needed(); len(needed) > 0 {
			hint += "; it needs " + strings.Join(needed, ", ")
		}
		r.Add(n, path, hint, "%s must be a mapping, and this is %s", s.What, kind)
		return false
	}
	kind := s.kind(n)
	keys := s.keysOf(kind)
	var meant []string // by fields that are not known: what was mistyped is not missing, too
	for _, f := range n.Fields {
		if !slices.ContainsFunc(keys, func(k *Key) bool { return k.Name == f.Name }) {
			r.add(s.unknown(keys, kind, path, f))
			meant = append(meant, s.meant(keys, f.Name))
		}
	}
	for _, k := range keys {
		v := n.Field(k.Name)
		switch {
		case v != nil && v.Kind != Null:
			if !k.Value.Check(r, v, join(path, k.Name)) {
				r.refuse(v)
			}
		case slices.Contains(meant, k.Name):
		case k.Required && (len(k.For) == 0 || kind != ""):
			r.Add(at(n, k.Name), join(path, k.Name), "", "%s needs %s", s.What, k.Name)
		}
	}
	for _, c := range s.Constraints {
		if c.holdsFor(kind) {
			c.check(r, n, path, s, kind, meant)
		}
	}
	return true
}

// unknown is the problem of a field that a mapping does not have.
func (s *Shape) unknown(keys []*Key, kind, path string, f Field) Problem {
	p := Problem{Line: f.Line, Column: f.Column, Path: join(path, f.Name)}
	if s.Misplaced != nil {
		if p.Message, p.Hint = s.Misplaced(kind, f.Name); p.Message != "" {
			return p
		}
	}
	if k := s.key(f.Name); k != nil {
		p.Message = fmt.Sprintf("%s of type %s has no %s", s.What, kind, f.Name)
		p.Hint = "it belongs to " + strings.Join(k.For, ", ")
		return p
	}
	p.Message = fmt.Sprintf("%s has no field %q", s.What, f.Name)
	p.Hint = "it has " + strings.Join(namesOf(keys), ", ")
	if meant := s.meant(keys, f.Name); meant != "" {
		p.Hint = "did you mean " + meant + "?"
	}
	return p
}

// meant is the key that a name which is none stands for, most likely; "" where nobody
// can tell.
func (s *Shape) meant(keys []*Key, name string) string {
	if s.key(name) != nil {
		return "" // another kind's
	}
	return nearest.Of(name, namesOf(keys))
}

func namesOf(keys []*Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// at is a field's value, or the mapping where it has none.
func at(n *Node, name string) *Node {
	if v := n.Field(name); v != nil {
		return v
	}
	return n
}

// join leads to a field of what path leads to.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// At leads to the i-th entry of a list.
func At(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
