package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A deliverable with its history as a list, and one with it as a table.
const (
	listFolder  = "PKG-01_A/1_Working/DEL-01-01_List"
	tableFolder = "PKG-01_A/1_Working/DEL-01-02_Table"

	listStatus  = "# Status: DEL-01-01 List\r\n\r\n**Current State:** OPEN\r\n**Last Updated:** 2026-01-02\r\n\r\n## History\r\n- 2026-01-02 — State set to OPEN (PREPARATION)\r\n"
	tableStatus = "# Deliverable Status\n\n**Current State:** INITIALIZED\n**Last Updated:** 2026-01-02\n\n## State History\n\n" +
		"| Date | From | To | Agent/Actor | Notes |\n|---|---|---|---|---|\n| 2026-01-02 | OPEN | INITIALIZED | 4_DOCUMENTS | Pass 1 |\n| 2026-01-01 | -- | OPEN | PREPARATION | |\n\nRemarks.\n"

	// aCommit is a commit of the repository in testdata of package repository.
	aCommit = "6dabcbdb4cc4348748d20ca5eccaf56d63a3c4fa"
)

// lives is a place whose project has two deliverables and lies in a repository.
func lives(t *testing.T, env ...string) *place {
	t.Helper()
	p := newPlace(t, append([]string{"BELAY_WORKSPACE_OPEN_TRANSITIONS=true"}, env...)...)
	must(t, os.CopyFS(filepath.Join(p.project, ".git"), os.DirFS("../internal/workspace/repository/testdata/sha1")))
	for folder, text := range map[string]string{listFolder: listStatus, tableFolder: tableStatus} {
		must(t, os.MkdirAll(filepath.Join(p.project, filepath.FromSlash(folder)), 0o755))
		p.file(folder+"/_STATUS.md", text)
	}
	return p
}

// move is the body of a transition.
func (p *place) move(folder, to, actor string, more ...string) string {
	body := map[string]string{"projectRoot": p.project, "deliverablePath": filepath.Join(p.project, filepath.FromSlash(folder)), "targetState": to, "actor": actor}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	return jsonOf(body)
}

const transitionPath = "/api/working-root/deliverable/status/transition"

