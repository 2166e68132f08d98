package template

import (
	"fmt"
	"reflect"
	"strings"
)

// bounded holds a function to what an evaluation may take: what goes in is
// weighed before a call that makes text of it, what comes out after every call. spend
// counts the work.
func bounded(name string, f any, spend func(int64) error) any {
	weigh := weighs[name]
	limit := growth[name]
	v := reflect.ValueOf(f)
	return reflect.MakeFunc(loose(withError(v.Type())), func(args []reflect.Value) []reflect.Value {
		fail := func(err error) []reflect.Value {
			return []reflect.Value{reflect.Zero(v.Type().Out(0)), reflect.ValueOf(&err).Elem()}
		}
		args, err := strict(name, v.Type(), args)
		if err != nil {
			return fail(err)
		}
		plain := args
		if v.Type().IsVariadic() {
			plain = spread(args)
		}
		if limit != nil {
			if err := limit(plain); err != nil {
				return fail(err)
			}
		}
		if err := spend(cost(name, plain)); err != nil {
			return fail(err)
		}
		if weigh {
			left := MaxOutput
			for _, a := range plain {
				if left = weight(a, left); left < 0 {
					return fail(tooLong(name))
				}
			}
			if err := spend(int64(MaxOutput - left)); err != nil {
				return fail(err)
			}
		}
		var out []reflect.Value
		if v.Type().IsVariadic() {
			out = v.CallSlice(args)
		} else {
			out = v.Call(args)
		}
		if entries(out[0]) > MaxOutput {
			return fail(tooLong(name))
		}
		if err := spend(size(out[0])); err != nil {
			return fail(err)
		}
		if len(out) == 1 {
			out = append(out, reflect.Zero(errorType))
		}
		return out
	}).Interface()
}

// entries is the length of a text or a list.
func entries(v reflect.Value) int {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.String || v.Kind() == reflect.Slice {
		return v.Len()
	}
	return 0
}

var errorType = reflect.TypeFor[error]()

// withError is the type of a function that may fail.
func withError(t reflect.Type) reflect.Type {
	in := make([]reflect.Type, t.NumIn())
	for i := range in {
		in[i] = t.In(i)
	}
	return reflect.FuncOf(in, []reflect.Type{t.Out(0), errorType}, t.IsVariadic())
}

// spread takes the arguments of a variadic call apart.
func spread(args []reflect.Value) []reflect.Value {
	last := args[len(args)-1]
	all := append([]reflect.Value{}, args[:len(args)-1]...)
	for i := range last.Len() {
		all = append(all, last.Index(i))
	}
	return all
}

// weight takes what v weighs as text from left; a negative result says that it is
// too much.
func weight(v reflect.Value, left int) int {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return left - v.Len()
	case reflect.Slice, reflect.Array:
		for i := 0; i < v.Len() && left >= 0; i++ {
			left = weight(v.Index(i), left-1)
		}
		return left
	case reflect.Map:
		for it := v.MapRange(); left >= 0 && it.Next(); {
			left = weight(it.Value(), weight(it.Key(), left-1))
		}
		return left
	}
	return left - 1
}

func tooLong(name string) error {
	return &Error{Problem: fmt.Sprintf("%s makes more than the %d bytes that are taken", name, MaxOutput)}
}

// printf is fmt.Sprintf without widths that alone fill the memory.
func printf(format string, args ...any) (string, error) {
	digits := 0
	for i, verb := 0, false; i < len(format); i++ {
		switch c := format[i]; {
		case c == '%':
			verb, digits = !verb, 0
		case verb && isDigit(c):
			if digits++; digits > 3 {
				return "", &Error{Problem: "printf with a width of more than 999"}
			}
		case verb && c == '*':
			return "", &Error{Problem: "printf with a width of *"}
		case verb && !strings.ContainsRune("+-# .[]", rune(c)):
			verb = false
		case verb:
			digits = 0
		}
	}
	return fmt.Sprintf(format, args...), nil
}
