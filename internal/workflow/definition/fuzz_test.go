package definition_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"belay/internal/authored"
	"belay/internal/workflow/definition"
)

// Property: whatever is in a file, it is a workflow without a problem, or has problems
// in the file's order, each of a known rule and with words.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	names, _ := filepath.Glob("testdata/specification/*.yaml")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("id: ~\nschemas: [{id: ~}, {id: s, properties: [1]}, 3]\nagents: [~, {id: [x], model: {provider: {}}}]\ntasks: [{type: collection, task: {tasks: 1}}]"))
	f.Add([]byte(`{"tasks":[{"type":"router","routes":{"a":null},"condition":"{{"},{"id":1e400,"attachments":[{"type":"{{","urls":[[]]}]}]}`))
	rules := append([]authored.Rule{authored.RuleShape}, rulesBeyondSchema...)
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := definition.Parse(t.Context(), "w.yaml", text)
		var wrong *authored.Error
		switch {
		case err == nil && (w == nil || w.ID == "" || len(w.Tasks) == 0 || w.Tasks[0] == nil):
			t.Errorf("%q is taken, and is no workflow", text)
		case err != nil && !errors.As(err, &wrong):
			t.Errorf("%q: %v", text, err)
		case err != nil:
			for i, p := range wrong.Problems {
				if p.Message == "" || !slices.Contains(rules, p.Rule) || i > 0 && p.Line < wrong.Problems[i-1].Line {
					t.Errorf("%q: problem %d is %+v", text, i, p)
				}
			}
		}
	})
}
