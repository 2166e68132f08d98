package persona

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Covers: workspace 9.1, workspace 9.2, workspace 9.3, workspace 9.5, workspace 14.2
func TestEmbeddedSet(t *testing.T) {
	t.Parallel()
	r := open(t, "")
	for _, e := range entries {
		if _, err := r.stat(e.name); err != nil {
			t.Errorf("the embedded set lacks %s", e.name)
		}
	}
	list, err := r.List()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Type{
		"4_DOCUMENTS": Specialist, "AUDIT_AGENTS": Specialist, "PREPARATION": Specialist, "PROJECT_DECOMP": Manager,
		"AGGREGATION": Specialist, "CHANGE": Manager, "DEPENDENCIES": Specialist, "HELPS_HUMANS": Architect, "HELP_HUMAN": Manager,
		"ORCHESTRATOR": Manager, "RECONCILIATION": Manager, "TASK": Specialist, "WORKING_ITEMS": Manager,
	}
	scopes := map[string]bool{
		"repo-wide": true, "project-level": true, "deliverable-local": true, "tool-root-only": true,
		"workspace-scaffold-only": true, "repo-metadata-only": true, "none": true,
	}
	surfaces := map[string]bool{"chat": true, "INIT-TASK": true, "spawned": true, "both": true}
	if len(list) != len(want) {
		t.Errorf("%d personas, want %d", len(list), len(want))
	}
	for _, s := range list {
		if s.Type != want[s.ID] {
			t.Errorf("%s is %q, want %q", s.ID, s.Type, want[s.ID])
		}
		class := ClassPersona
		if s.Type == Specialist {
			class = ClassTask
		}
		if s.Class != class || !scopes[s.WriteScope] || !surfaces[s.Surface] || s.Outputs == "" || s.Description == "" ||
			s.Blocking != "never" && s.Blocking != "allowed" || len(s.Warnings) > 0 {
			t.Errorf("%s: %+v", s.ID, s)
		}
		p := persona(t, r, s.ID)
		if !strings.HasPrefix(p.Body, "[[DOC:AGENT_INSTRUCTIONS]]\n# AGENT INSTRUCTIONS — "+s.ID+" (") {
			t.Errorf("%s does not begin with the required header", s.ID)
		}
		if !strings.Contains(p.Body, "\nAGENT_TYPE: "+string(s.Type)[len("TYPE "):]+"\n") {
			t.Errorf("%s has no AGENT_TYPE line that agrees with its table", s.ID)
		}
		at := 0
		for _, section := range []string{"PROTOCOL", "SPEC", "STRUCTURE", "RATIONALE"} {
			for _, mark := range []string{"[[BEGIN:" + section + "]]", "[[END:" + section + "]]"} {
				i := strings.Index(p.Body, mark)
				if strings.Count(p.Body, mark) != 1 || i < at {
					t.Errorf("%s: %s is missing, doubled or out of order", s.ID, mark)
				}
				at = i
			}
		}
		if !strings.HasPrefix(p.Source.Path, "embedded:agents/AGENT_") {
			t.Errorf("%s: source %q", s.ID, p.Source.Path)
		}
	}
	if p := persona(t, r, "WORKING_ITEMS"); p.WriteScope != "project-level" {
		t.Errorf("the default persona writes %q", p.WriteScope)
	}
	for alias, id := range aliases {
		if p := persona(t, r, alias); p.ID != id {
			t.Errorf("%s leads to %s, want %s", alias, p.ID, id)
		}
	}
	d := Govern(r, persona(t, r, "ORCHESTRATE"), json.RawMessage(approved), "true")
	if fmt.Sprint(d.DelegatedSubagents) != "[TASK]" {
		t.Errorf("ORCHESTRATOR delegates to %v: %+v", d.DelegatedSubagents, d)
	}
}

func TestEmbeddedPersonaNotFound(t *testing.T) {
	t.Parallel()
	_, err := open(t, "").Persona("../../go")
	if err == nil || !strings.Contains(err.Error(), "../../go") {
		t.Errorf("error is %v", err)
	}
}
