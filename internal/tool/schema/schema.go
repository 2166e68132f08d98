// Package schema checks JSON values against JSON Schemas of the part that inputs
// of tools need, and tells every fault by its place. [Compile] a schema once,
// [Parse] what comes from outside, and [Schema.Check] it.
//
// The keywords are type, enum, properties, required, additionalProperties, items,
// minimum, maximum, minLength, maxLength, pattern, minItems and maxItems, with the
// meaning of draft 2020-12, and title, description, default and examples, which
// check nothing. Any other is an error of the schema: nobody shall believe that
// something is checked which is not. There are no references, so that a schema
// opens no file and dials no host.
//
// The library for all of JSON Schema, which workflow files need, does the same and
// more, and first compiles schemas of its own, for longer than a short turn takes. The
// tests compare with it; nothing here may come to depend on it.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
)

// Schema is a schema, ready for use. It is immutable. The zero value accepts
// everything.
type Schema struct {
	never bool // the schema that is only false

	types            []string // any when nil
	enum             []any
	hasEnum          bool
	minimum, maximum *big.Rat
	length, count    span // of a string in characters, of an array
	pattern          *regexp.Regexp
	items            *Schema
	properties       map[string]*Schema
	required         []string
	additional       *Schema // of properties that have no schema; nil accepts all
}

// span is how much something may have; nil is no limit.
type span struct{ least, most *int64 }

// Compile reads a schema. The error has a line for each of its faults.
func Compile(doc []byte) (*Schema, error) {
	v, err := Parse(doc)
	if err != nil {
		return nil, err
	}
	var c compiler
	s := c.schema(place{}, v)
	return s, errors.Join(c.errs...)
}

// compiler reads a schema and gathers its faults.
type compiler struct{ errs []error }

func (c *compiler) fault(at place, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("the schema at %q %s", at.pointer(), fmt.Sprintf(format, args...)))
}

func (c *compiler) schema(at place, v any) *Schema {
	s := &Schema{}
	switch v := v.(type) {
	case bool:
		s.never = !v
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !c.keyword(s, name, at.in(name), v[name]) {
				c.fault(at, "has %q, which is not one of the keywords that are checked", name)
			}
		}
	default:
		c.fault(at, "is neither an object nor a boolean")
	}
	return s
}

// keyword reads one, and reports whether it is one.
func (c *compiler) keyword(s *Schema, name string, at place, v any) bool {
	switch name {
	case "type":
		s.types = c.types(at, v)
	case "enum":
		s.enum, s.hasEnum = of[[]any](c, at, v), true
	case "minimum":
		s.minimum = c.number(at, v)
	case "maximum":
		s.maximum = c.number(at, v)
	case "minLength":
		s.length.least = c.size(at, v)
	case "maxLength":
		s.length.most = c.size(at, v)
	case "pattern":
		s.pattern = c.pattern(at, v)
	case "items":
		s.items = c.schema(at, v)
	case "minItems":
		s.count.least = c.size(at, v)
	case "maxItems":
		s.count.most = c.size(at, v)
	case "properties":
		s.properties = map[string]*Schema{}
		for name, p := range of[map[string]any](c, at, v) {
			s.properties[name] = c.schema(at.in(name), p)
		}
	case "required":
		s.required = c.names(at, v)
	case "additionalProperties":
		s.additional = c.schema(at, v)
	case "title", "description":
		of[string](c, at, v)
	case "examples":
		of[[]any](c, at, v)
	case "default":
	default:
		return false
	}
	return true
}

// typeNames are the types that a schema can name.
var typeNames = []string{"null", "boolean", "object", "array", "number", "string", "integer"}

func (c *compiler) types(at place, v any) []string {
	types := []string{}
	if one, ok := v.(string); ok {
		types = append(types, one)
	} else if types = c.names(at, v); len(types) == 0 {
		c.fault(at, "names no type")
	}
	for _, t := range types {
		if !slices.Contains(typeNames, t) {
			c.fault(at, "has %q, which is not a type", t)
		}
	}
	return types
}

func (c *compiler) pattern(at place, v any) *regexp.Regexp {
	p, err := regexp.Compile(of[string](c, at, v))
	if err != nil {
		c.fault(at, "is no regular expression: %v", err)
	}
	return p
}

// names reads a list of texts, each of them once.
func (c *compiler) names(at place, v any) []string {
	var names []string
	for i, item := range of[[]any](c, at, v) {
		names = append(names, of[string](c, at.item(i), item))
	}
	if sorted := slices.Sorted(slices.Values(names)); len(slices.Compact(sorted)) != len(names) {
		c.fault(at, "has an item twice")
	}
	return names
}

func (c *compiler) number(at place, v any) *big.Rat {
	if r := rational(of[json.Number](c, at, v)); r != nil {
		return r
	}
	return new(big.Rat) // of has said that it is none
}

// size reads a number of things.
func (c *compiler) size(at place, v any) *int64 {
	r := c.number(at, v)
	if !r.IsInt() || r.Sign() < 0 {
		c.fault(at, "is not a number of things")
	}
	n := int64(1<<63 - 1) // more than anything has
	if r.IsInt() && r.Num().IsInt64() {
		n = r.Num().Int64()
	}
	return &n
}

// of returns v as what it must be.
func of[T any](c *compiler, at place, v any) T {
	t, ok := v.(T)
	if !ok {
		c.fault(at, "cannot be %s", article(typeOf(v)))
	}
	return t
}
