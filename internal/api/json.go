package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds how deep a JSON body may nest.
const maxDepth = 64

type kind byte

// The kinds of JSON values. The zero value is for what is not there.
const (
	absent kind = iota
	null
	boolean
	number
	text
	array
	object
)

// value is one JSON value. Unlike a decoded Go value it still knows whether it
// was there, what it was, and how it was written.
type value struct {
	kind kind
	// raw is the value as written. It lies in the request's buffer.
	raw []byte
	// text is a decoded string.
	text string
	// items are the elements of an array, or the members of an object, whose
	// names are in the same order.
	items []value
	names []string
}

// get returns a member of an object.
func (v value) get(name string) value {
	for i, n := range v.names {
		if n == name {
			return v.items[i]
		}
	}
	return value{}
}

// parseJSON reads one JSON value strictly: the RFC 8259 grammar, and no
// duplicate keys, no broken UTF-8 (not even as escapes) and no deep nesting,
// which two readers could take to mean different things. It keeps slices of b.
func parseJSON(b []byte) (value, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(b, &whole); err != nil {
		return value{}, explain(err, len(b))
	}
	if !utf8.Valid(b) {
		return value{}, errors.New("is not valid UTF-8")
	}
	d := &jsonReader{b: b, dec: jsontext.NewDecoder(bytes.NewBuffer(b))}
	return d.value(0)
}

func explain(err error, size int) error {
	if size == 0 {
		return errors.New("is empty")
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("is not valid JSON: %v, at byte %d", syntax, syntax.Offset)
	}
	return errors.New("is not valid JSON")
}

// jsonReader reads text that is known to be valid JSON in valid UTF-8.
type jsonReader struct {
	b   []byte
	dec *jsontext.Decoder
}

func (d *jsonReader) value(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, fmt.Errorf("nests deeper than %d levels", maxDepth)
	}
	switch d.dec.PeekKind() {
	case '{':
		return d.container(object, depth)
	case '[':
		return d.container(array, depth)
	}
	raw, err := d.dec.ReadValue()
	if err != nil {
		return value{}, ambiguous(err)
	}
	end := int(d.dec.InputOffset())
	v := value{kind: kinds[raw.Kind()], raw: d.b[end-len(raw) : end]}
	if v.kind == text {
		decoded, err := jsontext.AppendUnquote(nil, v.raw)
		if err != nil {
			return value{}, ambiguous(err)
		}
		v.text = string(decoded)
	}
	return v, nil
}

// kinds are those of scalars.
var kinds = map[jsontext.Kind]kind{'n': null, 't': boolean, 'f': boolean, '0': number, '"': text}

// container reads an array or an object.
func (d *jsonReader) container(k kind, depth int) (value, error) {
	v := value{kind: k}
	if _, err := d.dec.ReadToken(); err != nil {
		return v, ambiguous(err)
	}
	start := d.dec.InputOffset() - 1
	for next := d.dec.PeekKind(); next != '}' && next != ']'; next = d.dec.PeekKind() {
		if k == object {
			name, err := d.dec.ReadToken()
			if err != nil {
				return v, ambiguous(err)
			}
			v.names = append(v.names, name.String())
		}
		item, err := d.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return v, ambiguous(err)
	}
	v.raw = d.b[start:d.dec.InputOffset()]
	return v, nil
}

// ambiguous says why two readers could take valid JSON to mean different things.
func ambiguous(err error) error {
	var at *jsontext.SyntacticError
	if errors.As(err, &at) && errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("has the key %q twice", clip(at.JSONPointer.LastToken()))
	}
	return errors.New(`has a \u escape that is half of a character`)
}
