package definition

import (
	"slices"
	"strings"
	"sync"

	"belay/internal/authored"
	"belay/internal/schema"
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
	right := free.Check(r, n, path)
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
	for _, f := range againstMeta(sourceOf(n)) {
		at, where := descend(n, path, f.Place)
		r.Add(at, where, metaHint(at, f), "this is no JSON Schema: %s", f.Text)
		right = false
	}
	right = v.checkKeywords(r, n, path) && right
	if right {
		contradicts(r, n, path)
	}
	return right
}

// metaHint is the next step after what people do most.
func metaHint(at *authored.Node, f schema.Fault) string {
	switch {
	case at.Kind == authored.Text && strings.HasSuffix(f.Text, "want boolean or object"):
		return "write {type: " + at.Text + "}"
	case at.Kind == authored.Text && strings.HasSuffix(f.Text, "want array"):
		return "write [" + at.Text + "]"
	case at.Kind == authored.List && strings.HasSuffix(f.Text, "want object"):
		return "write a mapping: NAME: {type: string} for each"
	}
	return ""
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
var metaSchema = sync.OnceValues(func() (*schema.Schema, error) {
	return schema.Compile(map[string]any{"$ref": "#/$defs/" + metaDef, "$defs": map[string]any{metaDef: metaSource()}})
})

// againstMeta returns what is wrong with a schema, the first fault of each of its parts.
func againstMeta(source map[string]any) []schema.Fault {
	meta, err := metaSchema()
	if err != nil {
		return nil // compiling says it
	}
	faults, err := meta.Check(source)
	if err != nil {
		return nil
	}
	return slices.CompactFunc(faults, func(a, b schema.Fault) bool { return slices.Equal(a.Place, b.Place) })
}
