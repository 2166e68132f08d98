package project

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/permit"
	"belay/internal/workspace/proposal"
)

const (
	site           = "PKG-01_Site/1_Working/"
	survey         = site + "DEL-01-02_Survey"
	surveyRegister = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType," +
		"TargetType,TargetPackageID,TargetDeliverableID,TargetRefID,TargetName,TargetLocation,Statement,EvidenceFile,SourceRef,EvidenceQuote,Explicitness," +
		"RequiredMaturity,ProposedMaturity,SatisfactionStatus,Confidence,Origin,FirstSeen,LastSeen,Status,Notes\n" +
		"v3.1,DEP-01-02-001,PKG-01,DEL-01-02,Survey,EXECUTION,NOT_APPLICABLE,UPSTREAM,PREREQUISITE,DELIVERABLE,,DEL-01-01,,,,,a.md,a.md,q,,,,SATISFIED,,EXTRACTED,2026-01-01,2026-01-02,ACTIVE,\n" +
		"v3.1,DEP-01-02-002,PKG-01,DEL-01-02,Survey,EXECUTION,NOT_APPLICABLE,UPSTREAM,CONSTRAINT,DELIVERABLE,,DEL-09-09,,,,,a.md,a.md,q,,,,TBD,,EXTRACTED,2026-01-01,2026-01-02,ACTIVE,\n" +
		"v3.1,DEP-01-02-003,PKG-01,DEL-01-02,Survey,EXECUTION,NOT_APPLICABLE,DOWNSTREAM,HANDOVER,DELIVERABLE,,DEL-01-03,,,,,a.md,a.md,q,,,,TBD,,DECLARED,2026-01-01,2026-01-02,ACTIVE,\n"
)

// withRegister adds three deliverables, one with a register.
func (x *world) withRegister() {
	x.put(site+"DEL-01-01_Plan/_STATUS.md", "**Current State:** OPEN\n")
	x.put(site+"DEL-01-03_Works/_STATUS.md", "**Current State:** ISSUED\n")
	x.put(survey+"/_STATUS.md", "**Current State:** INITIALIZED\n")
	x.put(survey+"/Dependencies.csv", surveyRegister)
}

func (x *world) read(name string) string {
	x.t.Helper()
	data, err := os.ReadFile(filepath.Join(x.w.Project, filepath.FromSlash(name)))
	must(x.t, err)
	return string(data)
}

// Covers: workspace 6.6, 6.8, turn-api REQ-04
func TestPropose(t *testing.T) {
	t.Parallel()
	x := newWorld(t, "none")
	x.withRegister()
	row := map[string]any{
		"DependencyClass": "EXECUTION", "Direction": "UPSTREAM", "DependencyType": "INTERFACE", "TargetType": "DELIVERABLE",
		"TargetDeliverableID": "DEL-01-03", "EvidenceFile": "Datasheet.md", "SourceRef": "location TBD",
	}
	input := map[string]any{
		"deliverable": "DEL-01-02", "complete": true, "note": "seen\x1b[2J in Datasheet.md",
		"rows": []any{row, map[string]any{"DependencyID": "DEP-01-02-001", "Confidence": "HIGH"}},
	}
	call, err := x.prepare("project.propose", input)
	must(t, err)
	if x.has(proposal.Folder) {
		t.Error("a call that was only prepared kept something")
	}
	e := call.Effect()
	if e.Kind != permit.Read || e.Summary != "propose 1 new, 1 confirmed, 1 retired rows for DEL-01-02_Survey, which a person applies or not" {
		t.Errorf("the effect is %+v", e)
	}
	res, err := call.Run(t.Context())
	must(t, err)
	const want = "Proposal proposal-1 for PKG-01_Site/1_Working/DEL-01-02_Survey waits for a person; nothing of the project has changed.\n" +
		"new: 1\n  DEP-01-02-004\nconfirmed: 1\n  DEP-01-02-001\nretired: 1\n  DEP-01-02-002\n" +
		"A person applies it with: belay deps import DEL-01-02 .belay/proposals/proposal-1.csv --apply\n"
	if res.Text != want {
		t.Errorf("the model is told %q", res.Text)
	}
	if x.read(survey+"/Dependencies.csv") != surveyRegister {
		t.Error("a proposal changed the register")
	}
	kept, err := x.proposals.Show(context.Background(), x.w.Project, "proposal-1", proposal.Settle{})
	must(t, err)
	if kept.By != "DEPENDENCIES" || kept.SessionID != "s1" || kept.TurnID != "t1" || kept.Note != "seen [2J in Datasheet.md" || kept.Problem != "" {
		t.Errorf("kept is %+v", kept)
	}
	// What a person applies is what was proposed, with what follows from it filled in.
	_, _, err = x.proposals.Apply(t.Context(), x.w.Project, "proposal-1", proposal.Settle{By: "a person", Retire: true})
	must(t, err)
	after := x.read(survey + "/Dependencies.csv")
	for _, line := range []string{
		"v3.1,DEP-01-02-004,PKG-01,DEL-01-02,Survey,EXECUTION,NOT_APPLICABLE,UPSTREAM,INTERFACE,DELIVERABLE,,DEL-01-03,,,,,Datasheet.md,location TBD,,,,,TBD,,EXTRACTED,2026-08-24,2026-08-24,ACTIVE,\n",
		",SATISFIED,HIGH,EXTRACTED,2026-01-01,2026-08-24,ACTIVE,\n", ",TBD,,EXTRACTED,2026-01-01,2026-01-02,RETIRED,\n", ",DECLARED,2026-01-01,2026-01-02,ACTIVE,\n",
	} {
		if !strings.Contains(after, line) {
			t.Errorf("the register lacks %q:\n%s", line, after)
		}
	}
}

