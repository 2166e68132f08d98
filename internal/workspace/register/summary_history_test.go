package register

import (
	"strings"
	"testing"
)

// TestHistoryList: a run's line comes after the last item of a list, all of its lines, or
// before the first where the latest comes first.
func TestHistoryList(t *testing.T) {
	t.Parallel()
	before := put(t, Parse(nil), anchor("DEP-01-02-001"))
	after := put(t, before, anchor("DEP-01-02-001", "Status", "RETIRED"))
	const added = "- 2026-03-04 — APPLY: a proposal\n"
	for _, history := range []string{
		"- 2026-01-01 — EXTRACT\n- 2026-02-01 — EXTRACT: again\n  with the row of the crane,\nand that of the gate\n\n  - a part\n" + added + "\nA word.\n",
		"- 2026-01-01 — EXTRACT\n" + added + "---\n",
		added + "- 2026-02-01 — EXTRACT: again\n  with the row\n- 2026-01-01 — EXTRACT\n",
		added + "\nA word.\n",
		"- 2026-01-01 — EXTRACT\n- notes\n\n\n  that go on\n" + added,
		"  * 2026-01-01 — EXTRACT\n  * 2026-02-01 — EXTRACT\n    - 2026-05-05, a part\n  " + strings.Replace(added, "-", "*", 1),
	} {
		text := strings.Replace(newSummary, "## Run History\nNone yet.\n", "## Run History\n"+strings.NewReplacer("  "+strings.Replace(added, "-", "*", 1), "", added, "").Replace(history), 1)
		if got, problem := follow(t, text, before, after, aRun); problem != "" || !strings.HasSuffix(got, "## Run History\n"+history) {
			t.Errorf("%q\n%s\nis not\n%s", problem, got, history)
		}
	}
}
