package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	surveyFolder   = "PKG-01_A/1_Working/DEL-01-02_Survey"
	surveyRegister = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType," +
		"TargetType,TargetDeliverableID,EvidenceFile,SourceRef,SatisfactionStatus,Origin,FirstSeen,LastSeen,Status\r\n" +
		"v3.1,DEP-01-02-001,PKG-01,DEL-01-02,Survey,EXECUTION,NOT_APPLICABLE,INBOUND,PREREQUISITE,DELIVERABLE,DEL-01-01,a.md,a.md,TBD,EXTRACTED,2026-01-01,2026-01-02,ACTIVE\r\n" +
		"v3.1,DEP-01-02-002,PKG-01,DEL-01-02,Survey,EXECUTION,NOT_APPLICABLE,INBOUND,INTERFACE,DELIVERABLE,DEL-01-01,a.md,a.md,TBD,EXTRACTED,2026-01-01,2026-01-02,ACTIVE\r\n"
)

// proposing is a script whose agent proposes rows, and then tries everything to have
// them applied: by the program itself, by hand, and by forging the record. %s is the
// name of a copy of the program.
const proposing = `turns:
  - steps:
      - call: {name: project.graph, input: {deliverable: DEL-01-02}}
      - call: {name: project.propose, input: {deliverable: DEL-01-02, complete: true, rows: [{DependencyID: DEP-01-02-001, Confidence: HIGH}]}}
      - call: {name: bash, input: {command: "./%s deps import . DEL-01-02 .belay/proposals/*.csv --apply; ls -la .belay"}}
      - call: {name: bash, input: {command: "printf 'DependencyID,LastSeen\nDEP-01-02-001,2026-03-03\n' > mine.csv; ./%[1]s deps import . DEL-01-02 mine.csv --apply"}}
      - call: {name: bash, input: {command: "sed -i s/ACTIVE/RETIRED/ ` + surveyFolder + `/Dependencies.csv"}}
      - call: {name: bash, input: {command: "sed -i s/open/applied/ .belay/proposals/*.json"}}
      - call: {name: write, input: {path: ` + surveyFolder + `/Dependencies.csv, content: none}}
      - call: {name: write, input: {path: .belay/proposals/x.json, content: none}}
      - say: Done.
`

// An agent proposes, and whatever it is allowed, only a person applies.
//
// Covers: turn-api REQ-04, workspace 6.6, 9.5
func TestOnlyPeopleApply(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script.yaml")
	p := newPlace(t, "BELAY_SCRIPTED_SCRIPT="+script)
	program, err := belay()
	must(t, err)
	data, err := os.ReadFile(program)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(p.project, filepath.Base(program)), data, 0o700))
	must(t, os.WriteFile(script, fmt.Appendf(nil, proposing, filepath.Base(program)), 0o600))
	for name, text := range map[string]string{
		"/_STATUS.md": "**Current State:** OPEN\n", "/Dependencies.csv": surveyRegister,
		"/_DEPENDENCIES.md": "# Dependencies: DEL-01-02 Survey\n\n## Declared Upstream\nAsk first.\n",
	} {
		must(t, os.MkdirAll(filepath.Join(p.project, filepath.FromSlash(surveyFolder)), 0o755))
		p.file(surveyFolder+name, text)
	}
	turn := p.command("turn", "--json", "--mode", "dontAsk", "--allow", "bash", "--allow", "write", "--allow", "project.propose", "go")
	out, err := turn.CombinedOutput()
	if err != nil || strings.Count(string(out), `"tool:result"`) < 8 {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := p.content(surveyFolder + "/Dependencies.csv"); got != surveyRegister {
		t.Errorf("the register is\n%s\nafter\n%s", got, out)
	}
	open := p.proposals()
	if len(open) != 1 || open[0].State != "open" || open[0].Stale || len(open[0].Diff.Retired) != 1 || strings.Contains(p.audit(), `"kind":"register"`) {
		t.Fatalf("proposed are %+v\n%s\n%s", open, p.audit(), out)
	}

	// The person looks, edits the register, looks again, and applies.
	file := ".belay/proposals/" + open[0].ID + ".csv"
	edited := surveyRegister + strings.Replace(strings.SplitAfter(surveyRegister, "\n")[1], "DEP-01-02-001", "DEP-01-02-003", 1)
	p.file(surveyFolder+"/Dependencies.csv", edited)
	if out, err := p.command("deps", "import", "DEL-01-02", file, "--apply").CombinedOutput(); err == nil || !strings.Contains(string(out), "add --stale") {
		t.Errorf("a register that changed: %v\n%s", err, out)
	}
	if open = p.proposals(); len(open) != 1 || !open[0].Stale || len(open[0].Diff.Retired) != 1 || p.content(surveyFolder+"/Dependencies.csv") != edited {
		t.Errorf("stale: %+v", open)
	}
	if out, err := p.command("deps", "import", "DEL-01-02", file, "--apply", "--stale").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := p.content(surveyFolder + "/Dependencies.csv")
	for _, want := range []string{
		",Status,Confidence\r\n", ",UPSTREAM,PREREQUISITE,", ",ACTIVE,HIGH\r\n", // the row that was confirmed, in today's words
		",UPSTREAM,INTERFACE,", ",RETIRED,\r\n", // the one that was missing
		",INBOUND,PREREQUISITE,", // and the one that came later, as it was
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("the register has no %q, or several:\n%s", want, got)
		}
	}
	// Nothing in this file is belay's to write.
	if text := p.content(surveyFolder + "/_DEPENDENCIES.md"); text != "# Dependencies: DEL-01-02 Survey\n\n## Declared Upstream\nAsk first.\n" {
		t.Errorf("the summary is\n%s", text)
	}
	if open = p.proposals(); len(open) != 0 || strings.Count(p.audit(), `"kind":"register"`) != 1 {
		t.Errorf("still proposed: %+v\n%s", open, p.audit())
	}
}

type proposed struct {
	ID, State string
	Stale     bool
	Diff      struct {
		New, Confirmed, Retired []struct{ DependencyID string }
	}
}

// proposals are those that wait.
func (p *place) proposals() []proposed {
	p.t.Helper()
	out, err := p.command("deps", "proposals", "--json").Output()
	must(p.t, err)
	var list struct{ Proposals []proposed }
	must(p.t, json.Unmarshal(out, &list))
	return list.Proposals
}
