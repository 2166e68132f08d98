package test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/permit"
)

// deciding is a script whose turn reads a file, edits it, and runs a command.
const deciding = `turns:
  - steps:
      - say: Let me look.
      - call: {name: read, input: {path: notes.md}}
      - say: Now I change it.
      - call: {name: edit, input: {path: notes.md, edits: [{old: beta, new: gamma}]}}
      - call: {name: bash, input: {command: "tr a-z A-Z < notes.md > loud.txt"}}
      - say: Done.
`

// requests is the operator's view of a place's open questions, as a second terminal
// has it.
func (p *place) requests() *permit.Requests {
	p.t.Helper()
	d, err := p.openRequests()
	must(p.t, err)
	p.t.Cleanup(func() { _ = d.Close() })
	return d
}

func (p *place) openRequests() (*permit.Requests, error) {
	if err := os.MkdirAll(p.state(), 0o700); err != nil {
		return nil, err
	}
	audit, err := permit.OpenAudit(filepath.Join(p.state(), "audit.jsonl"), time.Now)
	if err != nil {
		return nil, err
	}
	return permit.OpenRequests(permit.RequestsOptions{Dir: filepath.Join(p.state(), "permit"), Audit: audit})
}

func (p *place) state() string {
	for _, v := range p.env {
		if dir, ok := strings.CutPrefix(v, "XDG_STATE_HOME="); ok {
			return filepath.Join(dir, "belay")
		}
	}
	p.t.Fatal("no state folder")
	return ""
}

// questions are the open questions of a place, the oldest first.
func (p *place) questions() []permit.Request {
	p.t.Helper()
	d, err := p.openRequests()
	must(p.t, err)
	defer d.Close()
	open, err := d.List(context.Background(), "")
	must(p.t, err)
	return open
}

// question waits for one.
func (p *place) question(what string, is func(permit.Request) bool) (found permit.Request) {
	p.t.Helper()
	wait(p.t, "a question about "+what, func() bool {
		open := p.questions()
		i := slices.IndexFunc(open, is)
		if i >= 0 {
			found = open[i]
		}
		return i >= 0
	})
	return found
}

// asked waits for a question about the tool.
func (p *place) asked(tool string) permit.Request {
	p.t.Helper()
	return p.question(tool, func(r permit.Request) bool { return r.Effect.Tool == tool })
}

// askedFor waits for a question about a file.
func (p *place) askedFor(path string) permit.Request {
	p.t.Helper()
	return p.question(path, func(r permit.Request) bool { return slices.Contains(r.Effect.Paths, path) })
}

func (p *place) file(name, content string) {
	p.t.Helper()
	must(p.t, os.WriteFile(filepath.Join(p.project, name), []byte(content), 0o644))
}

func (p *place) content(name string) string {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.project, name))
	must(p.t, err)
	return string(b)
}

// A turn waits for decisions that come from another process; the server goes
// while one is open, another is answered while no server runs, and the turn goes on
// to its end. What was asked about happens once.
//
// Covers: turn-api REQ-04, REQ-12
func TestTheServerGoesInMidDecision(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(*server){"killed": (*server).kill, "told to stop": (*server).stop} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			inMidDecision(t, end)
		})
	}
}

