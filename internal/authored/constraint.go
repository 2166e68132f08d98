package authored

import (
	"slices"
	"strings"
)

// Constraint is what fields of one mapping say about each other: that one of some
// is needed, or that two do not go together.
type Constraint interface {
	holdsFor(kind string) bool
	// check knows which fields were mistyped: these are reported already.
	check(r *Report, n *Node, path string, s *Shape, kind string, mistyped []string)
	schema() map[string]any
}

// given reports whether a mapping has a field that is not null, which counts as left out.
func given(n *Node, name string) bool {
	v := n.Field(name)
	return v != nil && v.Kind != Null
}

// ExactlyOne says that a mapping has one of some fields.
type ExactlyOne struct{ Names []string }

func (ExactlyOne) holdsFor(string) bool { return true }

func (c ExactlyOne) check(r *Report, n *Node, path string, s *Shape, kind string, mistyped []string) {
	var has, may []string
	misplaced := false
	for _, name := range c.Names {
		there := given(n, name)
		switch takes := s.key(name).has(kind); {
		case takes && there:
			has = append(has, name)
			fallthrough
		case takes:
			may = append(may, name)
		default:
			misplaced = misplaced || there // it was reported
		}
		misplaced = misplaced || slices.Contains(mistyped, name)
	}
	switch {
	case len(has) == 0 && misplaced:
	case len(has) == 0:
		r.Add(n, path, "", "%s needs exactly one of %s", s.What, strings.Join(may, ", "))
	case len(has) > 1:
		r.Add(n.Field(has[1]), join(path, has[1]), "keep one of them", "%s has exactly one of %s, and this has %s", s.What, strings.Join(may, ", "), strings.Join(has, " and "))
	}
}

// AtLeastOne says that mappings of a kind need one of some fields.
type AtLeastOne struct {
	Kind, Message string
	Names         []string
}

func (c AtLeastOne) holdsFor(kind string) bool { return kind == c.Kind }

func (c AtLeastOne) check(r *Report, n *Node, path string, _ *Shape, _ string, mistyped []string) {
	if !slices.ContainsFunc(c.Names, func(name string) bool { return given(n, name) || slices.Contains(mistyped, name) }) {
		r.Add(n, path, "", "%s", c.Message)
	}
}

// Clash says that one field, with a value or with any, does not go with another. A
// field within a field is written with a point.
type Clash struct {
	Kind string // "" for all
	One  string
	Is   any // true, a text, or nil for any
	// Other is the field that is refused.
	Other         string
	Message, Hint string
}

func (c Clash) holdsFor(kind string) bool { return c.Kind == "" || kind == c.Kind }

func (c Clash) check(r *Report, n *Node, path string, _ *Shape, _ string, _ []string) {
	one := n
	for _, name := range strings.Split(c.One, ".") {
		if one = one.Field(name); one == nil || one.Kind == Null {
			return
		}
	}
	if other := n.Field(c.Other); other != nil && other.Kind != Null && (c.Is == nil || one.Value() == c.Is) {
		r.Add(other, join(path, c.Other), c.Hint, "%s", c.Message)
	}
}
