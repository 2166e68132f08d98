package definition_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"belay/internal/authored"
	"belay/internal/workflow/definition"
)

// Covers: attachments 4, attachments 11
//
// Every file of the specification, its "..." filled in so that it is whole, is read,
// as YAML and as JSON, and right to editors. Package test runs them.
func TestFilesOfTheSpecification(t *testing.T) {
	t.Parallel()
	s := editor(t)
	names, err := filepath.Glob("testdata/specification/*.yaml")
	if err != nil || len(names) != 4 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		asYAML, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n, err := authored.Parse(name, asYAML)
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(n.Value())
		if err != nil {
			t.Fatal(err)
		}
		for form, text := range map[string][]byte{"YAML": asYAML, "JSON": asJSON} {
			if _, err := definition.Parse(t.Context(), name, text); err != nil {
				t.Errorf("%s as %s: %v", name, form, err)
			}
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
