package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// maxInputProblems bounds how many faults of one input are told at once.
const maxInputProblems = 10

// validate checks input against the schema and tells every fault, by its place.
func (e entry) validate(input json.RawMessage) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(input))
	if err == nil {
		err = plainNumbers(value)
	}
	if err != nil {
		return Refuse("the input of %s is not valid JSON: %v", e.spec.Name, err)
	}
	err = e.schema.Validate(value)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return fmt.Errorf("tool %s: check the input: %w", e.spec.Name, err)
	}
	var problems []string
	collect(invalid, &problems)
	if more := len(problems) - maxInputProblems; more > 0 {
		problems = append(problems[:maxInputProblems], fmt.Sprintf("and %d more", more))
	}
	return Refuse("the input of %s is not what it takes: %s", e.spec.Name, strings.Join(problems, "; ")).
		WithHint("call it again with an input that fits its schema")
}

// plainNumbers refuses numbers that only an exponent makes long: the schema's
// arithmetic is exact, and 1e999999999 in full is a gigabyte.
func plainNumbers(value any) error {
	switch v := value.(type) {
	case json.Number:
		if f, err := v.Float64(); err != nil || len(v) > maxNumberBytes {
			return fmt.Errorf("the number %.20s is out of range", v)
		} else if f == 0 && strings.ContainsAny(string(v), "eE") {
			return fmt.Errorf("the number %.20s is too small", v)
		}
	case []any:
		for _, e := range v {
			if err := plainNumbers(e); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, e := range v {
			if err := plainNumbers(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxNumberBytes is more than any number needs that a float can hold.
const maxNumberBytes = 400

// collect gathers the causes that have none themselves.
func collect(e *jsonschema.ValidationError, problems *[]string) {
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			collect(c, problems)
		}
		return
	}
	place := "the input"
	if len(e.InstanceLocation) > 0 {
		place = strings.Join(e.InstanceLocation, ".")
	}
	*problems = append(*problems, place+": "+e.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
}

// Decode reads an input that the schema accepted into v, which is a pointer to a
// struct with the schema's fields.
func Decode(input json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(input))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return Refuse("the input cannot be read: %v", err)
	}
	return nil
}
