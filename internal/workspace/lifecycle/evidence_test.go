package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEvidence: what a state rests on and is not there.
//
// Covers: workspace 2.1, 3.2, 12.3
func TestEvidence(t *testing.T) {
	t.Parallel()
	kit := map[string]Content{"Datasheet.md": Filled, "Specification.md": Filled, "Guidance.md": Filled, "Procedure.md": Filled}
	with := func(name string, c Content) map[string]Content {
		all := map[string]Content{name: c}
		for n, content := range kit {
			if n != name {
				all[n] = content
			}
		}
		return all
	}
	for name, c := range map[string]struct {
		state State
		has   map[string]Content
		want  []string
	}{
		"nothing yet":         {Open, nil, nil},
		"no kit":              {Initialized, nil, []string{"DOCUMENT_KIT_MISSING DEL"}},
		"an empty document":   {Checking, with("Guidance.md", Empty), []string{"DOCUMENT_EMPTY DEL/Guidance.md"}},
		"a binary document":   {Open, with("Guidance.md", NotText), []string{"DOCUMENT_NOT_TEXT DEL/Guidance.md"}},
		"no semantic lens":    {SemanticReady, kit, []string{"SEMANTIC_MISSING DEL"}},
		"a placeholder":       {SemanticReady, with("_SEMANTIC.md", Placeholder), []string{"SEMANTIC_PLACEHOLDER DEL/_SEMANTIC.md"}},
		"an empty one":        {SemanticReady, with("_SEMANTIC.md", Empty), []string{"SEMANTIC_PLACEHOLDER DEL/_SEMANTIC.md"}},
		"a generated one":     {SemanticReady, with("_SEMANTIC.md", Filled), nil},
		"without it, further": {InProgress, kit, nil},
	} {
		var got []string
		for _, f := range Evidence("DEL", c.state, func(name string) Content { return c.has[name] }) {
			got = append(got, f.Code+" "+f.Path)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
