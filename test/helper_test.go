package test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/permit"
)

// delegating is a script whose first agent hands its work to a second one, which
// asks about all that it changes, and has a call of its own behind that.
const delegating = `turns:
  - when: go
    steps:
      - say: Somebody else does that.
      - call: {name: agent.CHECKER, input: {task: Mend the notes.}}
      - call: {name: write, input: {path: after.md, content: "after\n"}}
      - say: All done.
  - when: Mend the notes
    steps:
      - call: {name: read, input: {path: notes.md}}
      - call: {name: write, input: {path: notes.md, content: "# Notes\nmended\n"}}
      - say: That was the first.
      - call: {name: bash, input: {command: "tr a-z A-Z < notes.md > loud.txt"}}
      - say: I mended them.
  - steps:
      - say: And on it goes.
`

// helpers is a place whose agents follow that script; the second one may write
// and ask.
func helpers(t *testing.T) *place {
	t.Helper()
	dir := t.TempDir()
	must(t, os.CopyFS(filepath.Join(dir, "instructions"), os.DirFS("../examples/agent/instructions")))
	checker := filepath.Join(dir, "instructions", "agents", "AGENT_CHECKER.md")
	text, err := os.ReadFile(checker)
	must(t, err)
	changed := strings.NewReplacer("tools: [read, grep, glob, list]", "tools: [read, write, edit, bash]",
		"| **WRITE_SCOPE** | none |", "| **WRITE_SCOPE** | project-level |", "| **BLOCKING** | never |", "| **BLOCKING** | allowed |").Replace(string(text))
	must(t, os.WriteFile(checker, []byte(changed), 0o600))
	script := filepath.Join(dir, "script.yaml")
	must(t, os.WriteFile(script, []byte(delegating), 0o600))
	p := newPlace(t, "BELAY_SCRIPTED_SCRIPT="+script, "BELAY_INSTRUCTIONS="+filepath.Join(dir, "instructions"), "BELAY_SUBAGENTS_ENABLED=true")
	p.file("notes.md", "# Notes\nalpha\n")
	return p
}

// delegate begins the script's turn in a new session.
func (s *server) delegate(ctx context.Context) (id string) {
	s.t.Helper()
	id = s.session()
	stream := s.open(ctx, "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "go", "opts": map[string]any{
		"persona":            "ENGINEER",
		"subagentGovernance": map[string]any{"contextSealed": true, "pipelineRunApproved": true, "approvalRef": approved},
	}}))
	s.t.Cleanup(func() { _ = stream.Body.Close() })
	return id
}

// told are the events of the session's only turn, up to its end.
func (s *server) told(ctx context.Context, id string) []sse {
	s.t.Helper()
	res := s.open(ctx, "GET", "/api/harness/session/"+id+"/events?turn="+s.turnOf(id), "")
	defer res.Body.Close()
	return events(s.t, res.Body)
}

// The question of a subagent outlives the process as one of the turn's own does:
// it can be answered before the restart and after it, and each agent goes on where
// it was. Nothing happens twice.
//
// Covers: turn-api REQ-04, REQ-12, workspace 9.7
func TestTheServerGoesInMidDecisionOfASubagent(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(*server){"killed": (*server).kill, "told to stop": (*server).stop} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			inMidDecisionOfASubagent(t, end)
		})
	}
}

