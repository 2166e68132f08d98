package persona

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const approved = `{"contextSealed":true,"pipelineRunApproved":true,"approvalRef":" CHG-1 ","approvedBy":"Ada"}`

func delegationRoot(t testing.TB) *Root {
	return open(t, makeRoot(t, map[string]string{
		"agents/AGENT_BOSS.md":           "---\nsubagents: ONE, ONE, TWO-A, TWO_A, GONE, PEER, UNTYPED, LOOSE, RECONCILING, RECONCILIATION\n---\nAGENT_TYPE: 1\n",
		"agents/AGENT_SOLO.md":           "AGENT_TYPE: 1\n",
		"agents/AGENT_NONE.md":           "---\nsubagents: []\n---\nAGENT_TYPE: 1\n",
		"agents/AGENT_LEAD.md":           "---\nsubagents: ONE\n---\nAGENT_TYPE: 2\n",
		"agents/AGENT_WHO.md":            "---\nsubagents: ONE\n---\nno type\n",
		"agents/AGENT_ALONE.md":          "---\nsubagents: GONE\n---\nAGENT_TYPE: 1\n",
		"agents/AGENT_ONE.md":            "AGENT_TYPE: 2\n| **AGENT_CLASS** | TASK |\n",
		"agents/AGENT_TWO_A.md":          "AGENT_TYPE: 2\nAGENT_CLASS: TASK\n",
		"agents/AGENT_PEER.md":           "AGENT_TYPE: 1\n",
		"agents/AGENT_UNTYPED.md":        "```\nAGENT_TYPE: 2\n```\n",
		"agents/AGENT_LOOSE.md":          "AGENT_TYPE: 2\n| **AGENT_CLASS** | PERSONA |\n",
		"agents/AGENT_RECONCILIATION.md": "AGENT_TYPE: 2\nAGENT_CLASS: TASK\n",
	}))
}

