package definition

import (
	"errors"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"belay/internal/authored"
)

// jsonSchema is a JSON Schema as a value of a file. One that names its own $schema is
// held against that when it is compiled, and not before.
type jsonSchema struct {
	// named says that it has an id, which is no part of it.
	named bool
}

// Check implements [authored.Value].
func (v jsonSchema) Check(r *authored.Report, n *authored.Node, path string) bool {
	if n.Kind != authored.Map {
		r.Add(n, path, "", "a schema must be a mapping, and this is %s", n.Kind)
		return false
	}
	right := true
	if v.named {
		switch id := n.Field("id"); {
		case id == nil || id.Kind == authored.Null:
			r.Add(n, path, "", "a schema needs id")
			right = false
		default:
			right = authored.Words{}.Check(r, id, path+".id")
		}
	}
	if n.Field("$schema") != nil {
		return right
	}
	for _, p := range againstMeta(sourceOf(n)) {
		at, where := n, path
		for _, step := range p.InstanceLocation {
			next := at.Child(step)
			if next == nil {
				break
			}
			at, where = next, where+"."+step
		}
		r.Add(at, where, "", "this is no JSON Schema: %s", p.ErrorKind.LocalizedString(printer))
		right = false
	}
	return right
}

// Schema implements [authored.Value].
func (v jsonSchema) Schema(d *authored.Defs) map[string]any {
	o := map[string]any{
		"type": "object",
		"if":   map[string]any{"required": []any{"$schema"}}, "then": true, "else": d.Refer(metaDef, metaSource),
	}
	if v.named {
		o["required"] = []any{"id"}
		o["properties"] = map[string]any{"id": authored.Words{}.Schema(nil)}
	}
	return o
}

func (v jsonSchema) String() string {
	if v.named {
		return "a JSON Schema with an id"
	}
	return "a JSON Schema"
}

// sourceOf is a schema without the id that a file calls it by.
func sourceOf(n *authored.Node) map[string]any {
	source, _ := n.Value().(map[string]any)
	delete(source, "id")
	return source
}

// metaSchema is the schema of schemas, which editors have, too.
var metaSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	doc, err := plain(map[string]any{"$ref": "#/$defs/" + metaDef, "$defs": map[string]any{metaDef: metaSource()}})
	if err != nil {
		return nil, err
	}
	const name = "mem:///json-schema.json"
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

// againstMeta tells what is wrong with a schema, the first problem of each of its
// parts.
func againstMeta(source map[string]any) []*jsonschema.ValidationError {
	meta, err := metaSchema()
	if err != nil {
		return nil // compiling says it
	}
	doc, err := plain(source)
	if err != nil {
		return nil
	}
	var wrong *jsonschema.ValidationError
	if !errors.As(meta.Validate(doc), &wrong) {
		return nil
	}
	var first []*jsonschema.ValidationError
	seen := map[string]bool{}
	leaves(wrong, func(e *jsonschema.ValidationError) {
		if at := strings.Join(e.InstanceLocation, "/"); !seen[at] {
			seen[at] = true
			first = append(first, e)
		}
	})
	return first
}