func inMidDecision(t *testing.T, end func(*server)) {
	p := newPlace(t)
	script := filepath.Join(t.TempDir(), "script.yaml")
	must(t, os.WriteFile(script, []byte(deciding), 0o600))
	p.env = append(p.env, "BELAY_SCRIPTED_SCRIPT="+script)
	p.file("notes.md", "# Notes\nalpha\nbeta\n")
	d := p.requests()

	s := p.serve()
	id := s.session()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	stream := s.open(ctx, "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "go"}))
	first := p.asked("edit")
	if first.Effect.Diff == "" || first.Effect.Paths[0] != "notes.md" {
		t.Errorf("the question does not say what will happen: %+v", first.Effect)
	}
	end(s) // while the question is open
	_ = stream.Body.Close()
	if got := p.content("notes.md"); strings.Contains(got, "gamma") {
		t.Fatalf("changed before it was allowed: %q", got)
	}
	if _, err := d.Decide(ctx, id, first.ID, permit.VerdictAllow, "a test", ""); err != nil {
		t.Fatal(err) // answered while nobody waits
	}

	s = p.serve()
	second := p.asked("bash")
	if got := p.content("notes.md"); !strings.Contains(got, "gamma") {
		t.Errorf("the allowed edit was not made: %q", got)
	}
	end(s) // while the second question is open
	s = p.serve()
	again := p.asked("bash")
	if again.ID != second.ID {
		t.Errorf("the question has another id after the restart: %s, %s", again.ID, second.ID)
	}
	if _, err := d.Decide(ctx, id, second.ID, permit.VerdictAllow, "a test", ""); err != nil {
		t.Fatal(err)
	}
	all := events(t, s.open(ctx, "GET", "/api/harness/session/"+id+"/events?turn="+second.TurnID, "").Body)
	if exit := last(t, all); exit.data["exitCode"] != 0.0 {
		t.Fatalf("the turn ended with %v: %s", exit.data, names(all))
	}
	if got := p.content("loud.txt"); got != "# NOTES\nALPHA\nGAMMA\n" {
		t.Errorf("the command made %q", got)
	}
	if n := strings.Count(names(all), "permission:resolved"); n != 2 {
		t.Errorf("%d decisions in the log, want 2: %s", n, names(all))
	}
	// The conversation can go on, and the record is whole.
	if all := s.turn(map[string]any{"sessionId": id, "message": "and on"}); last(t, all).data["exitCode"] != 0.0 {
		t.Errorf("the session does not go on: %v", last(t, all).data)
	}
	p.checkRecord(id)
	p.checkAudit(2)
}

// The process of a turn dies at a question, and the question is answered while a server
// runs that has nothing to do with it. The server carries the answer out.
//
// Covers: turn-api REQ-04, REQ-12
func TestARunningServerCarriesOutAnswers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.scripted(`turns:
  - steps:
      - call: {name: edit, input: {path: notes.md, edits: [{old: beta, new: gamma}]}}
      - say: Done.
`)
	p.file("notes.md", "# Notes\nalpha\nbeta\n")
	s := p.serve()
	s.session() // the server knows the project
	turn := p.command("turn", "--wait", "go")
	must(t, turn.Start())
	asked := p.asked("edit")
	must(t, turn.Process.Kill())
	_ = turn.Wait() // killed
	if got := p.content("notes.md"); strings.Contains(got, "gamma") {
		t.Fatalf("changed before it was allowed: %q", got)
	}

	p.run("decision", "allow", asked.ID)
	wait(t, "the edit is made", func() bool { return strings.Contains(p.content("notes.md"), "gamma") })
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	all := events(t, s.open(ctx, "GET", "/api/harness/session/"+asked.SessionID+"/events?turn="+asked.TurnID, "").Body)
	if exit := last(t, all); exit.data["exitCode"] != 0.0 {
		t.Fatalf("the turn ended with %v: %s", exit.data, names(all))
	}
	p.checkRecord(asked.SessionID)
	p.checkAudit(1)
}

// checkAudit reads the audit log and counts its decisions.
func (p *place) checkAudit(decisions int) {
	p.t.Helper()
	name := filepath.Join(p.state(), "audit.jsonl")
	log, err := permit.OpenAudit(name, time.Now)
	must(p.t, err)
	if _, err := log.Verify(p.t.Context()); err != nil {
		p.t.Error(err)
	}
	data, err := os.ReadFile(name)
	must(p.t, err)
	n := 0
	for line := range strings.Lines(string(data)) {
		var e struct{ Kind string }
		if json.Unmarshal([]byte(line), &e) == nil && e.Kind == "decision" {
			n++
		}
	}
	if n != decisions {
		p.t.Errorf("the audit log has %d decisions, want %d:\n%s", n, decisions, data)
	}
}