func persona(t testing.TB, r *Root, name string) Persona {
	t.Helper()
	p, err := r.Persona(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Covers: workspace 9.7
func TestGovernGates(t *testing.T) {
	t.Parallel()
	r := delegationRoot(t)
	with := func(key, value string) string {
		m := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(approved), &m); err != nil {
			t.Fatal(err)
		}
		if value == "" {
			delete(m, key)
		} else {
			m[key] = json.RawMessage(value)
		}
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	tests := []struct {
		name, persona, metadata, enabled string
		gate                             Gate
		reason                           string
	}{
		{"all pass", "BOSS", approved, "true", GateAllow, ""},
		{"all pass, nobody left", "ALONE", approved, "true", GateAllow, ""},
		{"approvedBy is optional", "BOSS", with("approvedBy", ""), "true", GateAllow, ""},
		{"approvedBy of a wrong type is left out", "BOSS", with("approvedBy", "7"), "true", GateAllow, ""},
		{"white space around the object", "BOSS", " \n" + approved + "\n", "true", GateAllow, ""},
		{"unknown keys", "BOSS", with("more", "{}"), "true", GateAllow, ""},

		{"not enabled", "BOSS", approved, "", GateEnvironment, "subagents.enabled (BELAY_SUBAGENTS_ENABLED, CHIRALITY_ENABLE_SUBAGENTS)"},
		{"enabled with another word", "BOSS", approved, "TRUE", GateEnvironment, `not "true"`},
		{"enabled with blanks", "BOSS", approved, " true", GateEnvironment, `not "true"`},
		{"enabled as a number", "BOSS", approved, "1", GateEnvironment, `not "true"`},
		{"the first gate decides", "SOLO", "null", "false", GateEnvironment, ""},
		{"no subagents", "SOLO", approved, "true", GatePersona, "not allowlisted"},
		{"empty list of subagents", "NONE", approved, "true", GatePersona, "not allowlisted"},
		{"parent is a specialist", "LEAD", approved, "true", GatePersona, "TYPE 2"},
		{"parent without a type", "WHO", approved, "true", GatePersona, "not declared"},
		{"the second gate decides", "SOLO", "null", "true", GatePersona, ""},

		{"absent", "BOSS", "", "true", GateMetadata, "missing or invalid"},
		{"null", "BOSS", "null", "true", GateMetadata, "missing or invalid"},
		{"array", "BOSS", "[" + approved + "]", "true", GateMetadata, "missing or invalid"},
		{"string", "BOSS", `"x"`, "true", GateMetadata, "missing or invalid"},
		{"number", "BOSS", "1", "true", GateMetadata, "missing or invalid"},
		{"true", "BOSS", "true", "true", GateMetadata, "missing or invalid"},
		{"not JSON", "BOSS", "{", "true", GateMetadata, "missing or invalid"},
		{"two objects", "BOSS", approved + approved, "true", GateMetadata, "missing or invalid"},
		{"a key twice", "BOSS", `{"contextSealed":false,` + approved[1:], "true", GateMetadata, "twice"},
		{"empty object", "BOSS", "{}", "true", GateSealed, "strictly true"},
		{"sealed is false", "BOSS", with("contextSealed", "false"), "true", GateSealed, "strictly true"},
		{"sealed is a string", "BOSS", with("contextSealed", `"true"`), "true", GateSealed, "strictly true"},
		{"sealed is 1", "BOSS", with("contextSealed", "1"), "true", GateSealed, "strictly true"},
		{"sealed is null", "BOSS", with("contextSealed", "null"), "true", GateSealed, "strictly true"},
		{"sealed in other case", "BOSS", strings.Replace(approved, "contextSealed", "contextsealed", 1), "true", GateSealed, "strictly true"},
		{"approved is absent", "BOSS", with("pipelineRunApproved", ""), "true", GateApproved, "strictly true"},
		{"approved is an object", "BOSS", with("pipelineRunApproved", `{"v":true}`), "true", GateApproved, "strictly true"},
		{"reference is absent", "BOSS", with("approvalRef", ""), "true", GateRef, "non-empty"},
		{"reference is blank", "BOSS", with("approvalRef", `" \t\ufeff\u00a0"`), "true", GateRef, "non-empty"},
		{"reference is a number", "BOSS", with("approvalRef", "1"), "true", GateRef, "non-empty"},
		{"reference is a list", "BOSS", with("approvalRef", `["x"]`), "true", GateRef, "non-empty"},
		{"reference is null", "BOSS", with("approvalRef", "null"), "true", GateRef, "non-empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var metadata json.RawMessage
			if tt.metadata != "" {
				metadata = json.RawMessage(tt.metadata)
			}
			d := Govern(r, persona(t, r, tt.persona), metadata, tt.enabled)
			if d.Gate != tt.gate || d.Allowed != (tt.gate == GateAllow) || !strings.Contains(d.Reason, tt.reason) || d.Reason == "" {
				t.Fatalf("decision %+v, want gate %s with %q", d, tt.gate, tt.reason)
			}
			if !d.Allowed && (len(d.DelegatedSubagents) > 0 || d.ApprovalRef != "" || d.ApprovedBy != "") {
				t.Errorf("a denial carries an approval: %+v", d)
			}
			if d.DelegatedSubagents == nil || d.AllowlistedSubagents == nil {
				t.Error("a list is nil and would be null in JSON")
			}
		})
	}
}

func TestGovernDelegates(t *testing.T) {
	t.Parallel()
	r := delegationRoot(t)
	d := Govern(r, persona(t, r, "BOSS"), json.RawMessage(approved), "true")
	want := Decision{
		Allowed: true, Gate: GateAllow, Reason: "every gate passed; 4 of 8 subagents may be used",
		AllowlistedSubagents: []string{"ONE", "TWO_A", "GONE", "PEER", "UNTYPED", "LOOSE", "RECONCILING", "RECONCILIATION"},
		DelegatedSubagents:   []string{"ONE", "TWO_A", "LOOSE", "RECONCILIATION"},
		ApprovalRef:          "CHG-1", ApprovedBy: "Ada",
		Problems: []string{
			"subagent GONE has no readable file in the instruction root",
			"subagent PEER: its AGENT_TYPE is TYPE 1; only TYPE 2 can be delegated to",
			"subagent UNTYPED: its AGENT_TYPE is not declared; only TYPE 2 can be delegated to",
		},
		Warnings: []string{"subagent LOOSE should declare AGENT_CLASS TASK"},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever goes wrong inside is a denial, never a delegation and never a panic.
func TestGovernFailsClosed(t *testing.T) {
	t.Parallel()
	r := delegationRoot(t)
	p := persona(t, r, "BOSS")
	if d := Govern(nil, p, json.RawMessage(approved), "true"); d.Allowed || d.Gate != GateInternal || len(d.DelegatedSubagents) > 0 {
		t.Errorf("without a root: %+v", d)
	}
	broken := open(t, makeRoot(t, map[string]string{"docs/PLAN.md": "-"}))
	if d := Govern(broken, p, json.RawMessage(approved), "true"); d.Allowed || d.Gate != GateInternal || d.Reason == "" || d.ApprovalRef != "" {
		t.Errorf("with an invalid root: %+v", d)
	}
}

// No JSON is an approval unless an independent reading of the rule says so.
func FuzzGovern(f *testing.F) {
	for _, s := range []string{
		approved, "{}", "null", "[]", `{"contextSealed":true}`, `{"contextSealed":true,"pipelineRunApproved":true,"approvalRef":""}`,
		approved + "x", `{"contextSealed":false,` + approved[1:], "", " ", "\xff", `{"a":`,
	} {
		f.Add(s)
	}
	r := delegationRoot(f)
	p := persona(f, r, "BOSS")
	f.Fuzz(func(t *testing.T, metadata string) {
		d := Govern(r, p, json.RawMessage(metadata), "true")
		var m map[string]any
		err := json.Unmarshal([]byte(metadata), &m)
		ref, _ := m["approvalRef"].(string)
		rule := err == nil && m["contextSealed"] == true && m["pipelineRunApproved"] == true && trim(ref) != ""
		if d.Allowed && !rule {
			t.Fatalf("allowed %q: %+v", metadata, d)
		}
		if rule && !d.Allowed && !strings.Contains(d.Reason, "twice") {
			t.Fatalf("denied %q: %+v", metadata, d)
		}
		if d.Allowed != (d.Gate == GateAllow) || d.Gate == GateInternal {
			t.Fatalf("gate %s for %q", d.Gate, metadata)
		}
	})
}
