package definition

import (
	"fmt"
	"slices"

	"belay/internal/authored"
)

// bounds are the pairs of keywords that say how little and how much there may be.
var bounds = [][2]string{
	{"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"},
}

// contradicts reports the parts of a schema that no value fits: whatever a model answers is
// refused, and that shows only when it was paid twice. It looks at what a value has to be,
// not at what it may be in other cases (anyOf, if, not).
func contradicts(r *authored.Report, n *authored.Node, path string) {
	if n == nil || n.Kind != authored.Map {
		return
	}
	source := map[string]any{} // what the parts of the value hold is not needed
	for _, f := range n.Fields {
		if !slices.Contains([]string{"properties", "items", "patternProperties"}, f.Name) {
			source[f.Name] = f.Value.Value()
		}
	}
	refuse := func(keyword, hint, format string, args ...any) {
		r.Beyond(authored.RuleSchema, n.Field(keyword), path+"."+keyword, hint, "no value fits: "+format, args...)
	}
	if name := unnamed(n, source); name != "" {
		refuse("required", "name it under properties, or leave additionalProperties out", "%q is required, and neither properties nor additionalProperties take it", name)
	}
	for _, b := range bounds {
		least, ok := numberOf(source[b[0]])
		most, too := numberOf(source[b[1]])
		if ok && too && least > most {
			refuse(b[0], "", "%s %v is more than %s %v", b[0], source[b[0]], b[1], source[b[1]])
		}
	}
	all, ok := source["enum"].([]any)
	switch {
	case ok && len(all) == 0:
		refuse("enum", "name the values", "it lists none")
	case ok && !slices.ContainsFunc(all, func(v any) bool { return isOfType(source["type"], v) }):
		refuse("enum", "", "none of its values is of the type %v", source["type"])
	}
	if v, ok := source["const"]; ok && !isOfType(source["type"], v) {
		refuse("const", "", "it is not of the type %v", source["type"])
	}
	contradicts(r, n.Field("items"), path+".items")
	if properties := n.Field("properties"); properties != nil {
		for _, f := range properties.Fields {
			contradicts(r, f.Value, path+".properties."+f.Name)
		}
	}
}

// unnamed is a member that a schema requires and takes under no name, "" for none.
func unnamed(n *authored.Node, source map[string]any) string {
	required, _ := source["required"].([]any)
	if source["additionalProperties"] != false || n.Field("patternProperties") != nil {
		return ""
	}
	properties := n.Field("properties")
	for _, r := range required {
		name := fmt.Sprint(r)
		if properties == nil || properties.Field(name) == nil {
			return name
		}
	}
	return ""
}

func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// isOfType reports whether a value may be of a type, or of one of several; where none is
// given, or an unknown one, it may.
func isOfType(types, v any) bool {
	switch types := types.(type) {
	case []any:
		return slices.ContainsFunc(types, func(one any) bool { return isOfType(one, v) })
	case string:
		number, isNumber := numberOf(v)
		switch types {
		case "string":
			_, ok := v.(string)
			return ok
		case "boolean":
			_, ok := v.(bool)
			return ok
		case "number":
			return isNumber
		case "integer":
			return isNumber && number == float64(int64(number))
		case "null":
			return v == nil
		case "array":
			_, ok := v.([]any)
			return ok
		case "object":
			_, ok := v.(map[string]any)
			return ok
		}
	}
	return true
}
