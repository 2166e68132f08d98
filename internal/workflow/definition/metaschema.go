package definition

// The keywords of JSON Schema by what they hold.
var keywords = map[string][]string{
	"schema":   {"items", "contains", "additionalProperties", "propertyNames", "if", "then", "else", "not", "unevaluatedItems", "unevaluatedProperties", "contentSchema"},
	"schemas":  {"prefixItems", "allOf", "anyOf", "oneOf"},
	"named":    {"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"},
	"text":     {"title", "description", "$comment", "$ref", "$dynamicRef", "$recursiveRef", "$schema", "format", "pattern", "contentEncoding", "contentMediaType"},
	"anchor":   {"$anchor", "$dynamicAnchor", "$recursiveAnchor"},
	"number":   {"maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"},
	"count":    {"maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties", "maxContains", "minContains"},
	"truth":    {"uniqueItems", "deprecated", "readOnly", "writeOnly"},
	"anything": {"const", "default"},
	"list":     {"enum", "examples"},
}

// metaDef is the name of the schema of schemas in that of workflow files.
const metaDef = "json-schema"

// metaSource is the schema of schemas, draft 2020-12, as one schema that refers to
// itself as it lies in that of workflow files. The draft's own is spread over several
// addresses, which an editor would have to fetch.
func metaSource() map[string]any {
	self := func() map[string]any { return map[string]any{"$ref": "#/$defs/" + metaDef} }
	list := func(items map[string]any) map[string]any { return map[string]any{"type": "array", "items": items} }
	mapping := func(values map[string]any) map[string]any {
		return map[string]any{"type": "object", "additionalProperties": values}
	}
	required := func() map[string]any {
		l := list(map[string]any{"type": "string"})
		l["uniqueItems"] = true
		return l
	}
	values := map[string]func() map[string]any{
		"schema": self,
		"schemas": func() map[string]any {
			l := list(self())
			l["minItems"] = 1
			return l
		},
		"named": func() map[string]any { return mapping(self()) },
		"text":  func() map[string]any { return map[string]any{"type": "string"} },
		"anchor": func() map[string]any {
			return map[string]any{"type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"}
		},
		"number":   func() map[string]any { return map[string]any{"type": "number"} },
		"count":    func() map[string]any { return map[string]any{"type": "integer", "minimum": 0} },
		"truth":    func() map[string]any { return map[string]any{"type": "boolean"} },
		"anything": func() map[string]any { return map[string]any{} },
		"list":     func() map[string]any { return map[string]any{"type": "array"} },
	}
	words := map[string]any{"enum": []any{"array", "boolean", "integer", "null", "number", "object", "string"}}
	several := list(words)
	several["minItems"], several["uniqueItems"] = 1, true
	properties := map[string]any{
		"type":              map[string]any{"anyOf": []any{words, several}},
		"multipleOf":        map[string]any{"type": "number", "exclusiveMinimum": 0},
		"required":          required(),
		"dependentRequired": mapping(required()),
		"dependencies":      mapping(map[string]any{"anyOf": []any{self(), required()}}),
		"$id":               map[string]any{"type": "string", "pattern": "^[^#]*#?$"},
		"$vocabulary":       mapping(map[string]any{"type": "boolean"}),
	}
	for kind, names := range keywords {
		for _, name := range names {
			properties[name] = values[kind]()
		}
	}
	return map[string]any{"type": []any{"object", "boolean"}, "properties": properties}
}
