package plainjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
)

// Value reads one JSON value that came from outside, as templates, conditions and schemas see
// it. Whole numbers are int64 where they fit, so that 1000000 does not become 1e+06 in a
// text; all others are float64. A whole number that neither holds exactly is an error: an
// account number must not change its last digits. A number with a point or an exponent
// is a measurement and is rounded.
func Value(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	v, err := Next(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the value")
	}
	return v, nil
}

// Next is [Value] of the next value that a decoder reads.
func Next(d *json.Decoder) (any, error) {
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if n := inexact(v); n != "" {
		return nil, &InexactError{n.String()}
	}
	return Numbers(v), nil
}

// InexactError says that a number would be rounded.
type InexactError struct{ Number string }

func (e *InexactError) Error() string {
	const most = 40
	shown := e.Number
	if len(shown) > most {
		shown = shown[:most] + "…"
	}
	return fmt.Sprintf("the number %s is too large to be kept as it is; write it as text, in quotes", shown)
}

// Numbers makes values of the numbers of a [json.Decoder.UseNumber], in place. It rounds: it
// is for what belay wrote.
func Numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64() // out of range: the nearest there is
		return f
	case map[string]any:
		for k, e := range v {
			v[k] = Numbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = Numbers(e)
		}
	}
	return v
}

// inexact is a number in a value that would be rounded, "" for none. Digits after the point
// are rounded everywhere, and count for nothing here.
func inexact(v any) json.Number {
	switch v := v.(type) {
	case json.Number:
		if _, err := v.Int64(); err == nil || isExact(v) {
			return ""
		}
		return v
	case map[string]any:
		for _, e := range v {
			if n := inexact(e); n != "" {
				return n
			}
		}
	case []any:
		for _, e := range v {
			if n := inexact(e); n != "" {
				return n
			}
		}
	}
	return ""
}

// maxDigits is more digits than the largest float64 has.
const maxDigits = 400

// isExact reports whether a number is the float64 that it becomes, but for digits after the
// point.
func isExact(n json.Number) bool {
	f, err := n.Float64()
	if err != nil || math.IsInf(f, 0) {
		return false
	}
	if strings.ContainsAny(n.String(), ".eE") {
		return true
	}
	if len(n) > maxDigits {
		return false
	}
	whole, ok := new(big.Int).SetString(n.String(), 10)
	back, accuracy := new(big.Float).SetFloat64(f).Int(nil)
	return ok && accuracy == big.Exact && whole.Cmp(back) == 0
}
