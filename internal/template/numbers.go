package template

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"text/template"

	"belay/internal/plainjson"
)

// numeric are Sprig's functions of numbers, made strict: Sprig takes text that is no
// number for 0, reads "010" as octal, and lets results run over.
func numeric(sprig template.FuncMap) template.FuncMap {
	out := template.FuncMap{
		"int":     func(v any) (int, error) { n, err := integer("int", v); return int(n), err },
		"int64":   func(v any) (int64, error) { return integer("int64", v) },
		"atoi":    func(s string) (int, error) { n, err := integer("atoi", s); return int(n), err },
		"float64": func(v any) (float64, error) { return decimal("float64", v) },
		"add1":    func(v any) (int64, error) { return folded("add1", sum, v, int64(1)) },
		"add":     func(v ...any) (int64, error) { return folded("add", sum, append([]any{int64(0)}, v...)...) },
		"sub":     func(a, b any) (int64, error) { return folded("sub", difference, a, b) },
		"div":     func(a, b any) (int64, error) { return folded("div", quotient, a, b) },
		"mod":     func(a, b any) (int64, error) { return folded("mod", remainder, a, b) },
		"mul":     func(a any, v ...any) (int64, error) { return folded("mul", times, append([]any{a}, v...)...) },
		"min":     func(a any, v ...any) (int64, error) { return folded("min", least, append([]any{a}, v...)...) },
	}
	for _, name := range []string{"max", "biggest"} {
		out[name] = func(a any, v ...any) (int64, error) { return folded(name, most, append([]any{a}, v...)...) }
	}
	for _, name := range []string{"addf", "add1f", "subf", "mulf", "divf", "maxf", "minf", "ceil", "floor", "round"} {
		out[name] = decimals(name, sprig[name])
	}
	return out
}

// decimals is a function of Sprig with open arguments, which are made numbers before the call.
func decimals(name string, f any) any {
	v := reflect.ValueOf(f)
	t := withError(v.Type())
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		plain := args
		if t.IsVariadic() {
			plain = spread(args)
		}
		fail := func(err error) []reflect.Value {
			return []reflect.Value{reflect.Zero(t.Out(0)), reflect.ValueOf(&err).Elem()}
		}
		for i, a := range plain {
			if a.Kind() != reflect.Interface {
				continue
			}
			x, err := decimal(name, a.Interface())
			if err != nil {
				return fail(err)
			}
			if plain[i] = reflect.ValueOf(x); name == "divf" && i > 0 && x == 0 {
				return fail(&Error{Problem: "divf divides by 0"})
			}
		}
		out := v.Call(plain)
		if x := out[0].Float(); math.IsInf(x, 0) || math.IsNaN(x) {
			return fail(&Error{Problem: name + " gives a number that is too large"})
		}
		return append(out, reflect.Zero(errorType))
	}).Interface()
}

// integer is a value as a whole number. A number is cut, as ever; text must be a whole
// number, since a cut one is more often a mistake. Nothing is 0, false and true are 0 and 1.
func integer(name string, value any) (int64, error) {
	v := bare(reflect.ValueOf(value))
	switch kindIn(v) {
	case kindNothing:
		return 0, nil
	case KindTruth:
		return truth(v), nil
	case KindText:
		return integerOf(name, v.String())
	case KindNumber:
		if n, ok := whole(v); ok {
			return n, nil
		}
		if x := floating(v); x >= -(1<<63) && x < 1<<63 {
			return int64(x), nil
		}
		return 0, &Error{Problem: fmt.Sprintf("%s is given %v, which is too large for a whole number", name, v.Interface()), Hint: "use float64 and addf, subf, mulf or divf"}
	}
	return 0, noNumber(name, kindIn(v))
}

