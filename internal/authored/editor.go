package authored

import (
	"strings"
)

// Schema is the JSON Schema, draft 2020-12, of files that have a shape, for editors
// and for programs that write such files. It refuses what [Read] refuses by
// [RuleShape], and nothing else.
func Schema(title string, s *Shape) map[string]any {
	d := &Defs{shapes: map[string]any{}}
	root := s.schema(d)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = title
	root["$defs"] = d.shapes
	return root
}

// Defs are the parts of a schema that others refer to.
type Defs struct{ shapes map[string]any }

// Refer is a reference to a part that is made once and has a name.
func (d *Defs) Refer(name string, part func() map[string]any) map[string]any {
	if _, ok := d.shapes[name]; !ok {
		d.shapes[name] = nil // it may refer to itself
		d.shapes[name] = part()
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

// Schema implements [Value]: it refers to the shape.
func (s *Shape) Schema(d *Defs) map[string]any {
	return d.Refer(s.Name, func() map[string]any { return s.schema(d) })
}

// schema is the schema of the mapping.
func (s *Shape) schema(d *Defs) map[string]any {
	o := map[string]any{"type": "object", "description": s.Doc}
	if s.By == "" {
		for k, v := range s.fields(d, "", false) {
			o[k] = v
		}
		if all := s.constraints("", true); len(all) > 0 {
			o["allOf"] = all
		}
		return o
	}
	// What all kinds have is said once; each kind then says which of all there are.
	by := s.key(s.By).Value.(Choice)
	all := s.constraints("", true)
	for _, kind := range by.kinds() {
		then := s.fields(d, kind, true)
		if own := s.constraints(kind, false); len(own) > 0 {
			then["allOf"] = own
		}
		all = append(all, map[string]any{"if": by.is(s.By, kind), "then": then})
	}
	common := map[string]any{}
	required := []any{}
	for i := range s.Keys {
		if k := &s.Keys[i]; len(k.For) == 0 {
			common[k.Name] = k.schema(d)
			if k.Required {
				required = append(required, k.Name)
			}
		}
	}
	o["properties"], o["required"], o["allOf"] = common, required, all
	return o
}

// fields says which fields mappings of a kind have. Those that all kinds have are
// only named where they are described elsewhere.
func (s *Shape) fields(d *Defs, kind string, named bool) map[string]any {
	properties, required := map[string]any{}, []any{}
	for _, k := range s.keysOf(kind) {
		if named && len(k.For) == 0 {
			properties[k.Name] = true
			continue
		}
		properties[k.Name] = k.schema(d)
		if k.Required {
			required = append(required, k.Name)
		}
	}
	o := map[string]any{"properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

// constraints are those of all kinds, or of one.
func (s *Shape) constraints(kind string, general bool) []any {
	var all []any
	for _, c := range s.Constraints {
		if holds := c.holdsFor(""); holds == general && c.holdsFor(kind) {
			all = append(all, c.schema())
		}
	}
	return all
}

// schema is the schema of the field with what it is for.
func (k *Key) schema(d *Defs) map[string]any {
	o := k.Value.Schema(d)
	if !k.Required {
		o = orNull(o)
	}
	if _, refers := o["$ref"]; refers || k.Doc != "" {
		o["description"] = k.Doc
	}
	return o
}

var null = map[string]any{"type": "null"}

// orNull is a schema that takes null, too.
func orNull(o map[string]any) map[string]any {
	if some, ok := o["anyOf"].([]any); ok {
		o["anyOf"] = append(some, null)
		return o
	}
	if words, ok := o["enum"].([]any); ok {
		o["enum"] = append(words, nil)
		return o
	}
	switch t := o["type"].(type) {
	case string:
		o["type"] = []any{t, "null"}
		return o
	case []any:
		o["type"] = append(t, "null")
		return o
	}
	return map[string]any{"anyOf": []any{o, null}}
}

func (c ExactlyOne) schema() map[string]any {
	var each []any
	for _, name := range c.Names {
		each = append(each, filled(name))
	}
	return map[string]any{"oneOf": each}
}

func (c AtLeastOne) schema() map[string]any {
	var each []any
	for _, name := range c.Names {
		each = append(each, filled(name))
	}
	return map[string]any{"anyOf": each}
}

func (c Clash) schema() map[string]any {
	some := map[string]any{"not": null}
	names := strings.Split(c.One, ".")
	one := some
	if c.Is != nil {
		one = map[string]any{"const": c.Is}
	}
	for i := len(names) - 1; i >= 0; i-- {
		one = map[string]any{"type": "object", "required": []any{names[i]}, "properties": map[string]any{names[i]: one}}
	}
	return map[string]any{"not": map[string]any{"allOf": []any{one, map[string]any{"required": []any{c.Other}, "properties": map[string]any{c.Other: some}}}}}
}
