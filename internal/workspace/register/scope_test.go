package register

import (
	"strings"
	"testing"
)

// TestScopes: a number counts the rows that the headings above it are about.
func TestScopes(t *testing.T) {
	t.Parallel()
	r := put(t, Parse(nil), anchor("DEP-01-02-001", "SatisfactionStatus", "NOT_APPLICABLE"), anchor("DEP-01-02-002", "AnchorType", "TRACES_TO_REQUIREMENT"),
		aRow("DEP-01-02-003"), aRow("DEP-01-02-004", "SatisfactionStatus", "PENDING"), aRow("DEP-01-02-005", "Direction", "DOWNSTREAM"), aRow("DEP-01-02-006", "Status", "RETIRED"))
	table := "\n\n| SatisfactionStatus | Count |\n|---|---|\n| TBD | %N |\n| PENDING | 1 |\n"
	for name, c := range map[string]struct {
		heading string
		right   string
	}{
		"all":                      {"### Closure", "3 4"}, // ACTIVE ones, or all
		"EXECUTION only":           {"### Closure (EXECUTION only)", "2 3"},
		"ACTIVE EXECUTION":         {"### Closure State (ACTIVE EXECUTION rows)", "2"},
		"a heading within another": {"### EXECUTION\n\n#### Closure (ACTIVE rows)", "2"},
		"the next heading":         {"### EXECUTION\n\n### Closure (ACTIVE rows)", "3"},
		"a label":                  {"**Closure breakdown (EXECUTION, ACTIVE):**", "2"},
		"both classes":             {"### ANCHOR and EXECUTION rows (ACTIVE)", "3"},
		"a direction":              {"### UPSTREAM (EXECUTION only, ACTIVE)", "1"},
	} {
		for _, n := range []string{"0", "1", "2", "3", "4", "5"} {
			text := "# Dependencies: DEL-01-02 x\n\n## Lifecycle Summary\n\n" + c.heading + strings.Replace(table, "%N", n, 1)
			wrong := false
			for _, f := range ParseSummary([]byte(text)).Check("x", host, r) {
				wrong = wrong || f.Code == ruleCount.Code && strings.HasPrefix(f.Message, "TBD")
			}
			if right := strings.Contains(" "+c.right+" ", " "+n+" "); right == wrong {
				t.Errorf("%s: that %s rows are TBD is right: %v, want %v", name, n, !wrong, right)
			}
		}
	}
	whole := "## Lifecycle Summary (ACTIVE EXECUTION only)\n\n| SatisfactionStatus | Count |\n|---|---|\n| TBD | 2 |\n| PENDING | 1 |\n"
	if got := ParseSummary([]byte(whole)).checkCounts("x", r); len(got) > 0 {
		t.Errorf("a section's heading: %+v", got)
	}
	s := ParseSummary([]byte("## Extracted Dependency Register\nNot extracted yet.\n\n" + whole))
	if s.Replace(r, "2026-01-02"); !strings.HasSuffix(string(s.Bytes()), "\n\n"+whole) {
		t.Errorf("a section with a scope is replaced:\n%s", s.Bytes())
	}
	header := "## Lifecycle Summary\n| SatisfactionStatus (EXECUTION, ACTIVE) | Count |\n|---|---|\n| TBD | 2 |\n"
	if got := ParseSummary([]byte(header)).checkCounts("x", r); len(got) > 0 {
		t.Errorf("a table's header: %+v", got)
	}
}
