package run

import (
	"bytes"
	"encoding/json"

	"belay/internal/plainjson"
)

// decodeRecord reads a record into v, whose own values are to be given to [plainjson.Numbers].
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
	var recorded any
	if err := decodeRecord(data, &recorded); err != nil {
		return nil, err
	}
	return plainjson.Numbers(recorded), nil
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
