package register

import (
	"strings"
	"testing"
)

// TestRemarks: what people write in a table of rows stays, in whatever column, and below what
// stayed before.
func TestRemarks(t *testing.T) {
	t.Parallel()
	r := put(t, Parse(nil), anchor("DEP-01-02-001"), aRow("DEP-01-02-002", "Statement", "The crane is not required before the survey is done", "TargetName", "Site survey"))
	text := "## Extracted Dependency Register\n\n| DependencyID | Status | SatisfactionStatus | Statement | Target | Own |\n|-|-|-|-|-|-|\n" +
		"| DEP-01-02-002 | ACTIVE, ask Bob before closing | SATISFIED | The survey is not done | DEL-01-03: Site survey | |\n" +
		"| DEP-01-02-009 | RETIRED | TBD | The crane is not | — | gone |\n\n### Remarks\n\n- of a person\n\n---\n"
	s := ParseSummary([]byte(text))
	s.Replace(r, "2026-03-04")
	want := "### Remarks\n\n- of a person\n- `DEP-01-02-002`, Status: ACTIVE, ask Bob before closing\n- `DEP-01-02-002`, Statement: The survey is not done\n" +
		"- `DEP-01-02-009`, Statement: The crane is not\n- `DEP-01-02-009`, Own: gone\n\n---\n"
	if got := string(s.Bytes()); !strings.Contains(got, want) || strings.Count(got, remarksHeading) != 1 {
		t.Errorf("it is:\n%s\nwithout\n%s", got, want)
	}
}
