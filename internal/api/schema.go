package api

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"belay/internal/session"
	"belay/internal/workspace/register"
)

// schemas turns Go types into JSON Schemas the way encoding/json writes their
// values. Named structs become components and are referred to.
type schemas struct {
	components map[string]any
}

func newSchemas() *schemas { return &schemas{components: map[string]any{}} }

var (
	rawType      = reflect.TypeFor[json.RawMessage]()
	valuesType   = reflect.TypeFor[register.Values]()
	metadataType = reflect.TypeFor[metadata]()
	textType     = reflect.TypeFor[encoding.TextMarshaler]()
	moments      = []reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[session.Time]()}
)

// of returns the schema of t. Each call gives a map of its own.
func (s *schemas) of(t reflect.Type) map[string]any {
	switch {
	case t == rawType:
		return map[string]any{}
	case t == moments[0], t == moments[1]:
		return map[string]any{"type": "string", "format": "date-time"}
	case t == valuesType, t == metadataType:
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Struct:
		return s.component(t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string", "format": "binary"}
		}
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Interface:
		return map[string]any{}
	}
	if t.Implements(textType) {
		return map[string]any{"type": "string"}
	}
	panic("api: no JSON schema for " + t.String())
}

// component describes a struct once and returns a reference to it.
func (s *schemas) component(t reflect.Type) map[string]any {
	name := componentName(t)
	if _, done := s.components[name]; !done {
		s.components[name] = nil // ends the recursion of a type that holds itself
		properties, required := map[string]any{}, []string{}
		s.properties(t, properties, &required)
		schema := map[string]any{"type": "object", "properties": properties}
		if len(required) > 0 {
			schema["required"] = required
		}
		s.components[name] = schema
	}
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

// properties adds t's fields as encoding/json sees them: those of embedded
// structs are t's own.
func (s *schemas) properties(t reflect.Type, properties map[string]any, required *[]string) {
	for field := range t.Fields() {
		tag, _ := field.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		if tag == "-" || !field.IsExported() {
			continue
		}
		if field.Anonymous && name == "" {
			s.properties(field.Type, properties, required)
			continue
		}
		schema := s.of(field.Type)
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		if nullable(field.Type) && !optional {
			schema["type"] = []any{schema["type"], "null"}
		}
		if doc := field.Tag.Get("doc"); doc != "" {
			schema["description"] = doc
		}
		switch is := field.Tag.Get("is"); {
		case is == someOf:
			schema["minItems"] = 1
		case strings.Contains(is, "|"):
			schema["enum"] = strings.Split(is, "|")
		}
		properties[name] = schema
		if !optional {
			*required = append(*required, name)
		}
	}
}

// nullable reports a list, or a single value, that encoding/json writes as null when it is
// nil. Only answers of other packages can; a body's list is never null.
func nullable(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t != rawType && t.Elem().Kind() != reflect.Uint8 ||
		t.Kind() == reflect.Pointer && t.Elem().Kind() != reflect.Struct
}

// componentName is the package and the type, e.g. session.Record.
func componentName(t reflect.Type) string {
	return strings.TrimPrefix(t.String(), "api.")
}
