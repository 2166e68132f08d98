package definition

import (
	"slices"
	"strings"

	"belay/internal/authored"
	"belay/internal/nearest"
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

// ToolNames are the tools that a tool task can name.
func ToolNames() []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.name
	}
	return names
}

// ToolInputs are the inputs that a tool takes in a task, those that it needs first.
func ToolInputs(name string) (required, others []string) {
	t := toolNamed(name)
	return t.required, t.others
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
	fields := map[string]result{"response": textResult}
	for _, field := range toolNamed(name).gives {
		fields[field] = anyResult
	}
	return fieldsOf(fields)
}

// toolInput refuses inputs that the tool does not take, and those that it lacks.
func (d *decoder) toolInput(o *authored.Object, t *Task) {
	with := o.Field("with")
	tool := toolNamed(t.Tool)
	if with == nil || tool.name == "" {
		return
	}
	known := slices.Concat(tool.required, tool.others)
	mistyped := false
	for _, f := range with.Fields {
		if slices.Contains(known, f.Name) {
			continue
		}
		hint := "it takes " + strings.Join(known, ", ")
		if meant := nearest.Of(f.Name, known); meant != "" {
			hint, mistyped = "did you mean "+meant+"?", true
		}
		d.report.Beyond(authored.RuleReference, f.Value, o.Path("with")+"."+f.Name, hint, "the tool %s takes no %q", tool.name, f.Name)
	}
	for _, name := range tool.required {
		if with.Field(name) == nil && !mistyped {
			o.Beyond(authored.RuleReference, "with", "", "the tool %s needs %s", tool.name, name)
		}
	}
}
