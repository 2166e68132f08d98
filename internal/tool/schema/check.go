package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"belay/internal/nearest"
	"belay/internal/plainjson"
)

// Fault is one thing that is wrong with a value.
type Fault struct {
	// At is where, as a JSON pointer (RFC 6901), "" for the whole value.
	At string
	// Problem says what, and follows the place in a sentence: "must be a string".
	Problem string
}

// Check returns every fault of a value of [Parse], none when the schema accepts
// it. Faults are in the order of their places.
func (s *Schema) Check(v any) []Fault {
	var c checker
	c.check(place{}, s, v)
	return c.faults
}

type checker struct{ faults []Fault }

func (c *checker) fault(at place, format string, args ...any) {
	c.faults = append(c.faults, Fault{at.pointer(), fmt.Sprintf(format, args...)})
}

func (c *checker) check(at place, s *Schema, v any) {
	if s.never {
		c.fault(at, "must not be there")
		return
	}
	if s.types != nil && !slices.ContainsFunc(s.types, func(t string) bool { return t == typeOf(v) || t == "integer" && isInteger(v) }) {
		c.fault(at, "must be %s, not %s", either(s.types), article(typeOf(v)))
		return // what else there is to say of it means another type
	}
	if s.hasEnum && !slices.ContainsFunc(s.enum, func(e any) bool { return equal(e, v) }) {
		c.fault(at, "must be one of %s", texts(s.enum))
	}
	switch v := v.(type) {
	case json.Number:
		c.number(at, s, v)
	case string:
		c.text(at, s, v)
	case []any:
		c.span(at, s.count, int64(len(v)), "items")
		if s.items != nil {
			for i, item := range v {
				c.check(at.item(i), s.items, item)
			}
		}
	case map[string]any:
		c.object(at, s, v)
	}
}

func (c *checker) number(at place, s *Schema, v json.Number) {
	if s.minimum == nil && s.maximum == nil {
		return
	}
	r := rational(v)
	switch {
	case s.minimum != nil && r.Cmp(s.minimum) < 0:
		c.fault(at, "must be at least %s", s.minimum.RatString())
	case s.maximum != nil && r.Cmp(s.maximum) > 0:
		c.fault(at, "must be at most %s", s.maximum.RatString())
	}
}

func (c *checker) text(at place, s *Schema, v string) {
	if s.length != (span{}) {
		c.span(at, s.length, int64(utf8.RuneCountInString(v)), "characters")
	}
	if s.pattern != nil && !s.pattern.MatchString(v) {
		c.fault(at, "must match %s", s.pattern)
	}
}

func (c *checker) span(at place, s span, n int64, things string) {
	switch {
	case s.least != nil && n < *s.least && n == 0:
		c.fault(at, "must not be empty")
	case s.least != nil && n < *s.least:
		c.fault(at, "has %d %s, and must have %d at least", n, things, *s.least)
	case s.most != nil && n > *s.most:
		c.fault(at, "has %d %s, and may have %d at most", n, things, *s.most)
	}
}

func (c *checker) object(at place, s *Schema, v map[string]any) {
	for _, name := range s.required {
		if _, ok := v[name]; !ok {
			c.fault(at.in(name), "is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		p, known := s.properties[name]
		switch {
		case known:
			c.check(at.in(name), p, v[name])
		case s.additional == nil:
		case s.additional.never:
			c.unknown(at.in(name), s, name)
		default:
			c.check(at.in(name), s.additional, v[name])
		}
	}
}

// unknown tells of a property that should not be there, and which was meant.
func (c *checker) unknown(at place, s *Schema, name string) {
	known := slices.Sorted(maps.Keys(s.properties))
	if len(c.faults) < maxGuesses {
		if meant := nearest.Of(name, known); meant != "" {
			c.fault(at, "is not known (did you mean %s?)", meant)
			return
		}
	}
	c.fault(at, "is not known")
}

// maxGuesses is how many faults have a word on what was meant: a guess takes
// longer than all the rest, and nobody reads so many.
const maxGuesses = 10

// article is a type with its article.
func article(t string) string {
	switch t {
	case "null":
		return t
	case "array", "object", "integer":
		return "an " + t
	}
	return "a " + t
}

// either lists types.
func either(types []string) string {
	all := make([]string, len(types))
	for i, t := range types {
		all[i] = article(t)
	}
	return strings.Join(all, " or ")
}

// texts lists values as JSON.
func texts(values []any) string {
	all := make([]string, len(values))
	for i, v := range values {
		b, _ := plainjson.Marshal(v) // it was JSON
		all[i] = string(b)
	}
	return strings.Join(all, ", ")
}
