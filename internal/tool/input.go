package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// maxInputProblems bounds how many faults of one input are listed, maxProblemBytes
// the text of one, and maxPlaceBytes its place: names in it are the model's.
const (
	maxInputProblems = 10
	maxProblemBytes  = 500
	maxPlaceBytes    = 200
)

// validate checks input against the schema and lists every fault, by its place.
func (e entry) validate(input json.RawMessage) error {
	var value any
	if err := json.Unmarshal(input, &value); err != nil {
		return Refuse("the input of %s is not valid JSON: %v", e.spec.Name, err)
	}
	if e.spec.Unchecked {
		return nil
	}
	schema, err := e.schema()
	if err != nil {
		return fmt.Errorf("tool %s: its schema: %w", e.spec.Name, err)
	}
	found, err := schema.Check(value)
	if err != nil {
		return Refuse("the input of %s cannot be checked: %v", e.spec.Name, err)
	}
	var faults []string
	for _, f := range found {
		faults = append(faults, describe(f))
	}
	if len(faults) == 0 {
		return nil
	}
	if more := len(faults) - maxInputProblems; more > 0 {
		faults = append(faults[:maxInputProblems], fmt.Sprintf("and %d more", more))
	}
	for i, f := range faults {
		faults[i] = Clip(f, maxProblemBytes)
	}
	return Refuse("the input of %s is not what it takes: %s", e.spec.Name, strings.Join(faults, "; ")).
		WithHint("call it again with an input that fits its schema")
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
