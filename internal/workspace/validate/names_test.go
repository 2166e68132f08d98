package validate

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A folder bears the name that the decomposition gives it, or any that the decomposition
// spells for its id.
// Covers: workspace 10.2
func TestFolderNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		folder, decomposition string
		differs               bool
	}{
		"the name":                     {"DEL-01-01_Drainage Plan", "| DEL-01-01 | Drainage Plan |", false},
		"underlines for blanks":        {"DEL-01-01_Drainage_Plan", "| DEL-01-01 | Drainage Plan |", false},
		"characters that are not safe": {"DEL-01-01_Drainage- Plan", "| DEL-01-01 | Drainage: Plan |", false},
		"the short name":               {"DEL-01-01_Drainage", "| DEL-01-01_Drainage | Drainage Plan |", false},
		"the short name in code":       {"DEL-01-01_Drainage", "| DEL-01-01 | Drainage Plan |\n\nIt is in `1_Working/DEL-01-01_Drainage/`.", false},
		"the short name in a tree":     {"DEL-01-01_Drainage", "| DEL-01-01 | Drainage Plan |\n\n```\n  DEL-01-01_Drainage\n```", false},
		"a part of a short name":       {"DEL-01-01_Drain", "| DEL-01-01_Drainage | Drainage Plan |", true},
		"a short name that goes on":    {"DEL-01-01_Drainage", "| DEL-01-01_Drainage-Plan | The plan |", true},
		"the short name of another":    {"DEL-01-01_Drainage", "| DEL-01-01 | Plan |\n| DEL-01-02_Drainage | Other |", true},
		"another name":                 {"DEL-01-01_Sewers", "| DEL-01-01 | Drainage Plan |", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"_Decomposition/plan.md": "### PKG-01 — Site Works\n\n| DeliverableID | Name |\n|---|---|\n" + c.decomposition + "\n",
				"PKG-01_Site Works/1_Working/" + c.folder + "/": ""}
			got := false
			for _, f := range validated(t, write(t, files), Options{}).Findings {
				if f.Code == ruleFolderName.Code {
					got = true
					if !strings.Contains(f.Fix, "once nothing refers to its old name") {
						t.Errorf("the fix is %q", f.Fix)
					}
				}
			}
			if got != c.differs {
				t.Errorf("reported %v", got)
			}
		})
	}
}