// A client of the original takes a deliverable through its life (compatible
// contract, 1.14, 1.15 and 8.2). It shows no token, and the audit log says so.
//
// Covers: workspace 3.1, 3.2, 3.3
func TestOriginalClientTransitions(t *testing.T) {
	t.Parallel()
	p := lives(t)
	s := p.serve()
	for _, step := range [][]string{
		{"INITIALIZED", "4_DOCUMENTS", "date", "2026-01-03"}, {"SEMANTIC_READY", "CHIRALITY_FRAMEWORK"}, {"IN_PROGRESS", "WORKING_ITEMS"},
		{"CHECKING", "HUMAN", "approvalSha", aCommit[:10]}, {"ISSUED", "HUMAN", "approvalSha", aCommit},
	} {
		status, answer := s.do("POST", transitionPath, p.move(listFolder, step[0], step[1], step[2:]...))
		var got struct {
			Status     struct{ CurrentState string }
			Transition struct{ To, Actor string }
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 200 || got.Status.CurrentState != step[0] || got.Transition.To != step[0] || got.Transition.Actor != step[1] {
			t.Fatalf("%v: %d %s", step, status, answer)
		}
	}
	text := p.content(listFolder + "/_STATUS.md")
	if n := strings.Count(text, "\r\n"); n != strings.Count(text, "\n") || n != 14 || !strings.HasPrefix(text, "# Status: DEL-01-01 List\r\n\r\n**Current State:** ISSUED\r\n") ||
		!strings.Contains(text, "\r\n**Checking Approval SHA:** "+aCommit[:10]+"\r\n**Approval SHA:** "+aCommit+"\r\n") {
		t.Errorf("the file is %q", text)
	}
	// Nobody vouches for what no repository has.
	days := []string{today()}
	if status, answer := s.do("POST", transitionPath, p.move(tableFolder, "IN_PROGRESS", "HUMAN")); status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	table := p.content(tableFolder + "/_STATUS.md")
	days = append(days, today()) // midnight may have passed
	if !slices.ContainsFunc(days, func(day string) bool {
		return strings.Contains(table, "|---|---|---|---|---|\n| "+day+" | INITIALIZED | IN_PROGRESS | HUMAN |  |\n| 2026-01-02 |")
	}) {
		t.Errorf("the table is\n%s", table)
	}
	s.fails(400, "INVALID_APPROVAL_SHA", "POST", transitionPath, p.move(tableFolder, "CHECKING", "HUMAN", "approvalSha", "0123456"))
	s.fails(400, "UNAUTHORIZED_ACTOR", "POST", transitionPath, p.move(tableFolder, "CHECKING", "HUMANOID_BOT", "approvalSha", aCommit))
	s.fails(412, "CONTENT_CHANGED", "POST", transitionPath, p.move(tableFolder, "CHECKING", "HUMAN", "approvalSha", aCommit), "If-Match", `"0123"`)
	if p.content(tableFolder+"/_STATUS.md") != table {
		t.Error("a refused transition changed the file")
	}
	p.checkAudit(0)
	if n := strings.Count(p.audit(), `"kind":"transition"`); n != 6 || strings.Count(p.audit(), `"by":"unauthenticated"`) != 6 || !strings.Contains(p.audit(), "approved commit "+aCommit) {
		t.Errorf("the audit log is\n%s", p.audit())
	}
	// The listing knows at once.
	if _, answer := s.do("GET", "/api/project/deliverables?projectRoot="+p.project, ""); !strings.Contains(answer, `"status":"issued"`) || !strings.Contains(answer, `"status":"in_progress"`) {
		t.Errorf("the listing is %s", answer)
	}
}

// The gates that only people open need the operator's authority, however they are
// written; other transitions do not.
func TestGatesNeedTheOperator(t *testing.T) {
	t.Parallel()
	p := lives(t, "BELAY_WORKSPACE_OPEN_TRANSITIONS=false")
	s := p.serve()
	before := p.content(tableFolder + "/_STATUS.md")
	for _, to := range []string{"CHECKING", "ISSUED", "checking", " Issued "} {
		details := s.fails(403, "FORBIDDEN", "POST", transitionPath, p.move(tableFolder, to, "HUMAN", "approvalSha", aCommit))
		if details["reason"] != "operator" || p.content(tableFolder+"/_STATUS.md") != before {
			t.Errorf("%s: %v", to, details)
		}
	}
	if status, answer := s.do("POST", transitionPath, p.move(tableFolder, "IN_PROGRESS", "HUMAN")); status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	token, err := os.ReadFile(filepath.Join(p.state(), "operator.token"))
	must(t, err)
	status, answer := s.do("POST", transitionPath, p.move(tableFolder, "CHECKING", "HUMAN", "approvalSha", aCommit), "Authorization", "Bearer "+strings.TrimSpace(string(token)))
	if status != 200 || !strings.Contains(p.audit(), `"by":"operator"`) {
		t.Errorf("%d %s\n%s", status, answer, p.audit())
	}
}

// Many who saw the same file ask at once, over HTTP and on the command line: one of
// them makes the transition, and the others are told that the file has changed.
//
// Covers: workspace 3.3
func TestTransitionsRace(t *testing.T) {
	t.Parallel()
	p := lives(t).race()
	s := p.serve()
	at := "/api/working-root/deliverable/status?projectRoot=" + p.project + "&deliverablePath=" + filepath.Join(p.project, filepath.FromSlash(listFolder))
	for i, step := range [][2]string{{"INITIALIZED", "4_DOCUMENTS"}, {"IN_PROGRESS", "HUMAN"}, {"CHECKING", "HUMAN"}, {"ISSUED", "HUMAN"}} {
		_, answer := s.do("GET", at, "")
		var seen struct{ ETag string }
		must(t, json.Unmarshal([]byte(answer), &seen))
		var all sync.WaitGroup
		var made, changed atomic.Int32
		for n := range 6 {
			all.Go(func() {
				note := fmt.Sprint("by ", n)
				if n%3 == 0 {
					out, err := p.command("project", "status", "DEL-01-01", "--to", step[0], "--actor", step[1], "--approval", aCommit, "--note", note, "--if", seen.ETag).CombinedOutput()
					if err == nil {
						made.Add(1)
					} else if strings.Contains(string(out), "(CONTENT_CHANGED)") {
						changed.Add(1)
					}
					return
				}
				res, err := s.post(transitionPath, p.move(listFolder, step[0], step[1], "approvalSha", aCommit, "note", note), "If-Match", seen.ETag)
				switch {
				case err != nil:
					t.Error(err)
					return
				case res.StatusCode == 200:
					made.Add(1)
				case res.StatusCode == 412:
					changed.Add(1)
				}
				_ = res.Body.Close()
			})
		}
		all.Wait()
		text := p.content(listFolder + "/_STATUS.md")
		if made.Load() != 1 || changed.Load() != 5 || strings.Count(text, "State set to") != i+2 || strings.Count(p.audit(), `"kind":"transition"`) != i+1 {
			t.Errorf("to %s: %d made it, %d were told of it\n%s\n%s", step[0], made.Load(), changed.Load(), text, p.audit())
		}
	}
	p.checkAudit(0)
}

// moving is a script whose agent makes the transition of its role, tries one that
// people make, and then runs a command that meddles with statuses while a person
// makes transitions.
const moving = `turns:
  - steps:
      - call: {name: project.status, input: {deliverable: DEL-01-02}}
      - call: {name: project.status, input: {deliverable: DEL-01-02, to: IN_PROGRESS, note: begun}}
      - call: {name: project.status, input: {deliverable: DEL-01-02, to: CHECKING}}
      - call: {name: bash, input: {command: "touch $TMPDIR/begun; for i in $(seq 5000); do test -e $TMPDIR/go && break; sleep 0.02; done; for i in PKG-01_A/1_Working/DEL-01-0[12]*/_STATUS.md; do echo forged >> $i; done"}}
      - say: Done.
`

// An agent moves a deliverable on as its role may, and no further. Transitions that a
// person makes while its command runs stay; what the command makes of a status never
// counts, also of one that the person has just changed.
//
// Covers: turn-api REQ-04, workspace 3.3, 9.5
func TestAgentTransitions(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script.yaml")
	must(t, os.WriteFile(script, []byte(moving), 0o600))
	p := lives(t, "BELAY_SCRIPTED_SCRIPT="+script)
	const aloneFolder = "PKG-01_A/1_Working/DEL-01-03_Alone"
	must(t, os.MkdirAll(filepath.Join(p.project, filepath.FromSlash(aloneFolder)), 0o755))
	p.file(aloneFolder+"/_STATUS.md", listStatus)
	turn := p.command("turn", "--json", "--wait", "--mode", "acceptEdits", "--persona", "WORKING_ITEMS", "--allow", "bash(*)", "go")
	var out, told strings.Builder
	turn.Stdout, turn.Stderr = &out, &told
	must(t, turn.Start())
	var temp string
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if temp = p.temp("begun"); temp != "" {
			break
		}
		for _, q := range p.questions() { // a machine that cannot confine commands asks
			p.run("decision", "allow", q.ID)
		}
		if time.Now().After(end) {
			_ = turn.Process.Kill()
			_ = turn.Wait()
			t.Fatalf("the command did not begin\n%s\n%s", &out, &told)
		}
	}
	for _, id := range []string{"DEL-01-01", "DEL-01-03"} {
		if said, err := p.command("project", "status", id, "--to", "INITIALIZED", "--actor", "4_DOCUMENTS").CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, said)
		}
	}
	must(t, os.WriteFile(filepath.Join(temp, "go"), nil, 0o600))
	if err := turn.Wait(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, &out, &told)
	}
	for _, folder := range []string{listFolder, aloneFolder} {
		if text := p.content(folder + "/_STATUS.md"); !strings.Contains(text, "**Current State:** INITIALIZED\r\n") || strings.Contains(text, "forged") {
			t.Errorf("the person's transition of %s: %q", folder, text)
		}
	}
	table := p.content(tableFolder + "/_STATUS.md")
	if !strings.Contains(table, "**Current State:** IN_PROGRESS\n") || !strings.Contains(table, "| INITIALIZED | IN_PROGRESS | WORKING_ITEMS | begun |\n") || strings.Contains(table, "forged") {
		t.Errorf("the agent's deliverable is\n%s", table)
	}
	if text := out.String(); !strings.Contains(text, "may not go from IN_PROGRESS to CHECKING") || !strings.Contains(text, tableFolder+"/_STATUS.md was not changed") ||
		!strings.Contains(text, listFolder+"/_STATUS.md was not changed") || strings.Contains(text, aloneFolder+"/_STATUS.md was not changed") {
		t.Errorf("the turn was\n%s", text)
	}
	p.checkAudit(strings.Count(p.audit(), `"kind":"decision"`))
	for _, want := range []string{`"kind":"transition"`, `"agent":"WORKING_ITEMS"`, `"by":"`, `"kind":"refusal"`} {
		if !strings.Contains(p.audit(), want) {
			t.Errorf("the audit log has no %s:\n%s", want, p.audit())
		}
	}
}

func today() string { return time.Now().UTC().Format("2006-01-02") }
