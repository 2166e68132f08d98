package registerlint

import (
	"testing"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/register"
)

// Every code that renumbering is said to remove is one of a register, and what a
// target means is not guessed.
func TestRemedy(t *testing.T) {
	t.Parallel()
	renumbered := 0
	for _, r := range register.Rules() {
		f := r.At("x", 1, "it").Of("DEL-01-02_Deck")
		if Remedy(&f) == renumber {
			renumbered++
		}
	}
	if renumbered != 3 {
		t.Errorf("%d codes are renumbered", renumbered)
	}
	for value, want := range map[string]string{
		"DEL-01-02_Some Label": "deps renumber", "del-001-02 (Deck)": "deps renumber",
		"DEL-01-02, DEL-01-03": "", "DEL-01-02-03": "", "the bridge": "", "": "",
	} {
		f := finding.Finding{Code: "INVALID_TARGET_DELIVERABLE_ID", Value: value}
		if got := Remedy(&f).Command; got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

// A wrong number has the command as its remedy only where the command writes.
func TestCheckSummary(t *testing.T) {
	t.Parallel()
	const head = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType," +
		"TargetType,TargetPackageID,TargetDeliverableID,TargetRefID,TargetName,TargetLocation,Statement,EvidenceFile,SourceRef,EvidenceQuote,Explicitness," +
		"RequiredMaturity,ProposedMaturity,SatisfactionStatus,Confidence,Origin,FirstSeen,LastSeen,Status,Notes\n"
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
