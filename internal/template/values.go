package template

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"belay/internal/nearest"
)

// field is what a path leads to from a value: keys of maps, and places of lists.
func field(from any, keys ...string) (any, error) {
	at := from
	for i, key := range keys {
		next, ok := child(at, key)
		if !ok {
			return nil, missing(at, keys, i)
		}
		at = next
	}
	return at, nil
}

// maybe is field, and nothing where the path leads nowhere.
func maybe(from any, keys ...string) (any, error) {
	v, err := field(from, keys...)
	if IsMissing(err) {
		return nil, nil
	}
	return v, err
}

func child(at any, key string) (any, bool) {
	switch at := at.(type) {
	case map[string]any:
		v, ok := at[key]
		return v, ok
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(at) {
			return nil, false
		}
		return at[i], true
	}
	v := reflect.ValueOf(at)
	if v.Kind() != reflect.Map || v.Type().Key().Kind() != reflect.String {
		return nil, false
	}
	e := v.MapIndex(reflect.ValueOf(key).Convert(v.Type().Key()))
	if !e.IsValid() {
		return nil, false
	}
	return e.Interface(), true
}

// missing says what at has, where the path keys led to, but for its i-th.
func missing(at any, keys []string, i int) *Error {
	key, where := keys[i], "."+strings.Join(keys[:i], ".")
	e := &Error{Expression: "." + strings.Join(keys, "."), Missing: true}
	switch at := at.(type) {
	case nil:
		e.Problem = fmt.Sprintf("%s is empty, there is no %q in it", where, key)
		return e
	case []any:
		e.Problem = fmt.Sprintf("%s is a list of %d, there is no place %q", where, len(at), key)
		return e
	}
	v := reflect.ValueOf(at)
	if v.Kind() != reflect.Map || v.Type().Key().Kind() != reflect.String {
		e.Problem = fmt.Sprintf("%s is a %s, there is no %q in it", where, kindOf(at), key)
		return e
	}
	var known []string
	for _, k := range v.MapKeys() {
		known = append(known, k.String())
	}
	slices.Sort(known)
	if where == "." {
		where = "the context"
	}
	e.Problem = fmt.Sprintf("there is no %q in %s", key, where)
	switch meant := nearest.Of(key, known); {
	case meant != "":
		e.Hint = fmt.Sprintf("did you mean %s?", meant)
	case len(known) == 0 && (where == ".input" || where == ".workflow.input"):
		e.Hint = "it is empty: give it with --input " + key + "=VALUE"
	case len(known) == 0:
		e.Hint = "it is empty"
	default:
		const most = 12
		e.Hint = "it has " + strings.Join(known[:min(len(known), most)], ", ")
		if len(known) > most {
			e.Hint += ", …"
		}
	}
	return e
}

// kindOf is what a value is called in a workflow file.
func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "text"
	case bool:
		return "truth value"
	case int, int64, float64, uint64:
		return "number"
	}
	return reflect.TypeOf(v).Kind().String()
}

// Copy copies a value of a context, its maps and lists at any depth.
func Copy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for k := range maps.Keys(v) {
			c[k] = Copy(v[k])
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = Copy(v[i])
		}
		return c
	}
	return v
}
