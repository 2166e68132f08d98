package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"belay/internal/plainjson"
)

// DecodeInput reads an input that somebody wrote into a file: one JSON object, whose
// numbers stay what they are. A key that is there twice is refused, as over HTTP: of two
// readers each could take another.
func DecodeInput(data []byte) (map[string]any, error) {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		_, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if at := (*jsontext.SyntacticError)(nil); errors.As(err, &at) && errors.Is(err, jsontext.ErrDuplicateName) {
			return nil, fmt.Errorf("the key %q is there twice", at.JSONPointer.LastToken())
		}
		if err != nil {
			break // the reader below reports it
		}
	}
	v, err := plainjson.Value(data)
	if err != nil {
		return nil, err
	}
	input, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("it is no JSON object")
	}
	return input, nil
}

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
