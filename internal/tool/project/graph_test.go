package project

import (
	"fmt"
	"strings"
	"testing"
)

func TestGraph(t *testing.T) {
	t.Parallel()
	x := newWorld(t, "none")
	if got := x.result("project.graph", `{}`); !strings.HasPrefix(got, "deliverables: 0: ") {
		t.Errorf("an empty project: %s", got)
	}
	x.withRegister()
	for input, want := range map[string]string{
		`{}`: "deliverables: 3: 1 ready to start, 1 blocked, 0 under way, 1 issued, 0 in a state that is not known\n" +
			"active dependencies: 3, 2 of them between deliverables of the project, 1 blocking\n" +
			"groups of deliverables in circles: 0 wait for each other, 0 others\n" +
			"targets that are said to be deliverables and are not in the project: 1\n  DEL-09-09 by DEL-01-02 DEP-01-02-002\n",
		`{"deliverable":"DEL-01-02"}`: "DEL-01-02 Survey: initialized, PKG-01_Site/1_Working/DEL-01-02_Survey\n" +
			"needs: 2\n" +
			"  DEL-01-01: prerequisite, open, satisfied (DEP-01-02-001 in the register of DEL-01-02)\n" +
			"  DEL-09-09: constraint, not in the project, tbd (DEP-01-02-002 in the register of DEL-01-02) blocks\n" +
			"is needed by: 1\n" +
			"  DEL-01-03: handover, issued, tbd (DEP-01-02-003 in the register of DEL-01-02)\n" +
			"so far it is blocked\n  waits for DEL-09-09: DEL-09-09 is not in the project (DEP-01-02-002, constraint)\n",
		`{"show":"impact","deliverable":"DEL-01-01_Plan"}`: "a change to DEL-01-01 reaches 2 deliverables\n" +
			"  DEL-01-02, 1 steps away, by DEL-01-01, initialized\n  DEL-01-03, 2 steps away, by DEL-01-02, issued\n",
		`{"show":"ready"}`:                           "DEL-01-01  open  Plan\n",
		`{"show":"blocked"}`:                         "DEL-01-02\n  waits for DEL-09-09: DEL-09-09 is not in the project (DEP-01-02-002, constraint)\n",
		`{"show":"cycles"}`:                          "there are no circles\n",
		`{"show":"order"}`:                           "DEL-01-01\nDEL-01-02\nDEL-01-03\n",
		`{"show":"around"}`:                          "show around is about one deliverable (give its id as deliverable)",
		`{"show":"ready","deliverable":"DEL-01-01"}`: "show ready is about the whole project (leave deliverable out, or show around or impact)",
		`{"deliverable":"DEL-07-07"}`:                "there is no deliverable DEL-07-07 in the project (did you mean DEL-01-01, DEL-01-02 or DEL-01-03?)",
	} {
		if got := x.result("project.graph", input); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", input, got, want)
		}
	}
	// It sees what was written just before: a circle, a name of two lines, a register
	// that is none.
	x.put(site+"DEL-01-01_Plan/Dependencies.csv", strings.ReplaceAll(strings.ReplaceAll(surveyRegister, "DEP-01-02", "DEP-01-01"), "DEL-01-01,", "DEL-01-02,"))
	x.put(site+"DEL-01-03_Works/Dependencies.csv/x", "")
	x.put(site+"DEL-01-04_a\nb/_STATUS.md", "**Current State:** OPEN\n")
	if got, want := x.result("project.graph", `{"show":"cycles"}`), "2 deliverables depend on each other\n  DEL-01-01 > DEL-01-02 > DEL-01-01\n[the graph is not whole: PKG-01_Site/1_Working/DEL-01-03_Works/Dependencies.csv: the register could not be read: PKG-01_Site/1_Working/DEL-01-03_Works/Dependencies.csv is not a regular file]\n"; got != want {
		t.Errorf("a circle:\n%s\nwant\n%s", got, want)
	}
	if got, want := x.result("project.graph", `{"show":"order"}`), "2 that depend on each other:\n  DEL-01-01\n  DEL-01-02\n"; !strings.HasPrefix(got, want) {
		t.Errorf("a circle in order:\n%s\nwant\n%s", got, want)
	}
	if got := x.result("project.graph", `{"show":"ready"}`); !strings.Contains(got, `DEL-01-04  open  "a\nb"`) {
		t.Errorf("a name of two lines: %s", got)
	}
	for n := range 30 {
		x.put(fmt.Sprintf("PKG-03_Lots/1_Working/DEL-03-%02d_x/_STATUS.md", n+10), "**Current State:** OPEN")
	}
	x.w.Limits.Matches = 5
	if got := x.result("project.graph", `{"show":"order"}`); !strings.Contains(got, "[the first 5 of 35 lines]") {
		t.Errorf("many: %s", got)
	}
}
