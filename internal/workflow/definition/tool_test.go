package definition_test

import (
	"encoding/json"
	"slices"
	"testing"

	"belay/internal/tool"
	"belay/internal/tool/fetch"
	"belay/internal/tool/files"
	"belay/internal/workflow/definition"
)

// What a tool task may give its tool is what the tool takes, and it must give what the
// tool needs. A command is given as a whole, and no job of a turn that has ended.
func TestToolInputsAreTheTools(t *testing.T) {
	t.Parallel()
	all := map[string]tool.Tool{"fetch": &fetch.Tool{}}
	for _, f := range files.New(files.Options{}) {
		all[f.Spec().Name] = f
	}
	for _, name := range definition.ToolNames() {
		known, ok := all[name]
		if name == "bash" {
			continue // it needs a machine that runs commands
		}
		if !ok {
			t.Fatalf("there is no tool %s", name)
		}
		var schema struct {
			Required   []string
			Properties map[string]any
		}
		if err := json.Unmarshal(known.Spec().Schema, &schema); err != nil {
			t.Fatal(err)
		}
		required, others := definition.ToolInputs(name)
		if !slices.Equal(required, schema.Required) || len(required)+len(others) != len(schema.Properties) {
			t.Errorf("%s takes %v and %v, the tool %v of %v", name, required, others, schema.Required, schema.Properties)
		}
		for _, input := range slices.Concat(required, others) {
			if schema.Properties[input] == nil {
				t.Errorf("the tool %s takes no %s", name, input)
			}
		}
	}
}
