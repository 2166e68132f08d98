package config

import (
	"strings"

	"belay/internal/plainjson"
)

// Schema returns a JSON Schema (draft 2020-12) of a configuration file, for
// editors: of the user's config.yaml, or of a project's belay.yaml, which has the
// settings that a project may touch.
func Schema(forProject bool) ([]byte, error) {
	title := "belay configuration (" + userFile + ")"
	if forProject {
		title = "belay project settings (" + projectFile + ")"
	}
	root := object()
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = title
	for _, k := range settings(&Config{}) {
		if forProject && k.project == never {
			continue
		}
		s := k.value.schema()
		s["description"] = k.doc
		if k.def != "" {
			s["description"] = k.doc + " Default: " + k.def + "."
		}
		describe(root, k.name, s)
	}
	for _, r := range removedSettings {
		if r.instead == "" { // Files that have it load, so editors accept it.
			describe(root, r.name, map[string]any{"deprecated": true, "description": "Has no effect; the value is always " + r.now + "."})
		}
	}
	return plainjson.MarshalIndent(root)
}

// describe puts the schema of a setting where its name says.
func describe(root map[string]any, name string, schema map[string]any) {
	section := root["properties"].(map[string]any)
	parts := strings.Split(name, ".")
	for _, p := range parts[:len(parts)-1] {
		sub, ok := section[p].(map[string]any)
		if !ok {
			sub = object()
			section[p] = sub
		}
		section = sub["properties"].(map[string]any)
	}
	section[parts[len(parts)-1]] = schema
}

// object is a mapping of settings; a section with nothing in it is null in YAML.
func object() map[string]any {
	return map[string]any{"type": []string{"object", "null"}, "properties": map[string]any{}, "additionalProperties": false}
}
