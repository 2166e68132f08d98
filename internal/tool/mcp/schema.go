package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"belay/internal/lazyregexp"
)

// acceptable changes a schema of a tool's input to what every provider takes. A provider that
// takes one schema less refuses the whole request, with all other tools. The result is an
// object without a choice between several at the top. Arrays say something of their items. keys
// are the names of parameters that were changed, with the server's own.
func acceptable(raw []byte) (_ []byte, keys map[string]string, err error) {
	var top map[string]any
	if err := json.Unmarshal(raw, &top); err != nil || top == nil {
		return nil, nil, errors.New("its schema is no object")
	}
	top["type"] = "object"
	for _, choice := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		delete(top, choice)
	}
	properties, ok := top["properties"].(map[string]any)
	if !ok {
		properties = map[string]any{}
	}
	top["properties"] = properties
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		if takenKey.MatchString(key) {
			continue
		}
		name := keyFor(key)
		if _, twice := properties[name]; twice {
			return nil, nil, errors.New("two of its parameters have the same name for models")
		}
		if keys == nil {
			keys = map[string]string{}
		}
		keys[name], properties[name] = key, properties[key]
		delete(properties, key)
		require(top, key, name)
	}
	withItems(top)
	raw, err = json.Marshal(top)
	return raw, keys, err
}

// maxKey is how long the name of a parameter may be, and takenKey what one is that providers
// take; untaken are the characters that they do not.
const maxKey = 64

var (
	takenKey = lazyregexp.New(`^[A-Za-z0-9_.-]{1,64}$`)
	untaken  = lazyregexp.New(`[^A-Za-z0-9_.-]`)
)

// keyFor is a name that providers take for a parameter.
func keyFor(key string) string {
	sum := sha256.Sum256([]byte(key))
	mark := "_" + hex.EncodeToString(sum[:4])
	name := untaken.ReplaceAllString(key, "_")
	return name[:min(len(name), maxKey-len(mark))] + mark
}

// require has a schema require a parameter under another name, if it does.
func require(top map[string]any, key, name string) {
	required, _ := top["required"].([]any)
	for i, r := range required {
		if r == key {
			required[i] = name
		}
	}
}

// withItems lets every array of a schema have items of any kind where it says nothing of them.
func withItems(of any) {
	switch of := of.(type) {
	case []any:
		for _, v := range of {
			withItems(v)
		}
	case map[string]any:
		for key, v := range of {
			if !slices.Contains([]string{"enum", "const", "default", "examples"}, key) { // these are values
				withItems(v)
			}
		}
		kinds, _ := of["type"].([]any)
		if _, has := of["items"]; !has && (of["type"] == "array" || slices.Contains(kinds, any("array"))) {
			of["items"] = map[string]any{}
		}
	}
}

// asServed gives parameters the server's own names.
func asServed(input json.RawMessage, keys map[string]string) json.RawMessage {
	var args map[string]json.RawMessage
	if len(keys) == 0 || json.Unmarshal(input, &args) != nil {
		return input
	}
	for name, key := range keys {
		if v, ok := args[name]; ok {
			delete(args, name)
			args[key] = v
		}
	}
	all, err := json.Marshal(args)
	if err != nil {
		return input
	}
	return all
}
