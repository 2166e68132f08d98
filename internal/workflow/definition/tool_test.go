package definition_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		type input struct {
			Required   []string
			Properties map[string]struct{ Type string }
		}
		var schema, own input
		if err := json.Unmarshal(known.Spec().Schema, &schema); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(definition.ToolInput(name).Source)
		if err == nil {
			err = json.Unmarshal(text, &own)
		}
		if diff := cmp.Diff(schema, own); err != nil || diff != "" {
			t.Errorf("%s (-the tool +a tool task): %v\n%s", name, err, diff)
		}
	}
}
