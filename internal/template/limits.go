package template

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"belay/internal/lazyregexp"
	"belay/internal/nearest"
)

// weighs are the functions that make text of what they are given.
var weighs = map[string]bool{
	"print": true, "println": true, "printf": true, "html": true, "js": true, "urlquery": true, "cat": true, "join": true, "quote": true, "squote": true,
	"toString": true, "toStrings": true, "toJson": true, "toPrettyJson": true, "toRawJson": true,
	"mustToJson": true, "mustToPrettyJson": true, "mustToRawJson": true, "deepCopy": true, "mustDeepCopy": true,
	"merge": true, "mergeOverwrite": true, "mustMerge": true, "mustMergeOverwrite": true,
}

// growth are the functions whose result grows with a number or a product.
var growth = map[string]func(args []reflect.Value) error{
	"repeat":                     func(a []reflect.Value) error { return product("repeat", number(a[0]), length(a[1])) },
	"indent":                     func(a []reflect.Value) error { return product("indent", number(a[0])+1, length(a[1])) },
	"nindent":                    func(a []reflect.Value) error { return product("nindent", number(a[0])+1, length(a[1])) },
	"replace":                    func(a []reflect.Value) error { return product("replace", length(a[1])+1, length(a[2])) },
	"regexReplaceAll":            regexGrowth,
	"mustRegexReplaceAll":        regexGrowth,
	"regexReplaceAllLiteral":     regexGrowth,
	"mustRegexReplaceAllLiteral": regexGrowth,
	"wrapWith":                   func(a []reflect.Value) error { return product("wrapWith", length(a[1])+1, length(a[2])) },
	"until":                      func(a []reflect.Value) error { return count("until", number(a[0])) },
	"untilStep": func(a []reflect.Value) error {
		if number(a[2]) == 0 {
			return &Error{Problem: "untilStep with a step of 0"}
		}
		return count("untilStep", (number(a[1])-number(a[0]))/number(a[2]))
	},
	"seq": func(a []reflect.Value) error {
		for _, n := range a {
			if err := count("seq", number(n)); err != nil {
				return err
			}
		}
		return nil
	},
}

func regexGrowth(a []reflect.Value) error {
	return product("regexReplaceAll", length(a[2])+1, length(a[1])+1)
}

func product(name string, a, b int64) error {
	if a > 0 && b > 0 && a > MaxOutput*16/b {
		return tooLong(name)
	}
	return nil
}

func count(name string, n int64) error {
	const most = MaxSteps
	if n > most || n < -most {
		return &Error{Problem: fmt.Sprintf("%s counts to %d, further than %d", name, n, most)}
	}
	return nil
}

func number(v reflect.Value) int64 {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.CanInt() {
		return v.Int()
	}
	return 0
}

func length(v reflect.Value) int64 {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.String {
		return int64(v.Len())
	}
	return 0
}

// stepName is the function that each loop calls.
const stepName = "belay_step"

// stepNode is an action that calls it and writes nothing.
func stepNode() parse.Node {
	t := template.Must(template.New("").Funcs(template.FuncMap{stepName: func() string { return "" }}).Parse("{{" + stepName + "}}"))
	return t.Root.Nodes[0]
}

// noValue is what the template language writes for a value that is nothing.
const noValue = "<no value>"

// cappedWriter keeps what is written, up to a limit. Nothing is written for noValue, where
// skips is set.
type cappedWriter struct {
	b     strings.Builder
	left  int
	skips bool
}

func (w *cappedWriter) Write(p []byte) (int, error) {
	if w.skips && string(p) == noValue {
		return len(p), nil
	}
	if w.left -= len(p); w.left < 0 {
		return 0, &Error{Problem: fmt.Sprintf("it writes more than %d bytes", MaxOutput)}
	}
	return w.b.Write(p)
}

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
	var own *Error
	if errors.As(err, &own) {
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
