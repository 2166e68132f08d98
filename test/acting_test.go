package test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The example in examples/agent, as its README tells to run it.
const (
	asking   = "Please bring the deck's levels in line with the brief."
	approved = "minutes of 4 May"
	folder   = "PKG-01_Bridge/1_Working/DEL-01-01_Deck Levels/"

	raisedDeck = "point,distance_m,underside_m\nD0,0.0,3.45\nD1,4.5,3.57\nD2,9.0,3.63\nD3,13.5,3.57\nD4,18.0,3.45\n"
	checked    = "ok      lowest underside 3.45 m, at least 3.45 m\n" +
		"ok      steepest slope 2.7 in 100, at most 6\n" +
		"ok      the datasheet states 3.45 m\n"
)

// bridge is a place whose project is a copy of the example's, and the settings
// of the example.
func bridge(t *testing.T, env ...string) (p *place, settings string) {
	t.Helper()
	p = newPlace(t, env...)
	must(t, os.CopyFS(p.project, os.DirFS("../examples/project")))
	must(t, os.RemoveAll(filepath.Join(p.project, ".belay"))) // of who tried it there
	settings, err := filepath.Abs("../examples/agent/config.yaml")
	must(t, err)
	return p, settings
}

// answer is the second terminal: it waits for a question about the tool and
// allows the call, in processes of their own. It returns the question's id.
func (p *place) answer(tool string) string {
	p.t.Helper()
	id := p.asked(tool).ID
	if out, err := p.command("decision", "allow", id).CombinedOutput(); err != nil {
		p.t.Fatalf("decision allow %s: %v\n%s", id, err, out)
	}
	return id
}

// diffs are what the questions of the example show of its changes.
var diffs = []string{
	"-D0,0.0,3.40\n-D1,4.5,3.52\n-D2,9.0,3.58\n-D3,13.5,3.52\n-D4,18.0,3.40\n+D0,0.0,3.45\n+D1,4.5,3.57\n+D2,9.0,3.63\n+D3,13.5,3.57\n+D4,18.0,3.45\n",
	"3.45 m",
}

// act runs the example: one terminal sends the turn, another one answers what it
// asks, which is about those tools in that order. It returns the session and the turn's
// events.
func (p *place) act(settings string, asked ...string) (session string, all []sse) {
	p.t.Helper()
	var out, told bytes.Buffer
	turn := p.command("turn", "--config", settings, "--json", "--wait", "--persona", "ENGINEER", "--delegate", approved, asking)
	turn.Stdout, turn.Stderr = &out, &told
	must(p.t, turn.Start())
	var left error
	ended := make(chan struct{})
	go func() { left = turn.Wait(); close(ended) }()
	p.t.Cleanup(func() {
		_ = turn.Process.Kill()
		if <-ended; p.t.Failed() {
			p.t.Logf("the turn told\n%s", &told)
		}
	})

	for i, tool := range asked {
		shown := p.run("decision", "show", p.asked(tool).ID)
		if i < len(diffs) && !strings.Contains(shown, diffs[i]) {
			p.t.Errorf("a person is shown\n%s\nwithout %q", shown, diffs[i])
		}
		if got := p.content(folder + "deck.csv"); i == 0 && got == raisedDeck {
			p.t.Error("the deck was changed before that was allowed")
		}
		p.answer(tool)
	}
	select {
	case <-ended:
		if left != nil {
			p.t.Fatalf("the turn: %v", left)
		}
	case <-time.After(patience):
		p.t.Fatal("the turn does not end")
	}
	for line := range bytes.Lines(out.Bytes()) {
		var e struct {
			Seq  int64
			Type string
			Data map[string]any
		}
		must(p.t, json.Unmarshal(line, &e))
		all = append(all, sse{e.Seq, e.Type, e.Data})
	}
	return p.only(), all
}

// only is the id of the project's only session.
func (p *place) only() string {
	p.t.Helper()
	all, err := os.ReadDir(filepath.Join(p.project, ".belay", "sessions"))
	must(p.t, err)
	if len(all) != 1 {
		p.t.Fatalf("there are %d sessions, want 1", len(all))
	}
	return all[0].Name()
}

// checkBridge checks what the example leaves: the files, the record, the audit.
func (p *place) checkBridge(session string, asked int) {
	p.t.Helper()
	if diff := cmp.Diff(raisedDeck, p.content(folder+"deck.csv")); diff != "" {
		p.t.Errorf("deck.csv (-want +got):\n%s", diff)
	}
	if got := p.content(folder + "Datasheet.md"); strings.Count(got, "3.45 m") != 1 || strings.Contains(got, "3.40 m") {
		p.t.Errorf("the datasheet says\n%s", got)
	}
	p.checkRecord(session)
	p.checkAudit(asked)
	// What was allowed is on the log as it was run, not as the model called it.
	if out, err := p.command("audit", "verify").CombinedOutput(); err != nil {
		p.t.Errorf("audit verify: %v\n%s", err, out)
	}
}

