package registerlint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/register"
	"belay/internal/workspace/scan"
)

const head = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType," +
	"TargetType,TargetPackageID,TargetDeliverableID,TargetRefID,TargetName,TargetLocation,Statement,EvidenceFile,SourceRef,EvidenceQuote,Explicitness," +
	"RequiredMaturity,ProposedMaturity,SatisfactionStatus,Confidence,Origin,FirstSeen,LastSeen,Status,Notes\n"

// The findings that are said to go with renumbering do go, and no others.
func TestRenumberingRemoves(t *testing.T) {
	t.Parallel()
	row := func(id, from, target string) string {
		return "v3.1," + id + ",PKG-01," + from + ",Survey,EXECUTION,NOT_APPLICABLE,UPSTREAM,PREREQUISITE,DELIVERABLE,PKG-01," + target +
			",,Deck,,It,x,y,q,EXPLICIT,,,PENDING,HIGH,EXTRACTED,2026-01-01,2026-01-01,ACTIVE,\n"
	}
	const ids, froms, targets = "INVALID_DEPENDENCY_ID_FORMAT", "INVALID_FROM_DELIVERABLE_ID", "INVALID_TARGET_DELIVERABLE_ID"
	for name, test := range map[string]struct {
		rows string
		want map[string]int
	}{
		"ids": {row("DEP-1", "DEL-01-02", "DEL-01-03") + row("X", "DEL-01-02", "DEL-01-03"), map[string]int{ids: 2}},
		"targets": {
			row("DEP-01-02-001", "DEL-01-02", "DEL-01-03_Deck") + row("DEP-01-02-002", "DEL-01-02", "the deck") + row("DEP-01-02-003", "DEL-01-02", "Deck"),
			map[string]int{targets: 2}, // nothing is called "the deck"
		},
		"from":         {row("DEP-01-02-001", "Survey", "DEL-01-03") + row("DEP-01-02-002", "DEL-01-03 Deck", "DEL-01-03"), map[string]int{froms: 1}},
		"a short row":  {row("DEP-01-02-001", "DEL-01-02", "DEL-01-03") + "v3.1,X\n", map[string]int{ids: 1}},
		"other faults": {row("DEP-01-02-001", "DEL-01-02", "DEL-09-09"), map[string]int{}},
		"semicolons":   {strings.ReplaceAll(row("DEP-1", "DEL-01-02", "DEL-01-03"), ",", ";"), map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := register.Parse([]byte(head + test.rows))
			judge := func(r *register.Register) []finding.Finding { return r.Lint("x", "DEL-01-02") }
			found := judge(r)
			n := NewRenumbering(&scan.Result{Deliverables: []*scan.Folder{{ID: "DEL-01-02", Name: "Survey"}, {ID: "DEL-01-03", Name: "Deck"}}})
			n.Mark(found, "DEL-01-02", r, judge)
			got := map[string]int{}
			for _, f := range found {
				if f.Remedy == renumber {
					got[f.Code]++
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("it is said to remove (-want +got):\n%s%v", diff, found)
			}
		})
	}
}

// A wrong number has the command as its remedy only where the command writes.
func TestCheckSummary(t *testing.T) {
	t.Parallel()
	r := register.Parse([]byte(head + "v3.1,DEP-01-02-001,PKG-01,DEL-01-02,Name,ANCHOR,IMPLEMENTS_NODE,UPSTREAM,OTHER,WBS_NODE,,,SOW-1,Site,,It,x,y,q,EXPLICIT,,,NOT_APPLICABLE,HIGH,EXTRACTED,2026-01-01,2026-01-01,ACTIVE,\n"))
	const text = "# Dependencies: DEL-01-02 Name\n\n## Extracted Dependency Register\n**Total ACTIVE rows:** 7\n- **Total rows:** 9\n\n## Lifecycle Summary\n"
	all, removed := map[string]int{}, map[string]int{}
	for _, f := range CheckSummary("x", "DEL-01-02", []byte(text), r, "2026-01-01") {
		all[f.Code]++
		if f.Remedy == summarize {
			removed[f.Code]++
		}
	}
	if all["DEPENDENCIES_COUNT"] != 2 || removed["DEPENDENCIES_COUNT"] != 1 || removed["DEPENDENCIES_COUNTS_MISSING"] != 1 || len(removed) != 2 {
		t.Errorf("of %v it removes %v", all, removed)
	}
}
