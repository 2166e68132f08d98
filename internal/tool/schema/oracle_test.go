package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// full compiles a schema with a library that knows all of JSON Schema.
func full(doc []byte) (*jsonschema.Schema, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("test:schema", v); err != nil {
		return nil, err
	}
	return c.Compile("test:schema")
}

// agree fails where the library judges otherwise. A schema that is refused here
// proves nothing: this is a part of JSON Schema.
func agree(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, doc, value []byte) {
	t.Helper()
	s, err := Compile(doc)
	if err != nil {
		return
	}
	theirs, err := full(doc)
	if err != nil {
		t.Fatalf("%s is accepted here, and the library says %v", doc, err)
	}
	v, err := Parse(value)
	if err != nil {
		return
	}
	faults, theirErr := s.Check(v), theirs.Validate(v)
	if (len(faults) == 0) != (theirErr == nil) {
		t.Fatalf("%s against %s: %v here, and the library says %v", value, doc, faults, theirErr)
	}
	for _, f := range faults {
		if f.Problem == "" || f.At != "" && f.At[0] != '/' {
			t.Fatalf("%s against %s: the fault %+v", value, doc, f)
		}
	}
}

func FuzzAgree(f *testing.F) {
	for _, value := range []string{`{"path":"a","edits":[{"old":"x"}]}`, `{"path":"","edits":[{"old":1}],"times":2.6,"how":{"a":[1]}}`, `[]`, `1e2`} {
		f.Add([]byte(input), []byte(value))
	}
	f.Add([]byte(`{"type":["integer","null"],"enum":[1,1.0,null]}`), []byte(`1.00`))
	f.Add([]byte(`{"maxLength":2}`), []byte(`"\ud83d\ude00é"`))
	f.Add([]byte(`{"items":false,"minItems":1e0}`), []byte(`[]`))
	f.Add([]byte(`{"enum":[]}`), []byte(`1`))
	f.Fuzz(func(t *testing.T, doc, value []byte) { agree(t, doc, value) })
}

// TestAgree draws schemas and values that have to do with one another.
func TestAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc, err := json.Marshal(schemas(3).Draw(t, "schema"))
		if err != nil {
			t.Fatal(err)
		}
		value, err := json.Marshal(values(3).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(doc); err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		agree(t, doc, value)
	})
}

// names are few, so that values have what schemas speak of.
var names = rapid.SampledFrom([]string{"a", "b", "c/d", ""})

var numbers = rapid.SampledFrom([]any{0, 1, 2, -1, 0.5, 1.5, json.Number("1.0"), json.Number("2e0"), json.Number("1e2"), json.Number("0.10")})

func values(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), numbers, rapid.SampledFrom([]any{"", "a", "ab", "é", "日本語", "a\nb"}),
	}
	if depth > 0 {
		kinds = append(kinds,
			rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return values(depth - 1) }), 0, 3).AsAny(),
			rapid.MapOfN(names, rapid.Deferred(func() *rapid.Generator[any] { return values(depth - 1) }), 0, 3).AsAny())
	}
	return rapid.OneOf(kinds...)
}

func schemas(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
			return rapid.Bool().Draw(t, "always")
		}
		types := rapid.SampledFrom(typeNames)
		parts := map[string]*rapid.Generator[any]{
			"type":      rapid.OneOf(types.AsAny(), rapid.SliceOfNDistinct(types, 1, 3, rapid.ID).AsAny()),
			"enum":      rapid.SliceOfN(values(1), 0, 4).AsAny(),
			"minimum":   numbers,
			"maximum":   numbers,
			"minLength": rapid.IntRange(0, 3).AsAny(), "maxLength": rapid.IntRange(0, 3).AsAny(),
			"minItems": rapid.IntRange(0, 3).AsAny(), "maxItems": rapid.IntRange(0, 3).AsAny(),
			"pattern":  rapid.SampledFrom([]any{"a", "^a?$", "b$", `^\p{L}+$`, "."}),
			"required": rapid.SliceOfNDistinct(names, 0, 2, rapid.ID).AsAny(),
			"default":  values(1), "title": rapid.Just[any]("T"),
		}
		if depth > 0 {
			below := rapid.Deferred(func() *rapid.Generator[any] { return schemas(depth - 1) })
			parts["items"], parts["additionalProperties"] = below, below
			parts["properties"] = rapid.MapOfN(names, below, 0, 3).AsAny()
		}
		s := map[string]any{}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(keys(parts)), 0, 4, rapid.ID).Draw(t, "keywords") {
			s[name] = parts[name].Draw(t, name)
		}
		return s
	})
}

func keys(parts map[string]*rapid.Generator[any]) []string { return slices.Sorted(maps.Keys(parts)) }
