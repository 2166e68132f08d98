// Package plainjson writes JSON as people and models read it. encoding/json by
// itself makes it fit for a script element of a web page, where & < and > are six
// characters each; belay shows JSON in terminals, transcripts and prompts.
package plainjson

import (
	"bytes"
	"encoding/json"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// Marshal is [json.Marshal] without the escapes of HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := encoder(&b).Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Write writes what [Marshal] returns, and a line break. It writes in small pieces, so that
// a long answer is never in memory as a whole; encoding/json would gather it first. The value
// has no [json.Number].
func Write(w io.Writer, v any) error {
	return jsonv2.MarshalEncode(jsontext.NewEncoder(w, inPieces), v)
}

// WriteIndent writes what [MarshalIndent] returns, and a line break, as [Write] does.
func WriteIndent(w io.Writer, v any) error {
	return jsonv2.MarshalEncode(jsontext.NewEncoder(w, inPieces, jsontext.WithIndent("  ")), v)
}

// inPieces are the options that write the same bytes as encoding/json.
var inPieces = jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false))

// MustMarshal is [Marshal] of a value that always marshals, such as the payload of an
// event. It panics where the value does not.
func MustMarshal(v any) json.RawMessage {
	b, err := Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// MarshalIndent is [json.MarshalIndent], two spaces deep, without the escapes of
// HTML.
func MarshalIndent(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := encoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func encoder(b *bytes.Buffer) *json.Encoder {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	return enc
}
