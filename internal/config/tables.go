package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"belay/internal/plainjson"
)

// field is one number of a [table].
type field[T any] struct {
	name  string
	whole bool
	set   func(*T, float64)
	get   func(T) float64
}

// table is a setting with an entry per model name and numbers in each.
type table[T any] struct {
	p      *map[string]T
	fields []field[T]
}

// maxModels bounds a table's entries.
const maxModels = 1000

// set reads the table as YAML, which in a variable or flag is its flow form:
// {model-name: {input: 3, output: 15}}.
func (v table[T]) set(s, _ string) error {
	if strings.TrimSpace(s) == "" {
		*v.p = nil
		return nil
	}
	var doc yaml.Node
	if err := yaml.Load([]byte(s), &doc); err != nil || doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return fmt.Errorf("is not a mapping in YAML, such as {model-name: {%s: 1}}", v.fields[0].name)
	}
	_, err := v.setNode(doc.Content[0])
	return err
}

// setNode reads the table from a file; the node is where an error belongs.
func (v table[T]) setNode(n *yaml.Node) (*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return n, errors.New("expects a mapping of model names")
	}
	if len(n.Content) > 2*maxModels {
		return n, fmt.Errorf("has more than %d entries", maxModels)
	}
	entries := map[string]T{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, body := n.Content[i], n.Content[i+1]
		id := strings.ToLower(strings.TrimSpace(name.Value))
		if _, twice := entries[id]; twice {
			return name, fmt.Errorf("has model %q twice", id)
		}
		if name.Kind != yaml.ScalarNode || id == "" || oneLine(id) != nil {
			return name, errors.New("expects a model name")
		}
		entry, at, err := v.entry(body)
		if err != nil {
			return at, fmt.Errorf("%s: %w", id, err)
		}
		entries[id] = entry
	}
	*v.p = entries
	return nil, nil
}

func (v table[T]) entry(n *yaml.Node) (entry T, at *yaml.Node, err error) {
	if n.Kind != yaml.MappingNode {
		return entry, n, fmt.Errorf("expects a mapping of %s", v.names())
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, val := n.Content[i], n.Content[i+1]
		f := slices.IndexFunc(v.fields, func(f field[T]) bool { return f.name == k.Value })
		if f < 0 {
			return entry, k, fmt.Errorf("%q is not one of %s", k.Value, v.names())
		}
		if seen[k.Value] {
			return entry, k, fmt.Errorf("%s is there twice", k.Value)
		}
		seen[k.Value] = true
		x, err := moneyForm.parse(val.Value)
		if val.Kind != yaml.ScalarNode || val.Tag != "!!int" && val.Tag != "!!float" || err != nil || x < 0 || x > 1e12 {
			return entry, val, fmt.Errorf("%s is not a number of 0 or more", k.Value)
		}
		if v.fields[f].whole && x != float64(int64(x)) {
			return entry, val, fmt.Errorf("%s is not a whole number", k.Value)
		}
		v.fields[f].set(&entry, x)
	}
	return entry, nil, nil
}

func (v table[T]) names() string {
	names := make([]string, len(v.fields))
	for i, f := range v.fields {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}

func (table[T]) kind() kind { return mapping }

// String is the table as JSON, which is YAML that set reads back.
func (v table[T]) String() string {
	if len(*v.p) == 0 {
		return ""
	}
	out := make(map[string]map[string]float64, len(*v.p))
	for name, entry := range *v.p {
		out[name] = map[string]float64{}
		for _, f := range v.fields {
			if x := f.get(entry); x != 0 {
				out[name][f.name] = x
			}
		}
	}
	b, err := plainjson.Marshal(out)
	if err != nil { // numbers and strings always marshal
		return err.Error()
	}
	return string(b)
}

func (v table[T]) schema() map[string]any {
	props := map[string]any{}
	for _, f := range v.fields {
		t := "number"
		if f.whole {
			t = "integer"
		}
		props[f.name] = map[string]any{"type": t, "minimum": 0}
	}
	return map[string]any{
		"type": "object",
		"additionalProperties": map[string]any{
			"type": "object", "properties": props, "additionalProperties": false,
		},
	}
}

func priceTable(p *map[string]Price) value {
	return table[Price]{p, []field[Price]{
		{"input", false, func(e *Price, x float64) { e.Input = x }, func(e Price) float64 { return e.Input }},
		{"output", false, func(e *Price, x float64) { e.Output = x }, func(e Price) float64 { return e.Output }},
		{"cache_read", false, func(e *Price, x float64) { e.CacheRead = x }, func(e Price) float64 { return e.CacheRead }},
		{"cache_write", false, func(e *Price, x float64) { e.CacheWrite = x }, func(e Price) float64 { return e.CacheWrite }},
	}}
}

func modelTable(p *map[string]Model) value {
	return table[Model]{p, []field[Model]{
		{"context_tokens", true, func(e *Model, x float64) { e.ContextTokens = int64(x) }, func(e Model) float64 { return float64(e.ContextTokens) }},
		{"output_tokens", true, func(e *Model, x float64) { e.OutputTokens = int64(x) }, func(e Model) float64 { return float64(e.OutputTokens) }},
	}}
}
