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
	properties, ok := top["properties"].(map[string]any)
	if !ok {
		properties = map[string]any{}
	}
	top["properties"] = properties
	flatten(top, properties)
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

// flatten takes choices out of the top of a schema, with all parameters that they have: which
// of them go together is for the server to check.
func flatten(top, properties map[string]any) {
	chose := false
	for _, choice := range []string{"oneOf", "anyOf", "allOf", "enum", "not", "if", "then", "else"} {
		of, has := top[choice]
		if chose = chose || has; !has {
			continue
		}
		delete(top, choice)
		branches, _ := of.([]any)
		for _, b := range append(branches, of) {
			branch, _ := b.(map[string]any)
			more, _ := branch["properties"].(map[string]any)
			for name, v := range more {
				if _, known := properties[name]; !known && choice != "not" {
					properties[name] = v
				}
			}
		}
	}
	if !chose {
		return
	}
	for _, closed := range []string{"additionalProperties", "unevaluatedProperties"} {
		delete(top, closed)
	}
	required, _ := top["required"].([]any)
	required = slices.DeleteFunc(required, func(r any) bool {
		name, _ := r.(string)
		_, known := properties[name]
		return !known
	})
	if delete(top, "required"); len(required) > 0 {
		top["required"] = required
	}
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

// namedMembers are the keywords of a schema whose members have names of the server's, and valued
// those that hold no schema.
var (
	namedMembers = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	valued       = []string{"enum", "const", "default", "examples"}
)

// withItems lets every array of a schema have items of any kind where it says nothing of them.
func withItems(of any) {
	switch of := of.(type) {
	case []any:
		for _, v := range of {
			withItems(v)
		}
	case map[string]any:
		for keyword, v := range of {
			members, _ := v.(map[string]any)
			switch {
			case slices.Contains(valued, keyword):
			case members != nil && slices.Contains(namedMembers, keyword):
				for _, member := range members {
					withItems(member)
				}
			default:
				withItems(v)
			}
		}
		kinds, _ := of["type"].([]any)
		_, tuple := of["items"].([]any)
		if _, has := of["items"]; (!has || tuple) && (of["type"] == "array" || slices.Contains(kinds, any("array"))) {
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
