package register

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/finding"
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

// Covers: workspace 5.1, 5.2
func TestSummaryUpdate(t *testing.T) {
	t.Parallel()
	base := put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002"))
	r := put(t, base, anchor("DEP-01-02-001"), aRow("DEP-01-02-002", "Status", "RETIRED"),
		aRow("DEP-01-02-003", "SatisfactionStatus", "PENDING", "TargetName", "A | pipe", "Direction", "DOWNSTREAM", "Confidence", "LOW"))
	s := ParseSummary([]byte(strings.ReplaceAll(canonicalSummary, "\n", "\r\n")))
	s.Update(r, map[string][]Column{"DEP-01-02-002": {Status}}, &Run{Date: "2026-03-04", Mode: "APPLY", Note: "a proposal"})
	want := strings.NewReplacer(
		"**Run date:** 2026-01-02", "**Run date:** 2026-03-04",
		"**RETIRED rows:** 0", "**RETIRED rows:** 1",
		"| DEP-01-02-002 | UP | INTERFACE | DELIVERABLE | as people call it |  |", `| DEP-01-02-003 | DOWNSTREAM | INTERFACE | DELIVERABLE | DEL-01-03: A \| pipe | LOW |`,
		"| RETIRED | 0 |", "| RETIRED | 1 |",
		"| TBD | 2 |", "| TBD | 2 |\n| PENDING | 1 |",
		"| 1 | 1 | 0 | 2 |\n", "| 1 | 1 | 0 | 2 |\n| 2 | 2026-03-04 (a proposal) | APPLY | None | 1 | 1 | 1 | 3 |\n",
	).Replace(canonicalSummary)
	if diff := cmp.Diff(strings.ReplaceAll(want, "\n", "\r\n"), string(s.Bytes())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSummaryNew: what is missing is written as the specification has it.
func TestSummaryNew(t *testing.T) {
	t.Parallel()
	human, _, _ := strings.Cut(canonicalSummary, "\n## Extracted")
	r := put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002"))
	s := ParseSummary([]byte(human))
	s.Update(r, nil, &Run{Date: "2026-03-04", Mode: "APPLY", Note: "a proposal"})
	got := string(s.Bytes())
	if !strings.HasPrefix(got, human) || !strings.HasSuffix(got, "\n\n## Run History\n- 2026-03-04 — APPLY: a proposal") &&
		!strings.HasSuffix(got, "\n\n## Run History\n- 2026-03-04 — APPLY: a proposal\n") {
		t.Errorf("it is:\n%s", got)
	}
	if codes := summaryCodes(t, got, r); len(codes) > 0 {
		t.Errorf("%v of\n%s", codes, got)
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

// TestSummaryCorpora: of every real summary only the sections of the agents change,
// and afterwards nothing in them is wrong.
func TestSummaryCorpora(t *testing.T) {
	t.Parallel()
	root := corpus(t)
	wrong := []string{ruleCount.Code, ruleNotListed.Code, ruleSectionMissing.Code}
	for _, project := range []string{"chirality-app", "psb-6a", "proposal-6b"} {
		for _, path := range registersOf(t, filepath.Join(root, project)) {
			name := filepath.Join(filepath.Dir(path), "_DEPENDENCIES.md")
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			r, s := parseFile(t, path), ParseSummary(data)
			if !bytes.Equal(s.Bytes(), data) {
				t.Errorf("%s is not what it was", name)
			}
			if len(s.slots()) < 3 {
				t.Errorf("%s has %d numbers", name, len(s.slots()))
			}
			human := peoples(s)
			s.Update(r, nil, &Run{Date: "2026-03-04", Mode: "APPLY", Note: "a proposal"})
			if diff := cmp.Diff(human, peoples(s)); diff != "" {
				t.Errorf("%s: what is people's changed:\n%s", name, diff)
			}
			after := ParseSummary(s.Bytes())
			for _, f := range after.Check(name, filepath.Base(filepath.Dir(path)), r) {
				if slices.Contains(wrong, f.Code) && !strings.Contains(f.Message, "not yet assessed") {
					t.Errorf("%s:%d: %s", name, f.Line, f.Message)
				}
			}
		}
	}
}

// peoples are the lines outside of the agents' sections.
func peoples(s *Summary) []string {
	var lines []string
	for _, p := range ParseSummary(s.Bytes()).parts {
		for i := p.first; i < p.end && !p.agent; i++ {
			lines = append(lines, s.doc.Line(i))
		}
	}
	return lines
}

// FuzzSummary: a change of the register leaves alone what is people's, and every
// number is right afterwards.
func FuzzSummary(f *testing.F) {
	f.Add([]byte(canonicalSummary), "DEP-01-02-002")
	f.Add([]byte("## Upstream\n### Run History\n## Run History\n- 2026 — x\n## Extracted Dependency Register\n### EXECUTION Rows (3 ACTIVE)\n| DependencyID |\n|-|\n|`DEP-01-02-002`"), "x")
	f.Add([]byte("\ufeff## Lifecycle Summary\r|Class|ACTIVE|RETIRED|\r|---|---|---|\r|ANCHOR|1|2|\r\r|Status|Count|\r|-|-|\r|TBD|7"), "DEP-01-02-001")
	base := Parse(nil)
	r, _, err := base.Put([]map[string]string{anchor("DEP-01-02-001"), aRow("DEP-01-02-002", "Status", "RETIRED"), aRow("DEP-01-02-003", "Statement", "a | b")}, host)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, id string) {
		s := ParseSummary(data)
		if !bytes.Equal(s.Bytes(), data) {
			t.Fatal("it is not what it was")
		}
		s.Check("x", host, r)
		human := peoples(s)
		s.Update(r, map[string][]Column{id: {Status, TargetName}, "DEP-01-02-002": {Status}}, &Run{Date: "2026-03-04", Mode: "APPLY", Note: "n"})
		after := peoples(s)
		for len(after) > 0 && after[len(after)-1] == "" {
			after = after[:len(after)-1] // a section may be added behind it
		}
		for len(human) > 0 && human[len(human)-1] == "" {
			human = human[:len(human)-1]
		}
		if diff := cmp.Diff(human, after); diff != "" {
			t.Fatalf("what is people's changed:\n%s\nin\n%s", diff, s.Bytes())
		}
		found := ParseSummary(s.Bytes()).Check("x", host, r)
		if slices.ContainsFunc(found, func(f finding.Finding) bool {
			return f.Code == ruleSectionMissing.Code && f.Fix != "add ## Declared Upstream" && f.Fix != "add ## Declared Downstream"
		}) {
			t.Fatalf("a section is missing:\n%s", s.Bytes())
		}
	})
}
