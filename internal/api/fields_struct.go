package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"belay/internal/turn"
	"belay/internal/workspace/lifecycle"
)

// read fills a struct from the members that its json tags name, in the order of its
// fields. A text must be there and not be blank; with omitempty it may be absent, and
// blank counts as absent. The tag "is" changes that: "any" is a text that must be
// there and may be blank, "free" one that is not checked, and "a|b" one of these words;
// "some" is a list that chooses, which may be absent and not be empty.
func (f fields) read(into any) {
	var names []string
	for field, to := range reflect.ValueOf(into).Elem().Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "-" {
			names = append(names, name)
			f.member(name, field.Tag.Get("is"), options == "", to)
		}
	}
	switch into := into.(type) {
	case *turn.Opts:
		into.Unknown = f.unknown(names)
	case *turn.CreateRequest, *turnBody, *bootBody, *interruptBody, *scaffoldBody, *transitionBody, *dependenciesBody:
		// The compatible contract ignores what it does not know.
	default:
		message := "is not a member; there are " + strings.Join(names, ", ")
		for _, name := range f.unknown(names) {
			f.bad(name, message)
			message = "is not a member" // those that there are were said once
		}
	}
	if c, ok := into.(interface{ check(fields) }); ok {
		c.check(f)
	}
}

// member reads one member into a field of a struct.
func (f fields) member(name, is string, required bool, field reflect.Value) {
	switch to := field.Addr().Interface().(type) {
	case *json.RawMessage: // it has a gate of its own, which judges it
		*to = bytes.Clone(f.members[name])
	case *turn.Opts:
		f.nested(name).read(to)
	case *metadata:
		m := f.nested(name)
		for _, key := range m.names {
			*to = append(*to, lifecycle.Field{Key: key, Value: m.text(key, "", false)})
		}
	case *map[string]any:
		*to = f.any(name)
	case *[]map[string]string:
		*to = f.rows(name)
	case *[]string:
		if *to = f.strings(name); required && f.kind(name) == 0 {
			f.bad(name, "is required")
		}
		if is == someOf && *to != nil && !f.hasEntries(name) {
			f.bad(name, "must not be empty; leave it out to choose all")
		}
	case **string:
		if f.kind(name) != 0 {
			s := f.text(name, "free", false)
			*to = &s
		}
	case **[]string:
		if list := f.strings(name); list != nil {
			*to = &list
		}
	case *bool:
		*to = f.flag(name)
	case **bool:
		if b := f.flag(name); f.kind(name) != 0 {
			*to = &b
		}
	case **int:
		if n := f.integer(name); n != nil {
			i := int(*n)
			*to = &i
		}
	case **int64:
		*to = f.integer(name)
	case **float64:
		*to = f.float(name)
	default:
		field.SetString(f.text(name, is, required))
	}
}

// someOf is the tag of a list that chooses.
const someOf = "some"

// hasEntries reports whether an array has any.
func (f fields) hasEntries(name string) bool {
	for range elementsOf(f.members[name]) {
		return true
	}
	return false
}

// unknown are the members that are not among these, sorted.
func (f fields) unknown(names []string) (all []string) {
	for _, name := range f.names {
		if !slices.Contains(names, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
