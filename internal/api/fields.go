package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workspace/lifecycle"
)

// fields reads the members of a JSON object and collects what is wrong with
// them, in the order in which they are asked for: that is the contract's order
// of checks.
type fields struct {
	object
	prefix   string
	problems *[]fault.Problem
}

func newFields(o object) fields { return fields{object: o, problems: new([]fault.Problem)} }

// err returns all problems as one INVALID_REQUEST; the first gives the sentence.
func (f fields) err() error { return fault.Invalid(*f.problems) }

func (f fields) bad(name, message string) {
	*f.problems = append(*f.problems, fault.Problem{Field: f.prefix + name, Message: message})
}

// kind is what a member is, 0 where there is none.
func (f fields) kind(name string) jsontext.Kind { return f.members[name].Kind() }

// read fills a struct from the members that its json tags name, in the order of its
// fields. A text must be there and not be blank; with omitempty it may be absent, and
// blank counts as absent. The tag "is" changes that: "any" is a text that must be
// there and may be blank, "free" one that is not checked, and "a|b" one of these words.
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
	case interface{ closed() }:
		for _, name := range f.unknown(names) {
			f.bad(clip(name), "is not a member; there are "+strings.Join(names, ", "))
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

// text reads a string as [fields.read] says.
func (f fields) text(name, is string, required bool) string {
	s, kind := textOf(f.members[name]), f.kind(name)
	if is != "any" {
		s = trim(s)
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
		if item.Kind() != '"' {
			f.bad(name+"["+strconv.Itoa(i)+"]", "must be a string")
			continue
		}
		list = append(list, textOf(item))
	}
	return list
}

// integer reads a whole number, written in any way JSON allows.
func (f fields) integer(name string) *int64 {
	if f.kind(name) == '0' {
		if n, err := strconv.ParseInt(string(f.members[name]), 10, 64); err == nil {
			return &n
		}
	}
	before := len(*f.problems)
	x := f.float(name)
	switch {
	case len(*f.problems) > before:
		(*f.problems)[before].Message = "must be a whole number"
	case x != nil && (*x != math.Trunc(*x) || math.Abs(*x) > 1<<53):
		f.bad(name, "must be a whole number")
	case x != nil:
		n := int64(*x)
		return &n
	}
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

// any reads an object of anything; nil when it is absent.
func (f fields) any(name string) (m map[string]any) {
	if f.kind(name) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(f.members[name]))
	d.UseNumber()
	if err := d.Decode(&m); err != nil || f.kind(name) != '{' {
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
		o, ok := objectOf(item)
		if !ok {
			f.bad(at, "must be an object")
		}
		row := make(map[string]string, len(o.names))
		for _, key := range o.names {
			if k := o.members[key].Kind(); k != '"' && k != 'n' {
				f.bad(at+"."+clip(key), "must be a string")
			}
			row[key] = textOf(o.members[key])
		}
		rows = append(rows, row)
	}
	return rows
}

// trim removes what the original's runtime calls white space, which is not
// quite what package strings does: a byte order mark goes, U+0085 stays.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r)
	})
}

// fields reads the request's body as one JSON object. The values that it holds
// must not outlive the request.
func (h *Handler) fields(w *response, r *http.Request) (fields, error) {
	body, err := h.body(w, r)
	if err != nil {
		return fields{}, err
	}
	// Some editors and shells begin a text with a byte order mark, which a reader may
	// skip (RFC 8259, section 8.1).
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	err = checkJSON(body)
	o, ok := objectOf(body)
	if err == nil && !ok {
		err = errors.New("must be a JSON object")
	}
	if err != nil {
		return fields{}, fault.New(fault.InvalidRequest, "the body %v", err).With("field", "body")
	}
	return newFields(o), h.projectInBody(w, &o)
}

// wideBody is how many times a wide route's body may be as long as another one's: a register
// has up to 16 MiB, and in JSON each row repeats the names of its columns.
const wideBody = 8

// body reads a whole JSON body within its limits of size and time; the time
// runs since the request came.
func (h *Handler) body(w *response, r *http.Request) ([]byte, error) {
	limit := h.o.BodyBytes
	if w.route != nil && w.route.wide {
		limit *= wideBody
	}
	if r.ContentLength > limit {
		return nil, tooLarge("body", limit, "")
	}
	b := bytes.NewBuffer(make([]byte, 0, min(max(r.ContentLength, 512)+bytes.MinRead, 1<<20)))
	n, err := b.ReadFrom(io.LimitReader(r.Body, limit+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, tooSlow(h.o.BodyTimeout)
	case err != nil:
		return nil, unreadable(err)
	case n > limit:
		return nil, tooLarge("body", limit, "")
	}
	// All of it is here: from now on a read is how a client's leaving is noticed.
	w.expect(0)
	return b.Bytes(), nil
}

func unreadable(cause error) error {
	return fault.New(fault.InvalidRequest, "the body could not be read to its end").With("field", "body").Because(cause)
}

func tooSlow(limit time.Duration) error {
	return fault.New(fault.InvalidRequest, "the body did not arrive within %v", limit).
		WithStatus(http.StatusRequestTimeout).With("field", "body")
}

// tooLarge names the limit, and in the note where it can be raised, if it can.
func tooLarge(what string, limit int64, note string) error {
	return fault.New(fault.RequestTooLarge, "the %s is larger than the limit of %d bytes%s", what, limit, note).With("limit", limit)
}
