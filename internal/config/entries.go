package config

import (
	"errors"
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
	// read reads an entry, and reports all that is wrong with it.
	read func(n *yaml.Node, wrong *badNodes) T
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
	return v.setNode(doc.Content[0])
}

// setNode reads the entries from a file. Its error is of the whole, or [badNodes].
func (v entries[T]) setNode(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode || len(n.Content) > 2*v.most {
		return fmt.Errorf("expects a mapping of at most %d %s", v.most, v.what)
	}
	all := map[string]T{}
	var wrong badNodes
	for i := 0; i+1 < len(n.Content); i += 2 {
		id, err := v.id(n.Content[i])
		if _, twice := all[id]; err == nil && twice {
			err = v.unnamed()
		}
		if err != nil {
			wrong.add(n.Content[i], "", err)
			continue
		}
		var of badNodes
		all[id] = v.read(n.Content[i+1], &of)
		for _, bad := range of {
			wrong.add(bad.at, strings.TrimSuffix(id+"."+bad.path, "."), bad.err)
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	*v.p = all
	return nil
}

// id is the name of an entry.
func (v entries[T]) id(n *yaml.Node) (string, error) {
	id := strings.TrimSpace(n.Value)
	if v.fold {
		id = strings.ToLower(id)
	}
	if n.Kind != yaml.ScalarNode || id == "" || oneLine(id) != nil {
		return "", v.unnamed()
	}
	if v.name == nil {
		return id, nil
	}
	return v.name(id)
}

func (v entries[T]) unnamed() error { return fmt.Errorf("expects names of %s, each once", v.what) }

// readFields calls read with each field of an entry, and reports what is no mapping of these
// names, each once, and the errors of read. It is false for what is no mapping.
func readFields(n *yaml.Node, names []string, wrong *badNodes, read func(name string, val *yaml.Node) error) bool {
	if n.Kind != yaml.MappingNode {
		wrong.add(n, "", fmt.Errorf("expects a mapping of %s", strings.Join(names, ", ")))
		return false
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, val := n.Content[i], n.Content[i+1]
		switch {
		case !slices.Contains(names, k.Value):
			wrong.add(k, "", fmt.Errorf("%.60q is not one of %s", k.Value, strings.Join(names, ", ")))
		case seen[k.Value]:
			wrong.add(k, k.Value, errors.New("is there twice; remove one"))
		default:
			wrong.add(val, k.Value, read(k.Value, val))
		}
		seen[k.Value] = true
	}
	return true
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
		read:  func(n *yaml.Node, wrong *badNodes) T { return numbersOf[T](n, names, wrong) },
		entry: map[string]any{"type": "object", "properties": props, "additionalProperties": false},
	}
}

func numbersOf[T any](n *yaml.Node, names []string, wrong *badNodes) (entry T) {
	readFields(n, names, wrong, func(name string, val *yaml.Node) error {
		x, err := moneyForm.parse(val.Value)
		if val.Kind != yaml.ScalarNode || val.Tag != "!!int" && val.Tag != "!!float" || err != nil || x < 0 || x > 1e12 {
			return errors.New("is not a number of 0 or more")
		}
		switch field := reflect.ValueOf(&entry).Elem().Field(slices.Index(names, name)); {
		case field.Kind() == reflect.Pointer:
			field.Set(reflect.ValueOf(&x))
		case x != float64(int64(x)):
			return errors.New("is not a whole number")
		default:
			field.SetInt(int64(x))
		}
		return nil
	})
	return entry
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