func integerOf(name, text string) (int64, error) {
	trimmed := strings.TrimSpace(text)
	n, err := strconv.ParseInt(trimmed, 10, 64)
	if err == nil {
		return n, nil
	}
	e := &Error{Problem: fmt.Sprintf("%s takes a whole number, and is given the text %s", name, excerpt(text)), Hint: "give it digits alone"}
	if x, ok := decimalOf(trimmed); ok {
		e.Hint = "make it a number with float64 first, as in float64 .input.name | int, which cuts it"
		if math.Abs(x) >= 1<<63 {
			e.Hint = "it is too large for a whole number; use float64"
		}
	}
	return 0, e
}

// decimal is a value as a number that need not be whole.
func decimal(name string, value any) (float64, error) {
	v := bare(reflect.ValueOf(value))
	switch kindIn(v) {
	case kindNothing:
		return 0, nil
	case KindTruth:
		return float64(truth(v)), nil
	case KindNumber:
		return floating(v), nil
	case KindText:
		if x, ok := decimalOf(strings.TrimSpace(v.String())); ok {
			return x, nil
		}
		return 0, &Error{Problem: fmt.Sprintf("%s takes a number, and is given the text %s", name, excerpt(v.String())), Hint: "write it as 1234.5, without a unit"}
	}
	return 0, noNumber(name, kindIn(v))
}

// decimalOf reads what people write: no hexadecimal, no underlines, no words such as inf.
func decimalOf(text string) (float64, bool) {
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

func truth(v reflect.Value) int64 {
	if v.Bool() {
		return 1
	}
	return 0
}

func noNumber(name, got string) error {
	return &Error{Problem: fmt.Sprintf("%s takes a number, and is given %s", name, got), Hint: Conversion(KindNumber, got)}
}

// maxQuoted is how much of a text an error repeats, in characters.
const maxQuoted = 40

func excerpt(text string) string {
	if r := []rune(text); len(r) > maxQuoted {
		return strconv.Quote(string(r[:maxQuoted])) + "…"
	}
	return strconv.Quote(text)
}

// folded applies an operation to the first value and each further one in turn.
func folded(name string, op func(a, b int64) (int64, string), values ...any) (int64, error) {
	sofar := int64(0)
	for i, v := range values {
		n, err := integer(name, v)
		if err != nil {
			return 0, err
		}
		if i == 0 {
			sofar = n
			continue
		}
		next, wrong := op(sofar, n)
		if wrong != "" {
			return 0, &Error{Problem: fmt.Sprintf("%s of %d and %d %s", name, sofar, n, wrong)}
		}
		sofar = next
	}
	return sofar, nil
}

const (
	runsOver = "is too large for a whole number"
	byZero   = "divides by 0"
)

func sum(a, b int64) (int64, string) {
	if c := a + b; (c > a) == (b > 0) {
		return c, ""
	}
	return 0, runsOver
}

func difference(a, b int64) (int64, string) {
	if c := a - b; (c < a) == (b > 0) {
		return c, ""
	}
	return 0, runsOver
}

func times(a, b int64) (int64, string) {
	if a == 0 || b == 0 {
		return 0, ""
	}
	if c := a * b; c/b == a && (a != -1 || b != math.MinInt64) && (b != -1 || a != math.MinInt64) {
		return c, ""
	}
	return 0, runsOver
}

func quotient(a, b int64) (int64, string) {
	switch {
	case b == 0:
		return 0, byZero
	case a == math.MinInt64 && b == -1:
		return 0, runsOver
	}
	return a / b, ""
}

func remainder(a, b int64) (int64, string) {
	if b == 0 {
		return 0, byZero
	}
	return a % b, ""
}

func least(a, b int64) (int64, string) { return min(a, b), "" }
func most(a, b int64) (int64, string)  { return max(a, b), "" }

// fromJSON reads JSON. Sprig's fromJson is nothing where the text is no JSON, and rounds
// every number that has more than 15 digits.
func fromJSON(text string) (any, error) {
	v, err := plainjson.Value([]byte(text))
	if err != nil {
		return nil, &Error{Problem: "the text is not JSON that can be read: " + err.Error()}
	}
	return v, nil
}
