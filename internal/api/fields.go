package api

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"belay/internal/fault"
	"belay/internal/plainjson"
)

// fields reads the members of a JSON object and collects what is wrong with
// them, in the order in which they are asked for: that is the contract's order
// of checks.
type fields struct {
	object
	prefix   string
	problems *fault.Problems
}

func newFields(o object) fields { return fields{object: o, problems: new(fault.Problems)} }

// err returns the problems as one INVALID_REQUEST; the first gives the sentence.
func (f fields) err() error { return f.problems.Err() }

func (f fields) bad(name, message string) {
	f.problems.Add(f.prefix+fault.Clip(name), message)
}

// kind is what a member is, 0 where there is none.
func (f fields) kind(name string) jsontext.Kind { return f.members[name].Kind() }

// text reads a string as [fields.read] says.
func (f fields) text(name, is string, required bool) string {
	s, kind := textOf(f.members[name]), f.kind(name)
	if is != "any" {
		s = wanted(name, s)
	}
	words := strings.Split(is, "|")
	switch {
	case kind == 0 && is == "any":
		f.bad(name, "is required; it may be an empty string")
	case kind == 0 && required && is != "free":
		f.bad(name, "is required")
	case kind != 0 && kind != '"':
		f.bad(name, "must be a string")
	case s == "" && required && is != "free" && is != "any":
		f.bad(name, "must not be blank")
	case s != "" && len(words) > 1 && !slices.Contains(words, s):
		f.bad(name, `must be "`+strings.Join(words, `" or "`)+`"`)
	}
	return s
}

func (f fields) flag(name string) bool {
	k := f.kind(name)
	if k != 0 && k != 't' && k != 'f' {
		f.bad(name, "must be true or false")
	}
	return k == 't'
}

// maxTexts bounds an array of texts: as many as the rows of a proposal.
const maxTexts = 10_000

// strings reads an array of strings; nil when it is absent. A null is not
// absent.
func (f fields) strings(name string) []string {
	switch f.kind(name) {
	case 0:
		return nil
	case '[':
	default:
		f.bad(name, "must be an array of strings")
		return nil
	}
	list := []string{}
	for i, item := range elementsOf(f.members[name]) {
		if i == maxTexts {
			f.bad(name, "must have at most "+strconv.Itoa(maxTexts)+" entries")
			return nil
		}
		if item.Kind() != '"' {
			f.bad(name+"["+strconv.Itoa(i)+"]", "must be a string")
			continue
		}
		if f.problems.Len() == 0 { // nobody reads the list of a request that is refused
			list = append(list, textOf(item))
		}
	}
	return list
}

// integer reads a whole number, written in any way JSON allows.
func (f fields) integer(name string) *int64 {
	switch f.kind(name) {
	case 0:
		return nil
	case '0':
		number := string(f.members[name])
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			return &n
		}
		if x, err := strconv.ParseFloat(number, 64); err == nil && x == math.Trunc(x) && math.Abs(x) <= 1<<53 {
			n := int64(x)
			return &n
		}
	}
	f.bad(name, "must be a whole number")
	return nil
}

func (f fields) float(name string) *float64 {
	if f.kind(name) == 0 {
		return nil
	}
	x, err := strconv.ParseFloat(string(f.members[name]), 64)
	if err != nil || f.kind(name) != '0' {
		f.bad(name, "must be a number")
		return nil
	}
	return &x
}

// any reads an object of anything, with the numbers of [plainjson.Value]; nil when it is absent.
func (f fields) any(name string) (m map[string]any) {
	if f.kind(name) == 0 {
		return nil
	}
	v, err := plainjson.Value(f.members[name])
	m, ok := v.(map[string]any)
	switch inexact := (*plainjson.InexactError)(nil); {
	case errors.As(err, &inexact):
		f.bad(name, "cannot be used: "+inexact.Error())
	case !ok:
		f.bad(name, "must be an object")
	}
	return m
}

// nested reads an object of fields of its own; absent is an empty one.
func (f fields) nested(name string) fields {
	inner, ok := objectOf(f.members[name])
	if !ok && f.kind(name) != 0 {
		f.bad(name, "must be an object")
	}
	return fields{object: inner, prefix: f.prefix + name + ".", problems: f.problems}
}

// rows reads an array of objects of strings; a null is an empty one.
func (f fields) rows(name string) (rows []map[string]string) {
	if f.kind(name) != '[' {
		f.bad(name, "must be an array")
		return nil
	}
	for i, item := range elementsOf(f.members[name]) {
		at := name + "[" + strconv.Itoa(i) + "]"
		if item.Kind() != '{' {
			f.bad(at, "must be an object")
			continue
		}
		o, _ := objectOf(item)
		row := make(map[string]string, len(o.names))
		for _, key := range o.names {
			if k := o.members[key].Kind(); k != '"' && k != 'n' {
				f.bad(at+"."+key, "must be a string")
			}
			row[key] = textOf(o.members[key])
		}
		if f.problems.Len() == 0 { // nobody reads the rows of a request that is refused
			rows = append(rows, row)
		}
	}
	return rows
}

// wanted is the text of a member or a parameter without the blanks around it. One that names a
// file or a folder stays as it is: the name of a folder may end with a blank.
func wanted(name, s string) string {
	switch name {
	case byRoot, "path", "deliverablePath", "executionRoot", "decompositionPath", "toolRoot", "from":
		if trim(s) != "" {
			return s
		}
	}
	return trim(s)
}

// trim removes what the original's runtime calls white space, which is not
// quite what package strings does: a byte order mark goes, U+0085 stays.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r)
	})
}
