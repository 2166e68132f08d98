package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"belay/internal/plainjson"
)

// entries is a setting with an entry per name: the prices of a model, a hook.
type entries[T any] struct {
	p *map[string]T
	// what are the entries, at most so many; example is one in YAML's flow form, which
	// variables and flags have.
	what    string
	most    int
	example string
	// fold makes the names lower case.
	fold bool
	// name checks a name further; nil takes all.
	name func(string) (string, error)
	// read reads an entry; the node is where an error belongs.
	read func(*yaml.Node) (entry T, at *yaml.Node, err error)
	// entry is the schema of one.
	entry map[string]any
}

func (v entries[T]) set(s, _ string) error {
	if strings.TrimSpace(s) == "" {
		*v.p = nil
		return nil
	}
	var doc yaml.Node
	if err := yaml.Load([]byte(s), &doc); err != nil || doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return fmt.Errorf("is not a mapping in YAML, such as %s", v.example)
	}
	_, err := v.setNode(doc.Content[0])
	return err
}

// setNode reads the entries from a file; the node is where an error belongs.
func (v entries[T]) setNode(n *yaml.Node) (*yaml.Node, error) {
	if n.Kind != yaml.MappingNode || len(n.Content) > 2*v.most {
		return n, fmt.Errorf("expects a mapping of at most %d %s", v.most, v.what)
	}
	all := map[string]T{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, body := n.Content[i], n.Content[i+1]
		id := strings.TrimSpace(name.Value)
		if v.fold {
			id = strings.ToLower(id)
		}
		if _, twice := all[id]; twice || name.Kind != yaml.ScalarNode || id == "" || oneLine(id) != nil {
			return name, fmt.Errorf("expects names of %s, each once", v.what)
		}
		if v.name != nil {
			if _, err := v.name(id); err != nil {
				return name, err
			}
		}
		entry, at, err := v.read(body)
		if err != nil {
			return at, fmt.Errorf("%s: %w", id, err)
		}
		all[id] = entry
	}
	*v.p = all
	return nil, nil
}

func (entries[T]) kind() kind { return mapping }

// String is the entries as JSON, which is YAML that set reads back.
func (v entries[T]) String() string {
	if len(*v.p) == 0 {
		return ""
	}
	b, err := plainjson.Marshal(*v.p)
	if err != nil { // numbers and strings always marshal
		return err.Error()
	}
	return string(b)
}

func (v entries[T]) schema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": v.entry}
}

// perModel is a setting with an entry per model, whose fields are numbers.
func perModel[T any](p *map[string]T) value {
	props, names := map[string]any{}, []string{}
	for field := range reflect.TypeFor[T]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
		props[name] = map[string]any{"type": "number", "minimum": 0}
		if field.Type.Kind() == reflect.Int64 {
			props[name] = map[string]any{"type": "integer", "minimum": 0}
		}
	}
	return entries[T]{
		p: p, what: "models", most: 1000, fold: true, example: "{model-name: {" + names[0] + ": 1}}",
		read:  func(n *yaml.Node) (T, *yaml.Node, error) { return numbersOf[T](n, names) },
		entry: map[string]any{"type": "object", "properties": props, "additionalProperties": false},
	}
}

func numbersOf[T any](n *yaml.Node, names []string) (entry T, at *yaml.Node, err error) {
	if n.Kind != yaml.MappingNode {
		return entry, n, fmt.Errorf("expects a mapping of %s", strings.Join(names, ", "))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, val := n.Content[i], n.Content[i+1]
		at := slices.Index(names, k.Value)
		switch {
		case at < 0:
			return entry, k, fmt.Errorf("%q is not one of %s", k.Value, strings.Join(names, ", "))
		case seen[k.Value]:
			return entry, k, fmt.Errorf("%s is there twice", k.Value)
		}
		seen[k.Value] = true
		x, err := moneyForm.parse(val.Value)
		if val.Kind != yaml.ScalarNode || val.Tag != "!!int" && val.Tag != "!!float" || err != nil || x < 0 || x > 1e12 {
			return entry, val, fmt.Errorf("%s is not a number of 0 or more", k.Value)
		}
		switch field := reflect.ValueOf(&entry).Elem().Field(at); {
		case field.Kind() == reflect.Pointer:
			field.Set(reflect.ValueOf(&x))
		case x != float64(int64(x)):
			return entry, val, fmt.Errorf("%s is not a whole number", k.Value)
		default:
			field.SetInt(int64(x))
		}
	}
	return entry, nil, nil
}

// hooks is a setting with a hook per name.
func hooks(p *map[string]Hook) value {
	list := map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	return entries[Hook]{
		p: p, what: "hooks", most: 50, example: "{name: {command: [program, argument]}}", read: hookOf,
		entry: map[string]any{
			"type": "object", "additionalProperties": false, "required": []string{"command"},
			"properties": map[string]any{"command": list, "calls": list, "timeout": map[string]any{"type": "string"}},
		},
	}
}
