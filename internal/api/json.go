package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"belay/internal/fault"
)

// The bounds of a JSON body beside its bytes: a value takes many times its bytes once it is
// decoded.
const (
	// maxDepth bounds how deep it may nest.
	maxDepth = 64
	// maxMembers bounds the members of one object, maxItems the items of one array: a
	// register may have as many rows.
	maxMembers = 10_000
	maxItems   = 100_000
	// maxValues bounds the names and values of all, wideBody times as many where the body is
	// wide: a register may have as many cells.
	maxValues = 1 << 20
)

// tooManyError is the error of a body with more of something than is read.
type tooManyError struct {
	what  string
	limit int
}

func (e *tooManyError) Error() string { return fmt.Sprintf("%s, more than %d", e.what, e.limit) }

// checkJSON accepts one JSON value strictly: the RFC 8259 grammar, and no
// duplicate keys, no broken UTF-8 (not even as escapes) and no deep nesting,
// which two readers could take to mean different things. It is a [tooManyError] for more
// names and values than so many, or more of them in one object or array than are read.
func checkJSON(b []byte, most int) error {
	left := most
	var whole json.RawMessage
	if err := json.Unmarshal(b, &whole); err != nil {
		return explain(err, len(b))
	}
	if !utf8.Valid(b) {
		return errors.New("is not valid UTF-8")
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(b))
	for {
		token, err := d.ReadToken()
		if kind := token.Kind(); err == nil && kind != '}' && kind != ']' {
			left--
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return ambiguous(err)
		case d.StackDepth() > maxDepth:
			return fmt.Errorf("nests deeper than %d levels", maxDepth)
		case left < 0:
			return &tooManyError{"too many names and values", most}
		}
		if err := crowded(d.StackIndex(d.StackDepth())); err != nil {
			return err
		}
	}
}

// crowded refuses what has too much in it; n counts names and values.
func crowded(kind jsontext.Kind, n int64) error {
	switch {
	case kind == '{' && n > 2*maxMembers:
		return &tooManyError{"an object of too many members", maxMembers}
	case kind == '[' && n > maxItems:
		return &tooManyError{"an array of too many items", maxItems}
	}
	return nil
}

func explain(err error, size int) error {
	if size == 0 {
		return errors.New("is empty")
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("is not valid JSON: %v, at byte %d", syntax, syntax.Offset)
	}
	return errors.New("is not valid JSON")
}

// ambiguous says why two readers could take valid JSON to mean different things.
func ambiguous(err error) error {
	if at, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("has the key %q twice", fault.Clip(at.JSONPointer.LastToken()))
	}
	return errors.New(`has a \u escape that is half of a character`)
}

// object is a JSON object whose members still know whether they were there and how
// they were written. They lie in the request's buffer.
type object struct {
	names   []string
	members map[string]jsontext.Value
}

// objectOf reads text that [checkJSON] has accepted, and reports whether it is an
// object.
func objectOf(b []byte) (o object, ok bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(b))
	if d.PeekKind() != '{' {
		return o, false
	}
	o.members = map[string]jsontext.Value{}
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() == '"' {
		var name jsontext.Token
		if name, err = d.ReadToken(); err != nil {
			break
		}
		key := name.String()
		var v jsontext.Value
		if v, err = d.ReadValue(); err == nil {
			end := d.InputOffset()
			o.names = append(o.names, key)
			o.members[key] = b[end-int64(len(v)) : end]
		}
	}
	return o, err == nil
}

// elementsOf are the elements of an array that [checkJSON] has accepted, which may be
// millions. Each lies in v.
func elementsOf(v jsontext.Value) iter.Seq2[int, jsontext.Value] {
	return func(yield func(int, jsontext.Value) bool) {
		d := jsontext.NewDecoder(bytes.NewBuffer(v))
		_, err := d.ReadToken()
		for i := 0; err == nil && d.PeekKind() != ']'; i++ {
			var item jsontext.Value
			if item, err = d.ReadValue(); err != nil {
				return
			}
			end := d.InputOffset()
			if !yield(i, v[end-int64(len(item)):end]) {
				return
			}
		}
	}
}

// textOf is a decoded string, "" for any other value.
func textOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, v) // checkJSON has accepted it
	return string(text)
}
