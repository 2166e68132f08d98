package definition

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"belay/internal/authored"
	"belay/internal/schema"
)

// Schema is a JSON Schema of a file. It never reaches for another: references lead
// to parts of itself.
type Schema struct {
	compiled *schema.Schema
	// Source is the schema itself, for the model's prompt.
	Source map[string]any
}

// namedSchemas reads the file's schemas. One that is wrong is known by its id all the
// same, so that nobody reads that there is none.
func (d *decoder) namedSchemas(o *authored.Object) {
	f := o.Field("schemas")
	if f == nil {
		return
	}
	right := o.List("schemas")
	for i, n := range f.Items {
		if d.ctx.Err() != nil {
			return
		}
		id, path := n.Field("id"), authored.At("schemas", i)
		switch {
		case id == nil || id.Text == "":
		case d.schemas[id.Text] != nil:
			d.report.Beyond(authored.RuleDuplicate, id, path+".id", "", "the id %q is given twice", id.Text)
		case right[i] == nil:
			d.schemas[id.Text] = &Schema{}
			d.schemaIDs = append(d.schemaIDs, schemaID(id.Text))
		default:
			d.schemas[id.Text] = d.schema(n, path)
			d.schemaIDs = append(d.schemaIDs, schemaID(id.Text))
		}
	}
}

// schemaID is the id of one of the file's schemas.
type schemaID string

func (s schemaID) id() string { return string(s) }

// schemaField is a schema, or the id of one.
func (d *decoder) schemaField(o *authored.Object, name string) *Schema {
	n := o.Field(name)
	switch {
	case n == nil:
		return nil
	case n.Kind == authored.Map:
		return d.schema(n, o.Path(name))
	}
	s := d.schemas[n.Text]
	if s == nil {
		o.Beyond(authored.RuleReference, name, meant(d, n.Text, d.schemaIDs), "no schema has the id %q", n.Text)
	}
	return s
}

func (d *decoder) schema(n *authored.Node, path string) *Schema {
	s, err := newSchema(sourceOf(n))
	if err == nil {
		return s
	}
	wrong, ok := errors.AsType[*schema.InvalidError](err)
	if !ok {
		wrong = &schema.InvalidError{Faults: []schema.Fault{{Text: err.Error()}}}
	}
	for _, f := range wrong.Faults {
		at, where := descend(n, path, f.Place)
		d.report.Beyond(authored.RuleSchema, at, where, "", "this is no JSON Schema: %s", f.Text)
	}
	return &Schema{}
}

func newSchema(source map[string]any) (*Schema, error) {
	compiled, err := schema.Compile(source)
	if err != nil {
		return nil, err
	}
	return &Schema{compiled: compiled, Source: source}, nil
}

// defaultsFit refuses defaults of the input's properties that the schema itself does not take:
// every run without such an input would be refused.
func (d *decoder) defaultsFit(n *authored.Node, path string) {
	if n == nil || n.Kind != authored.Map || n.Field("properties") == nil || d.w.Input == nil || d.w.Input.compiled == nil || isOpen(d.w.Input.Source) {
		return
	}
	filled := map[string]any{}
	d.w.Input.Defaults(filled)
	faults, err := d.w.Input.compiled.Check(filled)
	if err != nil {
		return
	}
	for _, f := range faults {
		if len(f.Place) == 0 {
			continue // what is required may be given
		}
		if property := n.Field("properties").Field(f.Place[0]); property != nil && property.Field("default") != nil {
			at := property.Field("default")
			d.report.Beyond(authored.RuleSchema, at, path+".properties."+f.Place[0]+".default", "", "the default does not fit its own schema: %s", f.Text)
		}
	}
}

// Faults returns what is wrong with a value, nothing where it is right.
func (s *Schema) Faults(v any) []schema.Fault {
	if s == nil || s.compiled == nil {
		return nil
	}
	faults, err := s.compiled.Check(v)
	if err != nil {
		return []schema.Fault{{Text: err.Error()}}
	}
	return faults
}

// Check is Faults in words, a line each.
func (s *Schema) Check(v any) []string {
	var lines []string
	for _, f := range s.Faults(v) {
		where := "the value"
		if len(f.Place) > 0 {
			where = "." + strings.Join(f.Place, ".")
		}
		lines = append(lines, where+": "+f.Text)
	}
	return lines
}

// open are the keywords with which a schema takes members beside its properties, or
// names them elsewhere.
var open = []string{
	"additionalProperties", "patternProperties", "unevaluatedProperties", "propertyNames", "allOf", "anyOf", "oneOf", "not",
	"if", "then", "else", "$ref", "$dynamicRef", "dependentSchemas",
}

// isOpen reports whether a value may have other members than the properties of its schema.
func isOpen(source map[string]any) bool {
	return slices.ContainsFunc(open, func(word string) bool {
		v, given := source[word]
		return given && !(word == "additionalProperties" && v == false)
	})
}

// literals returns what is wrong with the values of a mapping that have no templates, by
// their places. Values with templates are known only when their task is done.
func (s *Schema) literals(n *authored.Node) []schema.Fault {
	if s == nil || s.compiled == nil || isOpen(s.Source) {
		return nil
	}
	known := map[string]any{}
	for _, f := range n.Fields {
		if !hasTemplate(f.Value) {
			known[f.Name] = f.Value.Value()
		}
	}
	faults, err := s.compiled.Check(known)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(faults, func(f schema.Fault) bool { return len(f.Place) == 0 })
}

// demands are the members that the schema requires, none where it may take others in their
// place.
func (s *Schema) demands() (names []string) {
	if s == nil || s.compiled == nil || isOpen(s.Source) {
		return nil
	}
	required, _ := s.Source["required"].([]any)
	for _, r := range required {
		if name, ok := r.(string); ok && name != "" {
			names = append(names, name)
		}
	}
	return names
}

func hasTemplate(n *authored.Node) bool {
	return strings.Contains(n.Text, "{{") || slices.ContainsFunc(n.Items, hasTemplate) ||
		slices.ContainsFunc(n.Fields, func(f authored.Field) bool { return hasTemplate(f.Value) })
}

// Undeclared are the members of a value that the schema does not name, sorted; none
// where it may name them otherwise than by its properties.
func (s *Schema) Undeclared(v map[string]any) []string {
	if s == nil || s.compiled == nil || s.Source["properties"] == nil || slices.ContainsFunc(open, func(word string) bool { return s.Source[word] != nil }) {
		return nil
	}
	names := s.Names()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(v)), func(name string) bool { return slices.Contains(names, name) })
}

// Names are the members that the schema describes or requires, sorted.
func (s *Schema) Names() []string {
	if s == nil {
		return nil
	}
	properties, _ := s.Source["properties"].(map[string]any)
	names := slices.Collect(maps.Keys(properties))
	required, _ := s.Source["required"].([]any)
	for _, r := range required {
		if name, ok := r.(string); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Defaults fills in what v leaves out and the schema's properties have a default
// for, at any depth. It changes v.
func (s *Schema) Defaults(v map[string]any) {
	if s != nil {
		defaults(s.Source, v)
	}
}

func defaults(schema, v map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		property, ok := p.(map[string]any)
		if !ok {
			continue
		}
		if _, given := v[name]; !given {
			if d, ok := property["default"]; ok {
				v[name] = d
			}
		}
		if inner, ok := v[name].(map[string]any); ok {
			defaults(property, inner)
		}
	}
}