// checkTalk checks the events of the example, which may have been told by more
// than one process.
func checkTalk(t *testing.T, all []sse) {
	t.Helper()
	if end := last(t, all); end.name != "process:exit" || end.data["exitCode"] != 0.0 {
		t.Errorf("the turn ended with %s %v", end.name, end.data)
	}
	var call any // that started the checker
	inside := false
	results := map[string][]string{}
	for _, e := range all {
		name, _ := e.data["name"].(string)
		parent := e.data["parentToolCallId"]
		switch e.name {
		case "tool:call":
			if name == "agent.CHECKER" {
				call = e.data["toolCallId"]
			}
			if (parent != nil) != inside {
				t.Errorf("a call of %s by %v, inside %t", name, parent, inside)
			}
		case "tool:result":
			if e.data["ok"] != true {
				t.Errorf("%s failed: %v", name, e.data["output"])
			}
			text, _ := e.data["output"].(string)
			results[name] = append(results[name], text)
		case "subagent:start", "subagent:complete":
			inside = e.name == "subagent:start"
			want := map[string]any{"persona": "CHECKER", "approvalRef": approved, "parentToolCallId": call}
			if !inside {
				want["ok"] = true
			}
			if diff := cmp.Diff(want, e.data); diff != "" || call == nil {
				t.Errorf("%s (-want +got):\n%s", e.name, diff)
			}
		}
	}
	counts := map[string]int{}
	for name, texts := range results {
		counts[name] = len(texts)
	}
	// Each thing happened once, whatever ended in between.
	want := map[string]int{"read": 4, "grep": 1, "edit": 2, "agent.CHECKER": 1, "bash": 1}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Fatalf("results (-want +got):\n%s", diff)
	}
	if got := results["bash"][0]; !strings.HasPrefix(got, checked) {
		t.Errorf("the check printed\n%s", got)
	}
	if got := results["agent.CHECKER"][0]; !strings.Contains(got, "They agree") {
		t.Errorf("the checker reported\n%s", got)
	}
}

// checkAsked checks how many questions were answered in the events of the example.
func checkAsked(t *testing.T, all []sse, want int) {
	t.Helper()
	if n := strings.Count(names(all), "permission:resolved"); n != want {
		t.Errorf("%d decisions in the log, want %d: %s", n, want, names(all))
	}
}

// The example does what its README says, in two terminals: a person is asked once for
// each change, with its diff, and never about the command, which changes nothing. So it
// is where the project can only be kept read-only. Where nothing holds a command, it is
// asked about.
//
// Covers: turn-api REQ-04, workspace 9.7
func TestActing(t *testing.T) {
	t.Parallel()
	changes := []string{"edit", "edit"}
	machines := map[string][]string{"": changes, "namespaces": changes, "namespaces Landlock": append(changes[:2:2], "bash")}
	if runtime.GOOS != "linux" {
		machines = map[string][]string{"namespaces Landlock": machines["namespaces Landlock"]}
	}
	for missing, asked := range machines {
		t.Run("without "+missing, func(t *testing.T) {
			t.Parallel()
			p, settings := bridge(t)
			p.missing = missing
			session, all := p.act(settings, asked...)
			checkTalk(t, all)
			checkAsked(t, all, len(asked))
			p.checkBridge(session, len(asked))
		})
	}
}

// Without an approval the same conversation has nobody to hand a task to, says
// why, and goes on.
//
// Covers: workspace 9.7
func TestActingUnapproved(t *testing.T) {
	t.Parallel()
	p, settings := bridge(t)
	out, err := p.command("turn", "--config", settings, "--json", "--persona", "ENGINEER", "--allow", "edit", "--allow", "bash(sh check)", asking).Output()
	must(t, err)
	for _, want := range []string{
		`"governance":{"allowed":false,"gate":"METADATA_PRESENCE"`, `there is no tool named agent.CHECKER`, `ok      lowest underside 3.45 m`, `{"exitCode":0}`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the events do not say %s", want)
		}
	}
	if strings.Contains(string(out), "subagent:start") {
		t.Error("somebody was delegated to")
	}
}

// The server is killed while the first edit waits for its answer, which is given
// while no server runs, and again while the second one does. The turn goes on each time, and nothing happens twice.
//
// Covers: turn-api REQ-04, REQ-12, workspace 9.7
func TestActingKilled(t *testing.T) {
	t.Parallel()
	p, settings := bridge(t)
	s := p.serve("--config", settings)
	id := s.session()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	stream := s.open(ctx, "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": asking, "opts": map[string]any{
		"persona":            "ENGINEER",
		"subagentGovernance": map[string]any{"contextSealed": true, "pipelineRunApproved": true, "approvalRef": approved},
	}}))
	p.asked("edit")
	s.kill()
	_ = stream.Body.Close()
	p.answer("edit") // nobody waits for it

	s = p.serve("--config", settings)
	asked := p.asked("edit").ID // the other one
	if diff := cmp.Diff(raisedDeck, p.content(folder+"deck.csv")); diff != "" {
		t.Errorf("deck.csv after the allowed edit (-want +got):\n%s", diff)
	}
	s.kill()

	s = p.serve("--config", settings)
	if again := p.answer("edit"); again != asked {
		t.Errorf("the question has another id after the restart: %s, %s", again, asked)
	}
	all := events(t, s.open(ctx, "GET", "/api/harness/session/"+id+"/events?turn="+s.turnOf(id), "").Body)
	checkTalk(t, all)
	checkAsked(t, all, 2)
	p.checkBridge(id, 2)
	if all := s.turn(map[string]any{"sessionId": id, "message": "Thank you.", "opts": map[string]any{"persona": "ENGINEER"}}); last(t, all).data["exitCode"] != 0.0 {
		t.Errorf("the session does not go on: %v", last(t, all).data)
	}
}

// turnOf is the session's only turn.
func (s *server) turnOf(session string) string {
	s.t.Helper()
	lines := s.lines(filepath.Join(s.project, ".belay", "sessions", session, "transcript.jsonl"))
	for _, line := range lines {
		var e struct{ Turn string }
		if must(s.t, json.Unmarshal(line, &e)); e.Turn != "" {
			return e.Turn
		}
	}
	s.t.Fatalf("session %s has no turn", session)
	return ""
}
