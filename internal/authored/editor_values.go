package authored

import (
	"strings"

	"belay/internal/lazyregexp"
)

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
