package template

import (
	"errors"
	"slices"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/nearest"
)

var (
	syntaxForm = lazyregexp.New(`^template: :(\d+): (.*)$`)
	runForm    = lazyregexp.New(`(?s)^template: :(\d+):\d+: executing "" at <.*?>: (.*)$`)
	callForm   = lazyregexp.New(`(?s)^error calling (\w+): (.*)$`)
)

// syntaxError says what the parser found.
func syntaxError(text string, err error) *Error {
	problem := strings.ReplaceAll(err.Error(), fieldName, "a path")
	line := ""
	if m := syntaxForm.FindStringSubmatch(problem); m != nil {
		if problem = m[2]; strings.Contains(text, "\n") {
			line = "line " + m[1] + " of it: "
		}
	}
	e := &Error{Problem: line + problem}
	switch {
	case strings.HasPrefix(problem, "unclosed action"), strings.HasPrefix(problem, `unexpected "}"`):
		e.Hint = "close what {{ opens with }}"
	case problem == "unexpected EOF":
		e.Hint = "close each {{ if }}, {{ range }} and {{ with }} with {{ end }}"
	case strings.HasPrefix(problem, "unexpected {{end}}"):
		e.Hint = "there is no {{ if }}, {{ range }} or {{ with }} that it could close"
	}
	if name, ok := strings.CutPrefix(problem, "function "); ok && strings.HasSuffix(problem, "not defined") {
		name = strings.Trim(strings.TrimSuffix(name, " not defined"), `"`)
		switch meant := nearest.Of(name, functionNames()); {
		case unavailable()[name]:
			e.Hint = "templates see no clock, environment, network or chance"
		case slices.Contains(contextKeys, name):
			e.Hint = "values begin with a point: write ." + name
		case meant != "":
			e.Hint = "did you mean " + meant + "?"
		default:
			e.Hint = "docs/functions.md lists what there is"
		}
	}
	return e
}

// runError says why an evaluation failed.
func runError(err error) *Error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	problem := err.Error()
	if m := runForm.FindStringSubmatch(problem); m != nil {
		problem = m[2]
	}
	if m := callForm.FindStringSubmatch(problem); m != nil {
		problem = m[1] + ": " + m[2]
	}
	return &Error{Problem: problem}
}
