// Package schema checks values against JSON Schemas. A schema refers to parts of itself
// only: nothing is read from a file or from an address.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"belay/internal/nearest"
)

// Schema is a compiled JSON Schema. It may be used by several goroutines.
type Schema struct {
	compiled *jsonschema.Schema
	steps    *steps
}

// Fault is one thing that is wrong with a value.
type Fault struct {
	// Place leads to the part of the value that is wrong; empty for the whole.
	Place []string
	// Text says what is wrong with it.
	Text string
}

// InvalidError lists what the compiler finds wrong with a schema.
type InvalidError struct{ Faults []Fault }

// Error implements error.
func (e *InvalidError) Error() string {
	all := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		all[i] = strings.TrimPrefix(strings.Join(f.Place, ".")+": "+f.Text, ": ")
	}
	return strings.Join(all, "; ")
}

// Compile reads a schema, which is JSON or a value that can be written as JSON. The error is
// an [*InvalidError] where a part of it is not what JSON Schema says.
func Compile(source any) (*Schema, error) {
	doc, err := plain(source)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	if doc, err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	const name = "mem:///schema.json"
	s := &Schema{steps: &steps{}}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	s.steps.count(c)
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(name)
	var wrong *jsonschema.ValidationError
	if of, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok && errors.As(of.Err, &wrong) {
		return nil, &InvalidError{s.leaves(nil, wrong)}
	}
	if err != nil {
		return nil, err
	}
	s.compiled = compiled
	return s, nil
}

// plain is what the JSON of a value decodes to. Its numbers are floats: arithmetic on
// 1e999999999 in full takes a gigabyte.
func plain(v any) (out any, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return out, json.Unmarshal(text, &out)
}

// noLoader keeps schemas from reading files and addresses.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("a schema refers to itself only, and this one to " + url)
}

// Check returns every fault of a value, sorted by place. It fails where the value is
// not JSON and where the check takes more than a million steps.
func (s *Schema) Check(v any) ([]Fault, error) {
	doc, err := plain(v)
	if err != nil {
		return nil, err
	}
	err = s.steps.validate(s.compiled, doc)
	var wrong *jsonschema.ValidationError
	if !errors.As(err, &wrong) {
		return nil, err
	}
	faults := s.leaves(nil, wrong)
	slices.SortStableFunc(faults, func(a, b Fault) int { return slices.Compare(a.Place, b.Place) })
	return faults, nil
}

// english writes numbers as they are, without separators of thousands.
var english = sync.OnceValue(func() *message.Printer {
	return message.NewPrinter(language.MustParse("en-US-u-va-posix"))
})

func (s *Schema) leaves(faults []Fault, e *jsonschema.ValidationError) []Fault {
	for _, c := range e.Causes {
		faults = s.leaves(faults, c)
	}
	if len(e.Causes) > 0 {
		return faults
	}
	text := strings.Replace(e.ErrorKind.LocalizedString(english()), "error parsing regexp: ", "", 1)
	if k, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		text += s.meant(e.InstanceLocation, k.Properties)
	}
	return append(faults, Fault{Place: e.InstanceLocation, Text: text})
}

// meant names the property that the first unknown one resembles.
func (s *Schema) meant(place, unknown []string) string {
	at := s.compiled
	if at == nil {
		return "" // it is the schema that is wrong
	}
	for _, step := range place {
		switch next := at.Properties[step]; {
		case next != nil:
			at = next
		case at.Items2020 != nil:
			at = at.Items2020
		default:
			return ""
		}
	}
	var known []string
	for name := range at.Properties {
		known = append(known, name)
	}
	slices.Sort(known)
	if name := nearest.Of(unknown[0], known); name != "" {
		return " (did you mean " + name + "?)"
	}
	return ""
}
