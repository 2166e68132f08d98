package template

import (
	"cmp"
	"fmt"
	"reflect"
)

// comparisons are the language's own, but numbers are compared by what they are: those of
// JSON are integers or not, as they happen to be written.
var comparisons = map[string]any{
	"eq": equal,
	"ne": func(a, b any) (bool, error) {
		is, err := same("ne", a, b)
		return !is, err
	},
	"lt": func(a, b any) (bool, error) { return ordered("lt", a, b, func(n int) bool { return n < 0 }) },
	"le": func(a, b any) (bool, error) { return ordered("le", a, b, func(n int) bool { return n <= 0 }) },
	"gt": func(a, b any) (bool, error) { return ordered("gt", a, b, func(n int) bool { return n > 0 }) },
	"ge": func(a, b any) (bool, error) { return ordered("ge", a, b, func(n int) bool { return n >= 0 }) },
}

// equal reports whether a value is the same as one of several.
func equal(a any, others ...any) (bool, error) {
	if len(others) == 0 {
		return false, &Error{Problem: "eq compares a value with another, and there is none"}
	}
	for _, b := range others {
		if is, err := same("eq", a, b); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

func same(name string, a, b any) (bool, error) {
	x, y := bare(reflect.ValueOf(a)), bare(reflect.ValueOf(b))
	kind, other := kindIn(x), kindIn(y)
	switch {
	case kind == kindNothing || other == kindNothing:
		return kind == other, nil
	case kind != other:
		return false, incomparable(name, kind, other)
	case kind == KindTruth:
		return x.Bool() == y.Bool(), nil
	}
	n, err := order(name, kind, x, y)
	return n == 0, err
}

func ordered(name string, a, b any, is func(int) bool) (bool, error) {
	x, y := bare(reflect.ValueOf(a)), bare(reflect.ValueOf(b))
	kind, other := kindIn(x), kindIn(y)
	if kind != other {
		return false, incomparable(name, kind, other)
	}
	n, err := order(name, kind, x, y)
	return err == nil && is(n), err
}

// order compares two texts or two numbers.
func order(name, kind string, x, y reflect.Value) (int, error) {
	switch kind {
	case KindText:
		return cmp.Compare(x.String(), y.String()), nil
	case KindNumber:
		a, whole1 := whole(x)
		b, whole2 := whole(y)
		if whole1 && whole2 {
			return cmp.Compare(a, b), nil
		}
		return cmp.Compare(floating(x), floating(y)), nil
	}
	e := &Error{Problem: fmt.Sprintf("%s does not compare %s with %[2]s", name, kind)}
	if name == "eq" || name == "ne" {
		e.Hint = "deepEqual compares lists and mappings"
	}
	return 0, e
}

func incomparable(name, kind, other string) error {
	e := &Error{Problem: fmt.Sprintf("%s does not compare %s with %s", name, kind, other)}
	if kind == KindText && other == KindNumber || kind == KindNumber && other == KindText {
		e.Hint = "make a number of the text with int or float64, or leave out the quotes"
	}
	return e
}
