package template

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// The kinds of values, in the words of errors.
const (
	KindText    = "text"
	KindNumber  = "a number"
	KindTruth   = "true or false"
	KindList    = "a list"
	KindMapping = "a mapping"
	kindNothing = "nothing"
)

// loose is the type of a function whose arguments of a known kind are anything: [strict] says what is
// wrong with an argument in plain words, and takes each number as an integer that is one.
func loose(t reflect.Type) reflect.Type {
	in, out := make([]reflect.Type, t.NumIn()), make([]reflect.Type, t.NumOut())
	for i := range in {
		in[i] = t.In(i)
		switch last := t.IsVariadic() && i == len(in)-1; {
		case last && checked(in[i].Elem()):
			in[i] = reflect.TypeFor[[]any]()
		case !last && checked(in[i]):
			in[i] = reflect.TypeFor[any]()
		}
	}
	for i := range out {
		out[i] = t.Out(i)
	}
	return reflect.FuncOf(in, out, t.IsVariadic())
}

// checked reports whether arguments of a type are looked at before a call.
func checked(t reflect.Type) bool { return kindOfType(t) != "" }

// kindOfType is the kind of what a parameter of a type takes, "" where that is not looked at.
func kindOfType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Float64:
		return KindNumber
	case reflect.String:
		return KindText
	case reflect.Bool:
		return KindTruth
	case reflect.Map:
		return KindMapping
	}
	return ""
}

// strict are the arguments of a call as its function takes them.
func strict(name string, t reflect.Type, args []reflect.Value) ([]reflect.Value, error) {
	all := make([]reflect.Value, len(args))
	for i, a := range args {
		if t.IsVariadic() && i == len(args)-1 {
			if !checked(t.In(i).Elem()) {
				all[i] = a
				continue
			}
			all[i] = reflect.MakeSlice(t.In(i), 0, a.Len())
			for j := range a.Len() {
				v, err := argument(name, t.In(i).Elem(), a.Index(j))
				if err != nil {
					return nil, err
				}
				all[i] = reflect.Append(all[i], v)
			}
			continue
		}
		var err error
		if all[i], err = argument(name, t.In(i), a); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func argument(name string, t reflect.Type, a reflect.Value) (reflect.Value, error) {
	want := kindOfType(t)
	if want == "" {
		return a, nil
	}
	v := bare(a)
	got := kindIn(v)
	if want == KindNumber && got == KindNumber {
		if t.Kind() == reflect.Float64 {
			return reflect.ValueOf(floating(v)), nil
		}
		if n, ok := whole(v); ok {
			return reflect.ValueOf(n).Convert(t), nil
		}
		return v, &Error{Problem: fmt.Sprintf("%s takes a whole number, and is given %v", name, v.Interface()), Hint: "make it one with int, which cuts it, or with round"}
	}
	switch {
	case want == got && v.CanConvert(t):
		return v.Convert(t), nil
	case want == KindMapping && got == kindNothing:
		return reflect.Zero(t), nil // one without entries
	}
	return v, &Error{Problem: fmt.Sprintf("%s takes %s, and is given %s", name, want, got), Hint: Conversion(want, got)}
}

// Conversion is how a value of one kind becomes another, as a hint.
func Conversion(want, got string) string {
	switch {
	case got == kindNothing:
		return `give it a value with default, as in .input.name | default ""`
	case want == KindText && got == KindList:
		return "make text of a list with join or toJson"
	case want == KindText && got == KindMapping:
		return "name a field of it, or make text of it with toJson"
	case want == KindText:
		return "make text of it with toString"
	case want == KindNumber && got == KindText:
		return "make a number of it with int or float64"
	case got == KindList:
		return "go through it with range, take an entry with index, or count it with len"
	case got == KindMapping:
		return "name a field of it"
	}
	return ""
}

// invoke calls a function. Functions of Sprig panic where they cannot do anything with what they
// are given, such as a place behind the end of a list.
func invoke(name string, f reflect.Value, args []reflect.Value) (out []reflect.Value, err error) {
	defer func() {
		if recover() != nil {
			err = unfit(name, f.Type(), args)
		}
	}()
	if f.Type().IsVariadic() {
		return f.CallSlice(args), nil
	}
	return f.Call(args), nil
}

// unfit says what a function was given that it can do nothing with.
func unfit(name string, t reflect.Type, args []reflect.Value) error {
	if t.IsVariadic() {
		args = spread(args)
	}
	all := make([]string, len(args))
	for i, a := range args {
		v := bare(a)
		got := kindIn(v)
		if v.Kind() == reflect.Map && v.IsNil() {
			got = kindNothing // it was given as that
		}
		switch got {
		case KindNumber, KindTruth:
			all[i] = fmt.Sprint(v.Interface())
		case KindText:
			all[i] = "the text " + excerpt(v.String())
		case KindList:
			all[i] = fmt.Sprintf("a list of %d", v.Len())
		default:
			all[i] = got
		}
	}
	with := strings.Join(all, ", ")
	if last := len(all) - 1; last > 0 {
		with = strings.Join(all[:last], ", ") + " and " + all[last]
	}
	return &Error{Problem: name + " can do nothing with " + with, Hint: "docs/functions.md says what it takes"}
}

// bare is a value without the interfaces around it.
func bare(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

func kindIn(v reflect.Value) string {
	switch {
	case !v.IsValid():
		return kindNothing
	case v.CanInt(), v.CanUint(), v.CanFloat():
		return KindNumber
	}
	switch v.Kind() {
	case reflect.String:
		return KindText
	case reflect.Bool:
		return KindTruth
	case reflect.Slice, reflect.Array:
		return KindList
	}
	return KindMapping
}

// whole is a number as an integer, if it is one.
func whole(v reflect.Value) (int64, bool) {
	switch {
	case v.CanInt():
		return v.Int(), true
	case v.CanUint():
		return int64(v.Uint()), v.Uint() <= math.MaxInt64 //nolint:gosec // checked
	}
	f := v.Float()
	return int64(f), f == math.Trunc(f) && math.Abs(f) < 1<<53
}

func floating(v reflect.Value) float64 {
	if n, ok := whole(v); ok && !v.CanFloat() {
		return float64(n)
	}
	if v.CanUint() {
		return float64(v.Uint())
	}
	return v.Float()
}