func inMidDecisionOfASubagent(t *testing.T, end func(*server)) {
	p := helpers(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s := p.serve()
	id := s.delegate(ctx)
	first := p.asked("write").ID
	end(s)

	s = p.serve() // and the answer comes after the restart
	if again := p.answer("write"); again != first {
		t.Errorf("the question has another id after the restart: %s, %s", first, again)
	}
	p.asked("bash")
	if got := p.content("notes.md"); got != "# Notes\nmended\n" {
		t.Errorf("the allowed write was not made: %q", got)
	}
	end(s)
	p.answer("bash") // before the restart

	s = p.serve()
	p.asked("write") // the first agent's own, behind the delegation
	end(s)
	s = p.serve()
	p.answer("write")
	all := s.told(ctx, id)
	if exit := last(t, all); exit.data["exitCode"] != 0.0 {
		t.Fatalf("the turn ended with %v: %s", exit.data, names(all))
	}
	checkHelped(t, all)
	for name, want := range map[string]string{"notes.md": "# Notes\nmended\n", "loud.txt": "# NOTES\nMENDED\n", "after.md": "after\n"} {
		if got := p.content(name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	if all := s.turn(map[string]any{"sessionId": id, "message": "on", "opts": map[string]any{"persona": "ENGINEER"}}); last(t, all).data["exitCode"] != 0.0 {
		t.Errorf("the session does not go on: %v", last(t, all).data)
	}
	p.checkRecord(id)
	p.checkAudit(3)
	if n := strings.Count(p.audit(), `"kind":"delegation"`); n != 1 {
		t.Errorf("the audit log has %d delegations, want 1", n)
	}
}

// checkHelped checks the events of the script: each call has one result, and the
// subagent's are within its beginning and its end.
func checkHelped(t *testing.T, all []sse) {
	t.Helper()
	got := map[string]int{}
	for _, e := range all {
		switch name, _ := e.data["name"].(string); e.name {
		case "tool:result":
			if e.data["ok"] != true {
				t.Errorf("%s failed: %v", name, e.data["output"])
			}
			if e.data["parentToolCallId"] != nil {
				name = "helper " + name
			}
			if got[name]++; name == "agent.CHECKER" && e.data["output"] != "I mended them." {
				t.Errorf("the report is %v", e.data["output"])
			}
		case "subagent:start", "subagent:complete", "permission:resolved":
			got[e.name]++
		}
	}
	want := map[string]int{
		"helper read": 1, "helper write": 1, "helper bash": 1, "agent.CHECKER": 1, "write": 1,
		"subagent:start": 1, "subagent:complete": 1, "permission:resolved": 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// audit is the text of the audit log.
func (p *place) audit() string {
	p.t.Helper()
	return string(bytes.Join(p.lines(filepath.Join(p.state(), "audit.jsonl")), []byte("\n")))
}

// Without a server nobody takes the turn up: the next one closes the subagent's
// question, says so on the log and the audit log, and has a record that the
// provider takes.
//
// Covers: turn-api REQ-04, REQ-12
func TestSubagentsQuestionIsClosed(t *testing.T) {
	t.Parallel()
	p := helpers(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s := p.serve()
	id := s.delegate(ctx)
	asked := p.asked("write").ID
	wait(t, "the question in the log", func() bool { // it is on disk a moment later
		logs, err := filepath.Glob(filepath.Join(p.project, ".belay", "sessions", id, "log", "*.jsonl"))
		must(t, err)
		return slices.ContainsFunc(logs, func(name string) bool {
			data, err := os.ReadFile(name)
			return err == nil && bytes.Contains(data, []byte(asked))
		})
	})
	s.kill()
	if out, err := p.command("turn", "--session", id, "--persona", "ENGINEER", "on").CombinedOutput(); err != nil {
		t.Fatalf("the next turn: %v\n%s", err, out)
	}
	if open, err := p.requests().List(ctx, ""); err != nil || len(open) != 0 {
		t.Errorf("still open: %v %v", open, err)
	}
	var closed struct{ DecisionID, Verdict, By, Note string }
	for line := range strings.Lines(p.audit()) {
		if strings.Contains(line, asked) {
			must(t, json.Unmarshal([]byte(line), &closed))
		}
	}
	if closed.Verdict != "deny" || closed.By != permit.ByBelay || !strings.Contains(closed.Note, "ended before an answer") {
		t.Errorf("the audit log has %+v", closed)
	}
	s = p.serve()
	all := s.told(ctx, id)
	var got []string
	for _, e := range all {
		switch e.name {
		case "permission:resolved":
			if e.data["by"] != closed.By || e.data["note"] != closed.Note || e.data["decisionId"] != asked {
				t.Errorf("the log says %v", e.data)
			}
			got = append(got, e.name)
		case "subagent:complete":
			if e.data["ok"] != false {
				t.Errorf("the subagent ended as %v", e.data)
			}
			got = append(got, e.name)
		case "process:exit":
			got = append(got, e.name)
		}
	}
	if want := "permission:resolved subagent:complete process:exit"; strings.Join(got, " ") != want {
		t.Errorf("the log ends with %q, want %q", got, want)
	}
	if got := p.content("notes.md"); got != "# Notes\nalpha\n" {
		t.Errorf("notes.md holds %q", got)
	}
	p.checkRecord(id)
}

// unread is a script that edits a file which it has not read.
const unread = `turns:
  - steps:
      - call: {name: edit, input: {path: notes.md, edits: [{old: beta, new: gamma}]}}
      - say: Done.
`

// What was asked about is what is done, also after a restart: a file that was
// changed meanwhile is not touched, whatever was answered.
//
// Covers: turn-api REQ-04
func TestAnswerHoldsForWhatWasAsked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		early  bool   // answered before the restart
		says   string // the audit log
	}{
		"read, answered early":     {deciding, true, `"verdict":"allow"`},
		"read, not answered":       {deciding, false, "cannot be made any more: notes.md has changed since you read it"},
		"not read, answered early": {unread, true, `"kind":"refusal"`},
		"not read, not answered":   {unread, false, "what it would do has changed since a person was asked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			script := filepath.Join(t.TempDir(), "script.yaml")
			must(t, os.WriteFile(script, []byte(test.script), 0o600))
			p.env = append(p.env, "BELAY_SCRIPTED_SCRIPT="+script)
			p.file("notes.md", "# Notes\nalpha\nbeta\n")
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			s := p.serve()
			id := s.session()
			stream := s.open(ctx, "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "go"}))
			p.asked("edit")
			s.kill()
			_ = stream.Body.Close()
			p.file("notes.md", "# Notes\nalone\nbeta\n")
			if test.early {
				p.answer("edit")
			}
			s = p.serve()
			questions := 1
			if test.script == deciding {
				questions++
				p.answer("bash")
			}
			all := s.told(ctx, id)
			if got := p.content("notes.md"); got != "# Notes\nalone\nbeta\n" {
				t.Errorf("notes.md holds %q", got)
			}
			for _, e := range all {
				if e.name == "tool:result" && e.data["name"] == "edit" && e.data["ok"] != false {
					t.Errorf("the edit: %v", e.data)
				}
			}
			if n := strings.Count(names(all), "permission:resolved"); n != questions || last(t, all).data["exitCode"] != 0.0 {
				t.Errorf("%d decisions in the log, want %d: %s", n, questions, names(all))
			}
			if log := p.audit(); !strings.Contains(log, test.says) {
				t.Errorf("the audit log does not say %q:\n%s", test.says, log)
			}
		})
	}
}

// wait waits until something holds.
func wait(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s never holds", what)
		}
	}
}

// remove removes a folder. What a program writes there at that moment is removed by the
// next try.
func remove(t *testing.T, dir string) {
	t.Helper()
	wait(t, "the end of "+dir, func() bool { return os.RemoveAll(dir) == nil })
}