// The sections of _CONTEXT.md are compared with the definition; what the decomposition
// leaves open is not.
// Covers: workspace 4.1
func TestContextContents(t *testing.T) {
	t.Parallel()
	const context = "# Context: DEL-01-01\n\n**Name:** Drainage Plan\n**Package:** PKG-01 Site Works\n**Discipline:** Civil\n**Type:** DOCUMENT\n**Responsible:** Lead\n\n" +
		"## Description\nDrains the **site**,\nall of it.\n\n## Acceptance Criteria\n- No pond\n- No flood\n\n## Anticipated Artifacts\n- Plan\n- Table\n\n" +
		"## Scope Traceability\n- Scope items: SOW-001 to SOW-003\n- Objectives: OBJ-001\n\n" +
		"## Decomposition Reference\n- **Decomposition file:** _Decomposition/plan.md\n- **Deliverable ID:** DEL-01-01\n"
	const head = "| DeliverableID | Name | Discipline | Type | ResponsibleParty | Description | AcceptanceCriteria | AnticipatedArtifacts | CoversScopeItems | SupportsObjectives |\n|---|---|---|---|---|---|---|---|---|---|\n"
	const full = "| DEL-01-01 | Drainage Plan | Civil | DOCUMENT | Lead | Drains the site, all of it. | No pond<br>No flood | Plan; table | SOW-001, SOW-002, SOW-003 | OBJ-001 |\n"
	for name, c := range map[string]struct {
		from, to, row string
		want          []string
	}{
		"nothing":       {},
		"nothing known": {row: "| DEL-01-01 | Drainage Plan | Civil | DOCUMENT | Lead | TBD | | N/A | | |\n"},
		"another description": {from: "all of it", to: "half of it",
			want: []string{`CONTEXT_DESCRIPTION_DIFFERS DEL/_CONTEXT.md:9 the section Description says "Drains the **site**, half of it.", the decomposition "Drains the site, all of it."`}},
		"no description": {from: "Drains the **site**,\nall of it.", to: "TBD",
			want: []string{`CONTEXT_DESCRIPTION_DIFFERS DEL/_CONTEXT.md:9 the section Description says nothing, the decomposition "Drains the site, all of it."`}},
		"a criterion less":      {from: "- No flood\n", want: []string{`CONTEXT_ACCEPTANCE_DIFFERS DEL/_CONTEXT.md:13 the section Acceptance Criteria says "No pond", the decomposition "No pond No flood"`}},
		"criteria with numbers": {from: "- No pond\n- No flood", to: "1. No pond\n2. no flood"},
		"an artifact more":      {from: "- Table\n", to: "- Table\n- Model\n", want: []string{`CONTEXT_ARTIFACTS_DIFFER DEL/_CONTEXT.md:17 the section Anticipated Artifacts says "Plan Table Model", the decomposition "Plan table"`}},
		"no artifacts":          {from: "- Plan\n- Table\n"},
		"a scope item less":     {from: "SOW-001 to SOW-003", to: "SOW-1, SOW-002", want: []string{"CONTEXT_SCOPE_DIFFERS DEL/_CONTEXT.md:21 the file lacks SOW-003"}},
		"another scope item":    {from: "SOW-001 to SOW-003", to: "SOW-001, SOW-002, SOW-004", want: []string{"CONTEXT_SCOPE_DIFFERS DEL/_CONTEXT.md:21 the file lacks SOW-003; it names beyond the decomposition SOW-004"}},
		"scope in sections":     {from: "## Scope Traceability\n- Scope items: SOW-001 to SOW-003\n- Objectives: OBJ-001\n", to: "## Scope Traceability\nSOW-001\nSOW-002: the lot\nSOW-003\n\n## Objective Support\nOBJ-001\n"},
		"no objective":          {from: "- Objectives: OBJ-001\n", want: []string{"CONTEXT_OBJECTIVES_DIFFER DEL/_CONTEXT.md:21 the file lacks OBJ-001"}},
		"an item in the prose":  {from: "all of it.", to: "all of it. ", row: strings.ReplaceAll(full, "| SOW-001, SOW-002, SOW-003 | OBJ-001 |", "| SOW-001–SOW-003 | OBJ-001 |")},
		"an item in a comment":  {from: "- Objectives: OBJ-001\n", to: "<!--\n- Scope items: SOW-009\n-->\n- Objectives: OBJ-001\n"},
		"a range with a gap":    {from: "SOW-001 to SOW-003", to: "SOW-001, SOW-003", row: strings.ReplaceAll(full, "SOW-001, SOW-002, SOW-003", "SOW-001–SOW-003") + "\n| ScopeItemID | Statement |\n|---|---|\n| SOW-001 | a |\n| SOW-003 | c |\n\n| ObjectiveID | Objective |\n|---|---|\n| OBJ-001 | o |\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := sound()
			if c.from != "" && !strings.Contains(context, c.from) {
				t.Fatalf("there is no %q", c.from)
			}
			files[del+"_CONTEXT.md"] = strings.Replace(context, c.from, c.to, 1)
			row := full
			if c.row != "" {
				row = c.row
			}
			files["_Decomposition/plan.md"] = "# Bridge\n\n### PKG-01 — Site Works\n\n" + head + row
			got := told(validated(t, write(t, files), Options{}).Findings)
			slices.Sort(got)
			if diff := cmp.Diff(append([]string{}, c.want...), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
