package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"belay/internal/tool/schema"
)

// maxInputProblems bounds how many faults of one input are told at once,
// maxPlaceBytes how much of a place: its names are the model's.
const (
	maxInputProblems = 10
	maxPlaceBytes    = 200
)

// validate checks input against the schema and tells every fault, by its place.
func (e entry) validate(input json.RawMessage) error {
	value, err := schema.Parse(input)
	if err != nil {
		return Refuse("the input of %s is not valid JSON: %v", e.spec.Name, err)
	}
	faults := e.schema.Check(value)
	if len(faults) == 0 {
		return nil
	}
	var problems []string
	for _, f := range faults[:min(len(faults), maxInputProblems)] {
		problems = append(problems, told(f.At)+" "+f.Problem)
	}
	if more := len(faults) - maxInputProblems; more > 0 {
		problems = append(problems, fmt.Sprintf("and %d more", more))
	}
	return Refuse("the input of %s is not what it takes: %s", e.spec.Name, strings.Join(problems, "; ")).
		WithHint("call it again with an input that fits its schema")
}

// told is a place as a person reads it, too.
func told(pointer string) string {
	switch {
	case pointer == "":
		return "the input"
	case len(pointer) > maxPlaceBytes:
		return strings.ToValidUTF8(pointer[:maxPlaceBytes], "") + "…"
	}
	return pointer
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
