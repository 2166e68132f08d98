package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// decodeValue reads one JSON value. Whole numbers are int64 where they fit, so that
// 1000000 does not become 1e+06 in a template.
func decodeValue(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the value")
	}
	return numbers(v), nil
}

// numbers makes values of the decoder's numbers, in place.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64() // out of range: the nearest there is
		return f
	case map[string]any:
		for k, e := range v {
			v[k] = numbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = numbers(e)
		}
	}
	return v
}

// decodeRecord reads a record into v, whose own values are to be given to numbers.
func decodeRecord(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(v)
}

// plain is a value as a record gives it back: what templates and conditions see
// must not depend on whether the run was resumed in between.
func plain(v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return decodeValue(data)
}

// plainMap is plain for a mapping.
func plainMap(v map[string]any) (map[string]any, error) {
	if v == nil {
		return map[string]any{}, nil
	}
	p, err := plain(v)
	if err != nil {
		return nil, err
	}
	m, _ := p.(map[string]any)
	return m, nil
}
