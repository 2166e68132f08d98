package run

import (
	"bytes"
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
			break // said by the reader below, as before
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
