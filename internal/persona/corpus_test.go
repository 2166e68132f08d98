package persona

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// corpus returns a folder of real project files, which are not part of the
// repository.
func corpus(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("BELAY_CORPUS")
	if dir == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("BELAY_CORPUS is not set; CI runs every test")
		}
		t.Skip("skipped: BELAY_CORPUS does not name the folder of real project files")
	}
	return filepath.Join(dir, name)
}

// The instruction files of a real project, counted by hand.
//
// Covers: workspace 9.7
func TestCorpus(t *testing.T) {
	t.Parallel()
	r := open(t, corpus(t, "instruction-root"))
	list, err := r.List()
	if err != nil {
		t.Fatal(err)
	}
	byType := map[Type][]string{}
	subagents := map[string][]string{}
	for _, s := range list {
		byType[s.Type] = append(byType[s.Type], s.ID)
		if len(s.Subagents) > 0 {
			subagents[s.ID] = s.Subagents
		}
		if len(s.Warnings) > 0 || s.Tools != nil || s.Description == "" || s.Class == "" || s.Surface == "" || s.WriteScope == "" || s.Blocking == "" {
			t.Errorf("%s: %+v", s.ID, s)
		}
		p := persona(t, r, strings.ReplaceAll(s.ID, "_", "-"))
		if p.Model != "" || p.MaxTurns != 0 || !strings.HasPrefix(p.Body, "[[DOC:AGENT_INSTRUCTIONS]]") {
			t.Errorf("%s: model %q, turns %d, body %.40q", s.ID, p.Model, p.MaxTurns, p.Body)
		}
	}
	if diff := cmp.Diff([]string{"DECOMP_BASE", "HELPS_HUMANS"}, byType[Architect]); diff != "" {
		t.Errorf("type 0 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"CHANGE", "CONTEXT_TRANSPOSE", "DOMAIN_DECOMP", "HELP_HUMAN", "ORCHESTRATOR", "PROJECT_DECOMP",
		"RECONCILIATION", "REVIEW", "SCHEDULING", "SCOPE_CHANGE", "SOFTWARE_DECOMP", "WORKING_ITEMS",
	}, byType[Manager]); diff != "" {
		t.Errorf("type 1 (-want +got):\n%s", diff)
	}
	if len(list) != 29 || len(byType[Specialist]) != 15 {
		t.Errorf("%d files, %d of type 2; want 29 and 15", len(list), len(byType[Specialist]))
	}
	if diff := cmp.Diff(map[string][]string{
		"ORCHESTRATOR":   {"PREPARATION", "4_DOCUMENTS", "DOMAIN_DOCUMENTS", "DEPENDENCIES", "CHIRALITY_FRAMEWORK", "CHIRALITY_LENS"},
		"RECONCILIATION": {"AUDIT_DEP_CLOSURE", "AUDIT_AGENTS", "AUDIT_DECOMP"},
	}, subagents); diff != "" {
		t.Errorf("subagents (-want +got):\n%s", diff)
	}
	for _, name := range []string{"ORCHESTRATE", "RECONCILING"} {
		p := persona(t, r, name)
		d := Govern(r, p, []byte(approved), "true")
		if diff := cmp.Diff(p.Subagents, d.DelegatedSubagents); diff != "" || len(d.Problems)+len(d.Warnings) > 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if model, err := r.GlobalModel(); err != nil || model != "" {
		t.Errorf("GlobalModel = %q, %v", model, err)
	}
}
