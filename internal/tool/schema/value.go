package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
)

// Parse reads one JSON value, with numbers as they are written. A number that only
// an exponent makes long is refused: arithmetic here is exact, and 1e999999999 in
// full is a gigabyte.
func Parse(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, plainNumbers(v)
}

func plainNumbers(value any) error {
	switch v := value.(type) {
	case json.Number:
		if f, err := v.Float64(); err != nil || len(v) > maxNumberBytes {
			return fmt.Errorf("the number %.20s is out of range", v)
		} else if f == 0 && strings.ContainsAny(string(v), "eE") {
			return fmt.Errorf("the number %.20s is too small", v)
		}
	case []any:
		for _, e := range v {
			if err := plainNumbers(e); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, e := range v {
			if err := plainNumbers(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxNumberBytes is more than any number needs that a float can hold.
const maxNumberBytes = 400

// rational is a number of [Parse], nil for none.
func rational(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil
	}
	return r
}

// typeOf names the type of a value of [Parse]; a number without a fraction is a
// number, too.
func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func isInteger(v any) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	if !strings.ContainsAny(string(n), ".eE") {
		return true
	}
	r := rational(n)
	return r != nil && r.IsInt()
}

// equal compares values of [Parse] as JSON Schema does: numbers by what they are,
// not by how they are written.
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, y := rational(a), rational(b)
		return x != nil && y != nil && x.Cmp(y) == 0
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			if other, ok := b[name]; !ok || !equal(v, other) {
				return false
			}
		}
		return true
	}
	return a == b
}

// place is where in a value something is. It is written out only when somebody
// asks.
type place struct {
	up   *place
	name string
	at   int // of an array, where name is ""
	kind byte
}

const (
	inObject = 'o'
	inArray  = 'a'
)

func (p place) in(name string) place { return place{up: &p, name: name, kind: inObject} }
func (p place) item(i int) place     { return place{up: &p, at: i, kind: inArray} }

// pointer is the place as a JSON pointer (RFC 6901), "" for the whole value.
func (p place) pointer() string {
	switch p.kind {
	case inObject:
		return p.up.pointer() + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p.name)
	case inArray:
		return fmt.Sprintf("%s/%d", p.up.pointer(), p.at)
	}
	return ""
}
