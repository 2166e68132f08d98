package register

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const canonicalSummary = `# Dependencies: DEL-01-02 Some Name

## Dependency Tracking Mode
- **Mode:** TRACKED
- **Register:** Dependencies.csv (schema v3.1)

---

## Declared Upstream (I need these before I can proceed)
Dependencies coordinated externally by humans.

## Declared Downstream (These need me)
- DEL-01-09, see **Total ACTIVE rows:** 99

---

## Extracted Dependency Register
**Run date:** 2026-01-02
**Schema version:** v3.1
**Total ACTIVE rows:** 2
**ANCHOR rows (ACTIVE):** 1 (1 parent + 0 trace)
**EXECUTION rows (ACTIVE):** 1
**RETIRED rows:** 0

### ANCHOR Rows

| DependencyID | AnchorType | TargetType | TargetRefID / TargetName | Confidence |
|---|---|---|---|---|
| DEP-01-02-001 | IMPLEMENTS_NODE | WBS_NODE | SOW-1 |  |

### EXECUTION Rows (summary)

| DependencyID | Dir | DependencyType | TargetType | Target | Confidence |
|---|---|---|---|---|---|
| DEP-01-02-002 | UP | INTERFACE | DELIVERABLE | as people call it |  |

---

## Lifecycle Summary

| Status | Count |
|---|---|
| **ACTIVE** | **2** |
| RETIRED | 0 |

| SatisfactionStatus | Count |
|---|---|
| TBD | 2 |

---

## Run Notes
- As it was.

## Run History
| Run | Timestamp | Mode | Warnings | ActiveAnchors | ACTIVE_EXECUTION | RETIRED | Total |
|---|---|---|---|---|---|---|---|
| 1 | 2026-01-02 | UPDATE | None | 1 | 1 | 0 | 2 |
`

func summaryCodes(t *testing.T, text string, r *Register) []string {
	t.Helper()
	var codes []string
	for _, f := range ParseSummary([]byte(text)).Check("_DEPENDENCIES.md", host, r) {
		codes = append(codes, f.Code)
		if !f.Extra || f.Message == "" || f.Fix == "" || f.Path == "" {
			t.Errorf("half a finding: %+v", f)
		}
	}
	return codes
}

// Covers: workspace 5.2, 5.3
func TestSummaryCheck(t *testing.T) {
	t.Parallel()
	r := put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002"))
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"as it should be":    {"", "", nil},
		"another title":      {"# Dependencies: DEL-01-02", "# Dependencies: DEL-01-03", []string{"DEPENDENCIES_TITLE"}},
		"no title":           {"# Dependencies:", "Dependencies:", []string{"DEPENDENCIES_TITLE"}},
		"no mode":            {"- **Mode:** TRACKED", "", []string{"TRACKING_MODE_MISSING"}},
		"a status":           {"- **Mode:** TRACKED", "**Dependency Tracking Status:** TRACKED", nil},
		"a status, plain":    {"- **Mode:** TRACKED", "Dependency Tracking Status: `TRACKED`", nil},
		"another mode":       {"TRACKED", "FULL_GRAPH", []string{"TRACKING_MODE_UNKNOWN"}},
		"a mode that is not": {"TRACKED", "DECLARED", []string{"TRACKING_MODE_DISAGREES"}},
		"another place":      {"## Dependency Tracking Mode", "## Coordination", []string{"TRACKING_MODE_PLACE", "DEPENDENCIES_SECTION_NAME"}},
		"another heading":    {"## Declared Upstream", "## Upstream Dependencies", []string{"DEPENDENCIES_SECTION_NAME"}},
		"no section":         {"## Run History", "", []string{"DEPENDENCIES_SECTION_MISSING"}},
		"a wrong number":     {"**Total ACTIVE rows:** 2", "**Total ACTIVE rows:** 3", []string{"DEPENDENCIES_COUNT"}},
		"wrong parents":      {"1 parent + 0", "0 parent + 1", []string{"DEPENDENCIES_COUNT", "DEPENDENCIES_COUNT"}},
		"a wrong cell":       {"| TBD | 2 |", "| TBD | 1 |", []string{"DEPENDENCIES_COUNT"}},
		"words behind":       {"rows:** 0", "rows:** 0\n- **Summary:** 1 ANCHOR row, 1 EXECUTION (1 HANDOVER)", nil},
		"wrong words behind": {"rows:** 0", "rows:** 0\n- **Summary:** 2 ANCHOR rows + 1 EXECUTION", []string{"DEPENDENCIES_COUNT"}},
		"unknown words":      {"rows:** 0", "rows:** 0\n- **Summary:** 9 rows of the last run", nil},
		"no register line":   {"- **Register:** Dependencies.csv (schema v3.1)", "", []string{"DEPENDENCIES_REGISTER_LINE"}},
		"no labelled lines":  {"**Run date:** 2026-01-02\n**Schema version:** v3.1", "", []string{"DEPENDENCIES_COUNTS_MISSING"}},
		"an unknown row":     {"| DEP-01-02-002 |", "| DEP-01-02-003 |", []string{"DEPENDENCIES_ROW_UNKNOWN", "DEPENDENCIES_ROW_MISSING"}},
		"not text":           {"TRACKED", "TRA\x00CKED", []string{"DEPENDENCIES_NOT_TEXT"}},
	} {
		got := summaryCodes(t, strings.Replace(canonicalSummary, c.old, c.new, 1), r)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]string{"TRACKED_WITHOUT_REGISTER"}, summaryCodes(t, canonicalSummary, nil)); diff != "" {
		t.Error(diff)
	}
}

func TestHumanParts(t *testing.T) {
	t.Parallel()
	same := []func(string) string{
		func(s string) string { return strings.Replace(s, "**Total ACTIVE rows:** 2", "x", 1) },
		func(s string) string { return strings.Replace(s, "\n---\n", "\n\n", 1) },
		func(s string) string { return s + "\n## Something else\nof agents\n" },
	}
	other := []func(string) string{
		func(s string) string { return strings.Replace(s, "TRACKED", "DECLARED", 1) },
		func(s string) string { return strings.Replace(s, "coordinated externally", "x", 1) },
		func(s string) string { return strings.Replace(s, "## Declared Upstream", "## Else", 1) },
		func(s string) string { return strings.Replace(s, "99", "98", 1) },
	}
	aliased := strings.NewReplacer("## Dependency Tracking Mode\n", "", "Declared Upstream (I", "Upstream (I", "Declared Downstream (These", "Downstream Dependents (These").Replace(canonicalSummary)
	for _, text := range []string{canonicalSummary, aliased} {
		for i, change := range same {
			if !slices.Equal(HumanParts([]byte(text)), HumanParts([]byte(change(text)))) {
				t.Errorf("change %d is taken for one of people's", i)
			}
		}
		for i, change := range other {
			if changed := change(text); changed != text && slices.Equal(HumanParts([]byte(text)), HumanParts([]byte(changed))) {
				t.Errorf("change %d is not taken for one of people's", i)
			}
		}
	}
}
