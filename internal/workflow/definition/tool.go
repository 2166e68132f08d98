package definition

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"belay/internal/authored"
	"belay/internal/nearest"
	"belay/internal/permit"
	"belay/internal/template"
)

// toolShape is what a tool takes and gives in a tool task. A test holds it against the
// tools themselves.
type toolShape struct {
	name             string
	required, others []string
	gives            []string
}

// tools are those that a task can call without a model, the first being what models call
// most.
var tools = []toolShape{
	{"read", []string{"path"}, []string{"offset", "limit"}, []string{"path", "content"}},
	{"write", []string{"path", "content"}, nil, []string{"path", "bytes"}},
	{"fetch", []string{"url"}, nil, []string{"url", "status", "type", "content"}},
	{"bash", []string{"command"}, []string{"dir", "timeout_ms", "outside", "reason", "write", "description"}, []string{"exit_code", "output"}},
}

// toolTypes are the inputs of tools that are no text.
var toolTypes = map[string]string{"offset": "integer", "limit": "integer", "timeout_ms": "integer", "outside": "boolean", "write": "boolean"}

// ToolNames are the tools that a tool task can name.
func ToolNames() []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.name
	}
	return names
}

// ToolInput is the schema of a tool's input in a task, nil for no such tool.
func ToolInput(name string) *Schema { return toolInputs()[name] }

var toolInputs = sync.OnceValue(func() map[string]*Schema {
	all := map[string]*Schema{}
	for _, t := range tools {
		properties, required := map[string]any{}, []any{}
		for _, input := range slices.Concat(t.required, t.others) {
			properties[input] = map[string]any{"type": "string"}
			if other, ok := toolTypes[input]; ok {
				properties[input] = map[string]any{"type": other}
			}
		}
		for _, input := range t.required {
			required = append(required, input)
		}
		s, err := newSchema(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
		if err != nil {
			panic(err) // it is made of the table above
		}
		all[t.name] = s
	}
	return all
})

// ToolExample is a value of the type of a tool's input, for one that is not known.
func ToolExample(tool, input string) any {
	switch toolTypes[input] {
	case "integer":
		return int64(1)
	case "boolean":
		return false
	}
	return tool
}

func toolNamed(name string) toolShape {
	if i := slices.IndexFunc(tools, func(t toolShape) bool { return t.name == name }); i >= 0 {
		return tools[i]
	}
	return toolShape{}
}

// toolResult is what is known of a tool's result. A tool that shows a file, such as an
// image, gives a text instead.
func toolResult(name string) result {
	if name == "" {
		return anyResult
	}
	fields := map[string]result{"response": textResult}
	for _, field := range toolNamed(name).gives {
		fields[field] = anyResult
	}
	return fieldsOf(fields)
}

// toolInput refuses inputs that the tool does not take, those that it lacks, and values
// that are written in the file and do not fit.
func (d *decoder) toolInput(o *authored.Object, t *Task) {
	with := o.Field("with")
	tool := toolNamed(t.Tool)
	if with == nil || tool.name == "" {
		return
	}
	known := slices.Concat(tool.required, tool.others)
	takes := "it takes " + strings.Join(known, ", ")
	mistyped := false
	for _, f := range with.Fields {
		if slices.Contains(known, f.Name) {
			continue
		}
		hint := takes
		if meant := nearest.Of(f.Name, known); meant != "" {
			hint, mistyped = "did you mean "+meant+"?", true
		}
		d.report.Beyond(authored.RuleReference, f.Value, o.Path("with")+"."+f.Name, hint, "the tool %s takes no %q", tool.name, f.Name)
	}
	for _, name := range tool.required {
		if with.Field(name) == nil && !mistyped {
			o.Beyond(authored.RuleReference, "with", takes, "the tool %s needs %s", tool.name, name)
		}
	}
	d.literals(ToolInput(t.Tool), with, o.Path("with"), "the tool "+tool.name, nil)
	if command := with.Field("command"); command != nil && command.Kind == authored.Text && !strings.Contains(command.Text, "{{") {
		if mistake := permit.Broken(command.Text); mistake != "" {
			d.report.Beyond(authored.RuleReference, command, o.Path("with")+".command", "", "no shell takes the command: %s", mistake)
		}
	}
}

// actionInput refuses what does not fit the input of a task's action, where that follows from
// the file.
func (s sight) actionInput(t *Task) {
	input := t.Action.Input
	if input == nil || input.compiled == nil {
		return
	}
	who := "the action " + t.Action.ID
	if with := s.roots["with"]; with.closed {
		given := slices.Sorted(maps.Keys(with.fields))
		for _, name := range input.demands() {
			if _, ok := with.fields[name]; ok {
				continue
			}
			hint := "give it in with"
			if i := slices.IndexFunc(given, func(g string) bool { return nearest.Of(g, []string{name}) == name }); i >= 0 {
				hint = "write " + name + " in place of " + given[i]
			}
			at := cmp.Or(t.At.Field("with"), t.At)
			s.d.report.Beyond(authored.RuleReference, at, t.Path+".with", hint, "%s needs %q, and the task is not given it", who, name)
		}
	}
	layers := t.layers()
	for i, tree := range layers {
		if tree != nil {
			at, path := tree.Node()
			s.d.literals(input, at, path, who, layers[i+1:])
		}
	}
}

// literals refuses the values of a mapping that are written in the file and do not fit a
// schema. Those that a later layer replaces do not count.
func (d *decoder) literals(s *Schema, with *authored.Node, path, who string, later []*template.Tree) {
	for _, f := range s.literals(with) {
		if slices.ContainsFunc(later, func(t *template.Tree) bool { return slices.Contains(t.Names(), f.Place[0]) }) {
			continue
		}
		if !slices.ContainsFunc(with.Fields, func(field authored.Field) bool { return field.Name == f.Place[0] }) {
			continue
		}
		at, where := descend(with, path, f.Place)
		hint := ""
		if strings.HasSuffix(f.Text, "want string") && at.Kind != authored.List && at.Kind != authored.Map {
			hint = "put it in quotes"
		}
		d.report.Beyond(authored.RuleReference, at, where, hint, "it does not fit the input of %s: %s", who, f.Text)
	}
}

// descend follows a place from a value until a step leads nowhere.
func descend(at *authored.Node, path string, place []string) (*authored.Node, string) {
	for _, step := range place {
		next := at.Child(step)
		if next == nil {
			break
		}
		at, path = next, path+"."+step
	}
	return at, path
}
