package authored

import (
	"strings"

	"belay/internal/lazyregexp"
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

// space are the characters that are blank, for a class of a regular expression of
// any dialect.
const space = "\\t\\n\\v\\f\\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

// onPattern is what editors say instead of showing a regular expression: a keyword of
// theirs, which others pass over.
const onPattern = "patternErrorMessage"

var scalar = []string{"string", "number", "boolean"}

func types(names ...string) []any {
	all := make([]any, len(names))
	for i, n := range names {
		all[i] = n
	}
	return all
}

// Schema implements [Value].
func (v Words) Schema(*Defs) map[string]any {
	o := map[string]any{"type": types(scalar...)}
	if !v.Blank {
		o["pattern"], o[onPattern] = "[^"+space+"]", "It is empty."
	}
	return o
}

// Schema implements [Value].
func (ID) Schema(*Defs) map[string]any {
	return map[string]any{
		"type": types("string", "integer", "boolean"), "pattern": "^[A-Za-z0-9_-]{1,64}$",
		onPattern: "An id has letters, digits, hyphens and underscores, at most 64.",
	}
}

// Schema implements [Value].
func (v Choice) Schema(*Defs) map[string]any {
	words := map[string]any{"enum": types(v.all()...)}
	if !v.Late {
		return words
	}
	return map[string]any{"anyOf": []any{words, map[string]any{"type": "string", "pattern": v.form(v.all())}, map[string]any{"type": "string", "pattern": lateForm}}}
}

const lateForm = `\{\{`

// form is a regular expression of texts that mean one of some words.
func (v Choice) form(words []string) string {
	var b strings.Builder
	b.WriteString("^[" + space + "]*(?:")
	for i, w := range words {
		if i > 0 {
			b.WriteByte('|')
		}
		for _, c := range w {
			b.WriteString("[" + string(c) + strings.ToUpper(string(c)) + "]")
		}
	}
	b.WriteString(")[" + space + "]*$")
	return b.String()
}

// kinds are the kinds of mappings that the choice tells apart, "" the one that is
// not known yet.
func (v Choice) kinds() []string {
	if v.Late {
		return append([]string{""}, v.Words...)
	}
	return v.Words
}

// is is the schema of mappings that are of a kind.
func (v Choice) is(name, kind string) map[string]any {
	var field map[string]any
	required := true
	switch {
	case v.Late && kind == "":
		field = map[string]any{"type": "string", "pattern": lateForm}
	case v.Late:
		words := []string{kind}
		for alias, meant := range v.Alias {
			if meant == kind {
				words = append(words, alias)
			}
		}
		field = map[string]any{"type": "string", "pattern": v.form(words)}
	case kind == v.Words[0]:
		field, required = map[string]any{"enum": []any{kind, nil}}, false
	default:
		field = map[string]any{"const": kind}
	}
	o := map[string]any{"properties": map[string]any{name: field}}
	if required {
		o["required"] = []any{name}
	}
	return o
}

// Schema implements [Value].
func (Truth) Schema(*Defs) map[string]any { return map[string]any{"type": "boolean"} }

// Schema implements [Value].
func (v Whole) Schema(*Defs) map[string]any {
	return map[string]any{"type": "integer", "minimum": v.Least, "maximum": v.Most}
}

// Schema implements [Value].
func (v Above) Schema(*Defs) map[string]any {
	return map[string]any{"type": "number", "exclusiveMinimum": v.Least, "maximum": v.Most}
}

// lengthForm is what a length of time looks like.
var lengthForm = lazyregexp.New("^\\+?(?:(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$")

// Schema implements [Value].
func (v Length) Schema(*Defs) map[string]any {
	return map[string]any{"type": "string", "pattern": lengthForm.String(), onPattern: "Write a length of time as 30s, 5m or 1h."}
}

// Schema implements [Value].
func (v Free) Schema(*Defs) map[string]any {
	var names []string
	for _, k := range v.Kinds {
		names = append(names, [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}[k])
	}
	if len(names) == 1 {
		return map[string]any{"type": names[0]}
	}
	return map[string]any{"type": types(names...)}
}

// Schema implements [Value].
func (v ListOf) Schema(d *Defs) map[string]any {
	o := map[string]any{"type": "array", "items": v.Each.Schema(d)}
	if v.Least > 0 {
		o["minItems"] = v.Least
	}
	return o
}

// Schema implements [Value].
func (v MapOf) Schema(d *Defs) map[string]any {
	return map[string]any{"type": "object", "minProperties": 1, "additionalProperties": v.Each.Schema(d)}
}

// Schema implements [Value].
func (v Either) Schema(d *Defs) map[string]any {
	return map[string]any{"anyOf": []any{v.Short.Schema(d), v.Mapping.Schema(d)}}
}

// filled is the schema of mappings that have a field which is not null.
func filled(name string) map[string]any {
	return map[string]any{"required": []any{name}, "properties": map[string]any{name: map[string]any{"not": null}}}
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