func TestProposeRefused(t *testing.T) {
	t.Parallel()
	x := newWorld(t, "project-level")
	x.withRegister()
	x.put("PKG-02_More/1_Working/DEL-01-01_Other/_STATUS.md", "")
	many := make([]any, maxProposed+1)
	for i := range many {
		many[i] = map[string]any{"DependencyID": "DEP-01-02-001"}
	}
	row := func(pairs ...string) []any {
		r := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			r[pairs[i]] = pairs[i+1]
		}
		return []any{r}
	}
	for name, c := range map[string]struct {
		deliverable string
		rows        []any
		want        string
	}{
		"nobody's":          {"DEL-09-09", row("DependencyID", "DEP-01-02-001"), "there is no deliverable DEL-09-09"},
		"two of one id":     {"DEL-01-01", row("DependencyID", "DEP-01-01-001"), "2 deliverables have the name DEL-01-01"},
		"outside":           {"../DEL-01-01", row("DependencyID", "DEP-01-01-001"), "no deliverable"},
		"what people say":   {"DEL-01-02", row("Origin", " declared "), "Origin DECLARED is for what people declare"},
		"nothing new":       {survey, row("DependencyID", "DEP-01-02-001", "LastSeen", "2026-01-02"), "changes nothing"},
		"many problems":     {"DEL-01-02", row("DependencyClass", "WISH", "Direction", "UP"), "row 2 (DEP-01-02-004): "},
		"too many":          {"DEL-01-02", many, "500"},
		"a column of lines": {"DEL-01-02", row("a\nb", "x"), "column name"},
	} {
		call, err := x.prepare("project.propose", map[string]any{"deliverable": c.deliverable, "rows": c.rows})
		if err == nil {
			_, err = call.Run(t.Context())
		}
		t.Log(name)
		isRefused(t, err, c.want)
	}
	if x.has(proposal.Folder) || x.read(survey+"/Dependencies.csv") != surveyRegister {
		t.Error("a refused proposal left something")
	}
	// Those that wait are counted: an agent does not fill the folder.
	for n := range 4 {
		call, err := x.prepare("project.propose", map[string]any{"deliverable": "DEL-01-02", "rows": row("DependencyID", "DEP-01-02-001", "Confidence", "HIGH")})
		must(t, err)
		if _, err = call.Run(t.Context()); n == 3 {
			isRefused(t, err, "3 proposals wait")
		} else {
			must(t, err)
		}
	}
}
