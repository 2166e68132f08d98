package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/nearest"
	"belay/internal/plainjson"
	"belay/internal/schema"
)

// give checks the input against the workflow's schema, its defaults filled in. With
// known, inputs that the schema does not name are refused: they are mistyped. Without it, the
// input is that of a run which is taken up, and stays.
func (w *flow) give(input map[string]any, texts map[string]string, known bool) error {
	input, err := plainMap(input)
	if err != nil {
		return fault.New(fault.InvalidWorkflow, "the input is no JSON: %v", err)
	}
	var all []problem
	rounded := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		v, err := w.typed(name, texts[name])
		if err != nil {
			rounded[name] = true
			all = append(all, problem{Path: "input." + name, Message: err.Error(), Hint: "where every digit counts, declare it with type: string"})
		}
		input[name] = v
	}
	if known {
		for _, name := range w.Input.Undeclared(input) {
			all = append(all, problem{Path: "input", Message: fmt.Sprintf("the workflow has no input %q", name), Hint: w.meantInput(name)})
		}
	}
	w.Input.Defaults(input)
	if w.input, err = plainMap(input); err != nil {
		return err
	}
	faults := slices.DeleteFunc(w.Input.Faults(w.input), func(f schema.Fault) bool { return len(f.Place) > 0 && rounded[f.Place[0]] })
	for _, f := range faults {
		found := problem{Path: strings.Join(append([]string{"input"}, f.Place...), "."), Message: f.Text}
		if len(f.Place) == 1 {
			if _, asText := texts[f.Place[0]]; asText {
				found.Hint = w.written(f.Place[0])
			}
		}
		all = append(all, found)
	}
	if err := invalid("the input does not fit the schema of the workflow "+w.ID, all); err != nil {
		return fault.From(err).WithHint("%s", nextInput(faults, len(rounded) > 0, texts != nil, !known))
	}
	env, err := w.Env.Fields(map[string]any{
		"workflow": map[string]any{"id": w.ID, "version": w.Version, "input": w.input}, "input": w.input,
	})
	if err != nil {
		return invalid("env cannot be evaluated", problemOf(w.name, err))
	}
	w.env, err = plainMap(env)
	return err
}

// nextInput is the next step after an input that does not fit. One that was sent over HTTP has
// no texts; a run that is taken up keeps its own.
func nextInput(faults []schema.Fault, rounded, texts, keeps bool) string {
	missing := slices.ContainsFunc(faults, func(f schema.Fault) bool { return len(f.Place) == 0 })
	switch {
	case keeps:
		return "the run keeps its input: let the schema in the file take it, with a default for what is new, or begin a new run"
	case missing && texts:
		return "give it with --input NAME=VALUE, or in the JSON object of --input-file"
	case missing:
		return "send it in input"
	case len(faults) == 0 && !rounded: // what was given is too much
		return "leave it out, or declare it under input in the workflow file"
	}
	return "correct what is named above"
}

// written is how an input of the type that the schema wants is written as text, "" where that
// is not known.
func (w *flow) written(name string) string {
	properties, _ := w.Input.Source["properties"].(map[string]any)
	property, _ := properties[name].(map[string]any)
	switch property["type"] {
	case "array":
		return "write a list as JSON, as in --input '" + name + `=["a", "b"]'`
	case "object":
		return "write a mapping as JSON, as in --input '" + name + `={"a": 1}'`
	case "boolean":
		return "write true or false"
	case "integer":
		return "write a whole number, such as 3"
	case "number":
		return "write a number, such as 1.5"
	}
	return ""
}

// meantInput is the next step after an input that there is not.
func (w *flow) meantInput(name string) string {
	names := w.Input.Names()
	if meant := nearest.Of(name, names); meant != "" {
		return "did you mean " + meant + "?"
	}
	if len(names) == 0 {
		return "it takes none"
	}
	return "it takes " + strings.Join(names, ", ")
}

// typed is an input that was given as text, as the schema wants it. The error is that of a
// number that would be rounded.
func (w *flow) typed(name, text string) (any, error) {
	if w.Input == nil {
		return text, nil
	}
	properties, _ := w.Input.Source["properties"].(map[string]any)
	property, _ := properties[name].(map[string]any)
	switch t := property["type"].(type) {
	case string:
		if t == "string" {
			return text, nil
		}
	case []any:
		if slices.Contains(t, any("string")) {
			return text, nil
		}
	default:
		return text, nil
	}
	v, err := plainjson.Value([]byte(text))
	if inexact := (*plainjson.InexactError)(nil); err == nil || errors.As(err, &inexact) {
		return v, err
	}
	return text, nil // the schema says what is wrong with it
}
