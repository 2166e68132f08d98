package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"belay/internal/fault"
)

// fields reads the members of a JSON object and collects what is wrong with
// them, in the order in which they are asked for: that is the contract's order
// of checks.
type fields struct {
	object   value
	prefix   string
	problems *[]fault.Problem
}

func newFields(v value) fields { return fields{object: v, problems: new([]fault.Problem)} }

// err returns all problems as one INVALID_REQUEST; the first gives the sentence.
func (f fields) err() error {
	return fault.Invalid(*f.problems)
}

func (f fields) bad(name, message string) {
	*f.problems = append(*f.problems, fault.Problem{Field: f.prefix + name, Message: message})
}

// required reads a string that must be there and not blank, and trims it.
func (f fields) required(name string) string {
	v := f.object.get(name)
	s := trim(v.text)
	switch {
	case v.kind == absent:
		f.bad(name, "is required")
	case v.kind != text:
		f.bad(name, "must be a string")
	case s == "":
		f.bad(name, "must not be blank")
	}
	return s
}

// anyString reads a string that must be there but may be empty, untouched.
func (f fields) anyString(name string) string {
	switch v := f.object.get(name); v.kind {
	case text:
		return v.text
	case absent:
		f.bad(name, "is required; it may be an empty string")
	default:
		f.bad(name, "must be a string")
	}
	return ""
}

// optional reads a string that may be absent. Blank counts as absent.
func (f fields) optional(name string) string {
	v := f.object.get(name)
	if v.kind != absent && v.kind != text {
		f.bad(name, "must be a string")
	}
	return trim(v.text)
}

// choice reads a string that may be absent, and is one of a few where it is not.
func (f fields) choice(name string, options ...string) string {
	before := len(*f.problems)
	s := f.optional(name)
	if s != "" && len(*f.problems) == before {
		f.among(name, s, options)
	}
	return s
}

// requiredChoice reads a string that must be one of a few.
func (f fields) requiredChoice(name string, options ...string) string {
	before := len(*f.problems)
	s := f.required(name)
	if len(*f.problems) == before {
		f.among(name, s, options)
	}
	return s
}

func (f fields) among(name, s string, options []string) {
	if !slices.Contains(options, s) {
		f.bad(name, `must be "`+strings.Join(options, `" or "`)+`"`)
	}
}

func (f fields) flag(name string) bool {
	v := f.object.get(name)
	if v.kind != absent && v.kind != boolean {
		f.bad(name, "must be true or false")
	}
	return string(v.raw) == "true"
}

// strings reads an array of strings; nil when it is absent. A null is not
// absent.
func (f fields) strings(name string) []string {
	v := f.object.get(name)
	if v.kind == absent {
		return nil
	}
	if v.kind != array {
		f.bad(name, "must be an array of strings")
		return nil
	}
	list := make([]string, 0, len(v.items))
	for i, item := range v.items {
		if item.kind != text {
			f.bad(name+"["+strconv.Itoa(i)+"]", "must be a string")
			continue
		}
		list = append(list, item.text)
	}
	return list
}

// integer reads a whole number, written in any way JSON allows.
func (f fields) integer(name string) *int64 {
	v := f.object.get(name)
	if v.kind == absent {
		return nil
	}
	if v.kind == number {
		if n, err := strconv.ParseInt(string(v.raw), 10, 64); err == nil {
			return &n
		}
		if x, err := strconv.ParseFloat(string(v.raw), 64); err == nil && x == math.Trunc(x) && math.Abs(x) <= 1<<53 {
			n := int64(x)
			return &n
		}
	}
	f.bad(name, "must be a whole number")
	return nil
}

func (f fields) float(name string) *float64 {
	v := f.object.get(name)
	if v.kind == absent {
		return nil
	}
	if v.kind == number {
		if x, err := strconv.ParseFloat(string(v.raw), 64); err == nil {
			return &x
		}
	}
	f.bad(name, "must be a number")
	return nil
}

// only refuses members that are not among these.
func (f fields) only(names ...string) {
	for _, name := range f.object.names {
		if !slices.Contains(names, name) {
			f.bad(clip(name), "is not a member; there are "+strings.Join(names, ", "))
		}
	}
}

// any reads an object of anything; nil when it is absent.
func (f fields) any(name string) map[string]any {
	v := f.object.get(name)
	if v.kind != absent && v.kind != object {
		f.bad(name, "must be an object")
	}
	if v.kind != object {
		return nil
	}
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(v.raw))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		f.bad(name, "must be an object")
	}
	return m
}

// nested reads an object of fields of its own; absent is an empty one.
func (f fields) nested(name string) fields {
	v := f.object.get(name)
	if v.kind != absent && v.kind != object {
		f.bad(name, "must be an object")
		v = value{}
	}
	return fields{object: v, prefix: f.prefix + name + ".", problems: f.problems}
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
	v, err := parseJSON(bytes.TrimPrefix(body, []byte("\ufeff")))
	if err == nil && v.kind != object {
		err = errors.New("must be a JSON object")
	}
	if err != nil {
		return fields{}, fault.New(fault.InvalidRequest, "the body %v", err).With("field", "body")
	}
	return newFields(v), nil
}

// body reads a whole JSON body within its limits of size and time; the time
// runs since the request came.
func (h *Handler) body(w *response, r *http.Request) ([]byte, error) {
	limit := h.o.BodyBytes
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
