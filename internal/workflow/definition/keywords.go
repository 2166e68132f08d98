package definition

import (
	"slices"
	"sync"

	"belay/internal/authored"
	"belay/internal/nearest"
)

// keywordNames are the keywords of JSON Schema, sorted.
var keywordNames = sync.OnceValue(func() []string {
	names := []string{"type", "multipleOf", "required", "dependentRequired", "dependencies", "$id", "$vocabulary"}
	for _, more := range keywords {
		names = append(names, more...)
	}
	slices.Sort(names)
	return names
})

// checkKeywords reports the names in a schema that look like mistyped keywords. JSON
// Schema ignores names that it does not know, so a schema with a mistyped keyword
// accepts anything, and a run notices it only by what a model was paid for.
func (v jsonSchema) checkKeywords(r *authored.Report, n *authored.Node, path string) bool {
	if n.Kind != authored.Map {
		return true
	}
	right, known := true, 0
	for _, f := range n.Fields {
		at := path + "." + f.Name
		switch {
		case v.named && f.Name == "id":
		case slices.Contains(keywordNames(), f.Name):
			known++
			right = checkWithin(r, f, at) && right
		default:
			if meant := nearest.Of(f.Name, keywordNames()); meant != "" {
				r.Beyond(authored.RuleSchema, f.Value, at, "did you mean "+meant+"?", "%q is no keyword of JSON Schema", f.Name)
				right = false
				known++
			}
		}
	}
	if first := slices.IndexFunc(n.Fields, func(f authored.Field) bool { return !v.named || f.Name != "id" }); first >= 0 && known == 0 {
		name := n.Fields[first].Name
		r.Beyond(authored.RuleSchema, n.Fields[first].Value, path+"."+name, "write type: object and properties: {"+name+": {type: string}}",
			"%q is no keyword of JSON Schema: the parts of an object are described under properties", name)
		right = false
	}
	return right
}

// checkWithin checks the schemas that a keyword holds.
func checkWithin(r *authored.Report, f authored.Field, path string) bool {
	right, inner := true, jsonSchema{}
	switch {
	case slices.Contains(keywords["schema"], f.Name):
		right = inner.checkKeywords(r, f.Value, path)
	case slices.Contains(keywords["schemas"], f.Name):
		for i, n := range f.Value.Items {
			right = inner.checkKeywords(r, n, authored.At(path, i)) && right
		}
	case slices.Contains(keywords["named"], f.Name):
		for _, named := range f.Value.Fields {
			right = inner.checkKeywords(r, named.Value, path+"."+named.Name) && right
		}
	}
	return right
}
